"""Opens files, archives and pipes."""

from __future__ import annotations

import os
import stat

from parsers.io.archives.contents import Place
from parsers.io.cache import Cache
from parsers.io.source import Source, error_text
from parsers.io.spool import SpooledSource
from parsers.model.report import ReportError


def open_source(path: str, cache: Cache, end: int | None = None, place: Place | None = None) -> Source:
    """Opens a file, an archive, or a pipe ("-": standard input). Raises `ReportError` for unreadable ones.

    end    for a plain file that is still being written: the offset at which reading ends
    place  order of the members of a zip archive; None: zip archives are not opened
    """
    descriptor = _open(path)
    try:
        stored_path = _stored_path(path, descriptor)
        if stored_path is not None:
            return Source(path, descriptor, cache, stored_path, end, place)
    except OSError as error:
        os.close(descriptor)
        raise ReportError(f"{path}: can't be read: {error_text(error)}") from error
    except BaseException:
        os.close(descriptor)
        raise
    return SpooledSource(path, descriptor, place)


def _stored_path(path: str, descriptor: int) -> str | None:
    """The path by which others find the open file; None if it must be spooled. Raises `ReportError` for other types."""
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind == stat.S_IFDIR:
        raise ReportError(f"{path}: is a folder, not a report")
    if kind in (stat.S_IFIFO, stat.S_IFSOCK):
        return None
    if kind != stat.S_IFREG:
        what = "standard input is a terminal" if os.isatty(descriptor) and path == "-" else f"{path}: is a device"
        raise ReportError(f"{what}, not a report: give a file, a folder, or a pipe as -")
    return _path_of(descriptor) if _is_descriptor(path) else path


def _open(path: str) -> int:
    try:
        if path == "-":
            return os.dup(0)
        if _is_descriptor(path):
            # A socket can't be opened by such a name, only duplicated.
            return os.dup(int(path.rpartition("/")[2]))
        kind = stat.S_IFMT(os.stat(path).st_mode)
        # Opening a pipe waits for its writer; opening anything else must not wait.
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | (0 if kind == stat.S_IFIFO else os.O_NONBLOCK))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: can't be opened: {error_text(error)}") from error


def _is_descriptor(path: str) -> bool:
    """True if this names a descriptor that this process has open already, as `<(command)` of a shell does."""
    folder, _, number = path.rpartition("/")
    return path == "-" or (folder in ("/dev/fd", "/proc/self/fd") and number.isascii() and number.isdigit())


def _path_of(descriptor: int) -> str | None:
    """A path under which any process can open the file of a descriptor; None if unknown."""
    try:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        return path if os.path.samestat(os.stat(path), os.fstat(descriptor)) else None
    except OSError:
        return None
