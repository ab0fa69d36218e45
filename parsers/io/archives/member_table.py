"""The table of a gzip file's members in the cache, used instead of an unpacked copy: made once, by one process."""

from __future__ import annotations

import os

from parsers.io.archives.members import MemberOffsets, find_members
from parsers.io.archives.unpacked import Progress
from parsers.io.cache import locked, read_private, write_private
from parsers.io.plain import PlainFile
from parsers.model.report import ReportError

SUFFIX = ".members"


def find_table(path: str) -> MemberOffsets | None:
    """The table of an archive whose copy would have this path, if it exists and is complete."""
    try:
        return MemberOffsets.from_bytes(read_private(path + SUFFIX))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def make_table(archive: int, largest: int, path: str, named: str, progress: Progress | None) -> MemberOffsets:
    """Finds the members of an archive and stores their table, unless another process just did.

    archive  descriptor of the file
    largest  maximum plain bytes of a member
    path     path of a possible copy
    named    the user's name for it
    Raises `ReportError` if the disk is full.
    """
    try:
        with locked(f"{path}.lock"):
            if (known := find_table(path)) is not None:
                return known
            members = find_members(PlainFile(archive).pread, os.fstat(archive).st_size, largest, progress)
            write_private(path + SUFFIX, members.to_bytes())
            return members
    except OSError as error:
        raise ReportError(f"{named}: can't be unpacked: {path}: {error.strerror or error}") from error
