"""The unpacked copy of an archive in the cache: made once, by one process, completely or not at all.

A note beside the copy contains its length and the damage of the archive. A copy without such a note, or of another
length, is invalid. The unpacked size is limited by the archive's size and by the free space.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from typing import NamedTuple

from parsers.io.archives.compressed import Unpacks, unpacking_of
from parsers.io.archives.contents import ArchiveContents, Place
from parsers.io.cache import create_private, locked, open_private, read_private, write_all, write_private
from parsers.io.plain import PlainFile
from parsers.model.report import ReportError

MOST_BYTES = 256 << 30
"""Maximum plain bytes of an archive or a pipe."""

MOST_RATIO = 500
"""Maximum plain bytes per packed byte beyond `RATIO_FROM`. Real reports reach 50, gzip at most 1,032."""

RATIO_FROM = 256 << 20

RESERVED_BYTES = 256 << 20
"""Bytes of the disk that unpacking leaves free."""


Progress = Callable[[int, int], None]
"""Callback with the number of bytes of the archive read, and their total."""


class Copy(NamedTuple):
    """An unpacked copy, opened."""

    descriptor: int
    size: int
    damage: str
    """Damage of the archive; empty: none."""
    contents: ArchiveContents


def find_copy(path: str) -> Copy | None:
    """The copy at this path, if it exists and is complete."""
    try:
        size, damage, contents = _read_note(f"{path}.done")
        descriptor = open_private(path)
    except (OSError, ValueError, TypeError):
        return None
    if os.fstat(descriptor).st_size != size:
        os.close(descriptor)
        return None
    return Copy(descriptor, size, damage, contents)


def make_copy(
    kind: str, archive: int, path: str, named: str, progress: Progress | None, place: Place | None = None
) -> Copy:
    """Unpacks an archive to this path, unless another process just did.

    archive  descriptor of the file
    named    the user's name for it
    Raises `ReportError` if it is too large or nothing can be unpacked.
    """
    try:
        with locked(f"{path}.lock"):
            if (copy := find_copy(path)) is None:
                _unpack(kind, archive, path, named, progress, place)
                copy = find_copy(path)
    except OSError as error:
        raise ReportError(f"{named}: can't be unpacked to {path}: {error.strerror or error}") from error
    if copy is None:
        raise ReportError(f"{named}: its unpacked copy {path} can't be read")
    return copy


def _unpack(kind: str, archive: int, path: str, named: str, progress: Progress | None, place: Place | None) -> None:
    """Writes the plain bytes under another name, renames it, then writes the note."""
    for leftover in (f"{path}.part", f"{path}.done"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(leftover)
    size, free_space = os.fstat(archive).st_size, _free_space(path)
    unpacking = unpacking_of(kind, PlainFile(archive).pread, size, place)
    if unpacking is None:
        raise ReportError(f"{named}: there is nothing left in it: it has changed")
    output = create_private(f"{path}.part")
    try:
        for block in unpacking.blocks():
            _refuse_bomb(unpacking, free_space, path, named)
            write_all(output, block)
            if progress is not None:
                progress(unpacking.taken, size)
        if not unpacking.given:
            raise ReportError(f"{named}: {unpacking.damage or 'the archive is empty'}: nothing could be unpacked")
    except BaseException:
        os.unlink(f"{path}.part")
        raise
    finally:
        os.close(output)
    os.rename(f"{path}.part", path)
    contents = json.dumps(unpacking.contents)
    write_private(f"{path}.done", f"{unpacking.given}\n{unpacking.damage or ''}\n{contents}\n".encode())


def _refuse_bomb(unpacking: Unpacks, free_space: int, path: str, named: str) -> None:
    """Raises `ReportError` if an archive unpacks to more than is plausible or fits on the disk."""
    given = unpacking.given
    if given > RATIO_FROM and given > MOST_RATIO * unpacking.taken:
        raise ReportError(f"{named}: unpacks to more than {MOST_RATIO:,} times its size: stopped after {given:,} bytes")
    if given > MOST_BYTES:
        raise ReportError(f"{named}: unpacks to more than {MOST_BYTES:,} bytes: stopped")
    if given > free_space:
        where = f"not enough room in {os.path.dirname(path)} to unpack it"
        raise ReportError(f"{named}: {where}: stopped after {given:,} bytes (--cache-dir names another folder)")


def _free_space(path: str) -> int:
    """Bytes that may be written beside this path."""
    status = os.statvfs(os.path.dirname(path))
    return status.f_bavail * status.f_frsize - RESERVED_BYTES


def _read_note(path: str) -> tuple[int, str, ArchiveContents]:
    """Plain length, damage and contents of an archive. Raises `ValueError` or `TypeError` for anything else."""
    size, damage, contents = read_private(path).decode().split("\n")[:3]
    return int(size), damage.strip(), ArchiveContents.read(json.loads(contents))
