"""An index on disk: a folder of arrays, one file each, and a header that describes them.

    <index folder>/lock        lock of the one process that builds
    <index folder>/building/   arrays that grow; with a `header` once a stage is finished
    <index folder>/progress    lengths that readers may use
    <index folder>/ready/      a finished index: arrays and `header`

Array files contain only numbers of fixed width in native byte order; an empty array may have no file. The header is
JSON after a line with its digest. It contains the version of the format, the identity of the report, totals, facts and
problems. Of each array it contains type, length, file time and a checksum. If anything differs from the header (another
report or version, a file too short, changed, or with other bytes), the index is invalid and silently rebuilt.

A long build has *stages*. A finished stage has a header of its own, for all arrays up to then. These no longer change:
readers use them, and the next build continues after them.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from binascii import crc32
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from parsers.index.mapping import mapped
from parsers.io.cache import open_private, read_private, write_private
from parsers.io.digest import blake2b
from parsers.model.report import Problem
from parsers.model.value import fields_of, value_class

if TYPE_CHECKING:
    from parsers.io.source import Identity

VERSION = 3
"""Version of all indexes: increase it when arrays or their meaning change. Changed code is detected anyway."""

READY, BUILDING, LOCK, HEADER, PROGRESS = "ready", "building", "lock", "header", "progress"
CHECKED = 256 << 10
"""Arrays up to this many bytes have a checksum of all bytes."""
PIECE = 4096
PIECES = 9
"""Number of pieces checked in longer arrays, evenly spread from the first byte to the last.

Reading gigabytes at each opening would cost more than an index saves.
"""

READ = 16 << 10
"""Arrays of a finished index up to this many bytes are read instead of mapped, which takes half as long."""

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
"""Errors for lack of room on a disk, or in a user's part of it."""

MOST_HEADER = 64 << 20

NO_ARRAYS = ("__pycache__", "query", "reporting", "runtime")
"""Folders of `parsers` whose code neither writes nor reads an index."""
FORMATS = "formats"
"""The folder of formats. The part of a format's name before the first hyphen is its folder there."""

CODES: dict[str, Literal["B", "H", "I", "Q", "q"]] = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i8": "q"}
"""Types of arrays, as numpy and as memoryview call them."""


@cache
def code_version(format: str) -> str:
    """`VERSION` and a hash of the code: an index is valid only for the code that made it, which may change daily.

    Sizes and times of the modules that write or read arrays of a format represent their contents: 1 to 2 ms.
    """
    code = []
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder, folders, names in os.walk(above):
        if folder == above:
            folders[:] = sorted({*folders} - {*NO_ARRAYS})
        elif folder == os.path.join(above, FORMATS):
            folders[:] = [name for name in folders if name == format.partition("-")[0]]
        else:
            folders[:] = sorted({*folders} - {"__pycache__"})
        for name in names:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                code.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return f"{VERSION}-{blake2b(' '.join(sorted(code)).encode(), digest_size=8).hexdigest()}"


@value_class
class Array:
    """One array as described in the header."""

    type: str
    length: int
    check: int
    changed: int
    """Time of the file's last change, in ns. A later write changes it, even of bytes without checksum."""

    @property
    def size(self) -> int:
        """Bytes of its file."""
        return self.length * int(self.type[1:])


@value_class
class Header:
    """The header of an index, or of its finished stages."""

    format: str
    identity: Mapping[str, Any]
    size: int
    """Bytes of the plain file."""
    rows: int
    arrays: Mapping[str, Array]
    totals: Mapping[str, Any]
    facts: Mapping[str, Any]
    problems: tuple[Problem, ...]
    problem_count: int
    seconds: float
    version: str
    stages: tuple[str, ...] = ()
    """The finished stages, if it is built in stages."""
    is_finished: bool = True


def write_header(folder: str, header: Header) -> None:
    """Writes the header of a folder of arrays: the last step before it becomes an index, or a stage is finished."""
    text = json.dumps(fields_of(header), default=fields_of).encode()
    write_private(os.path.join(folder, HEADER), blake2b(text, digest_size=16).hexdigest().encode() + b"\n" + text)


def read_header(folder: str) -> Header | None:
    """The header of a folder; None if it is missing, damaged or of another version."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        digest, _, text = read_private(os.path.join(folder, HEADER), MOST_HEADER).partition(b"\n")
        if digest != blake2b(text, digest_size=16).hexdigest().encode():
            return None
        fields = json.loads(text)
        if fields["version"] != code_version(fields["format"]):
            return None
        fields["arrays"] = {name: Array(**array) for name, array in fields["arrays"].items()}
        fields["problems"] = tuple(Problem(**problem) for problem in fields["problems"])
        fields["stages"] = tuple(fields["stages"])
        return Header(**fields)
    return None


def check_of(descriptor: int, size: int) -> int:
    """Checksum of a file: of all of it, or of pieces of a large one."""
    if size <= CHECKED:
        return crc32(os.pread(descriptor, size, 0))
    check = 0
    for piece in range(PIECES):
        check = crc32(os.pread(descriptor, PIECE, (size - PIECE) * piece // (PIECES - 1)), check)
    return check


def is_sound(folder: str, header: Header, take: Callable[[str, int], object] | None = None) -> bool:
    """True if all arrays exist with the right lengths, times and checksums.

    take: called with the name of each valid array, and its file while that is open
    """
    for name, array in header.arrays.items():
        if not array.length:
            continue
        try:
            descriptor = open_private(os.path.join(folder, name))
        except OSError:
            return False
        try:
            status = os.fstat(descriptor)
            if (status.st_size, status.st_mtime_ns) != (array.size, array.changed):
                return False
            if check_of(descriptor, array.size) != array.check:
                return False
            if take is not None:
                take(name, descriptor)
        finally:
            os.close(descriptor)
    return True


def finished(folder: str, identity: Identity) -> Header | None:
    """The header of the finished index of exactly this report in an index folder."""
    header = read_header(os.path.join(folder, READY))
    return header if header is not None and header.is_finished and header.identity == fields_of(identity) else None


def begun(folder: str, identity: Identity, is_new: bool = False) -> Header | None:
    """The header of the finished stages of this report's unfinished index in an index folder.

    is_new: True if its writer has just reported it: then its arrays are not checked, which would take too long for a
    key
    """
    path = os.path.join(folder, BUILDING)
    header = read_header(path)
    if header is None or header.identity != fields_of(identity):
        return None
    return header if is_new or is_sound(path, header) else None


def remove_rest(path: str, header: Header) -> None:
    """Removes all files of a folder that don't belong to finished stages."""
    for name in os.listdir(path):
        if name != HEADER and name not in header.arrays:
            os.unlink(os.path.join(path, name))


def finished_rows(folder: str, identity: Identity) -> int | None:
    """Rows of a finished index; None if there is none of this report. Reads only the header."""
    header = finished(folder, identity)
    return None if header is None else header.rows


class IndexReader:
    """Arrays of an index, mapped on first access. It may still grow: `advance` sets its lengths."""

    def __init__(self, folder: str, header: Header | None = None) -> None:
        self.folder = folder
        self.header = header
        self.begun: Header | None = None
        """Header of the finished stages, until the index is finished."""
        self.rows = 0 if header is None else header.rows
        self._lengths: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._views: dict[str, memoryview] = {}
        """The whole mapping of each array."""
        self._exact: dict[str, memoryview] = {}
        """The valid part of each array: cached, because a row reads arrays dozens of times."""

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self.header is not None

    @property
    def _known(self) -> Header | None:
        return self.begun if self.header is None else self.header

    @property
    def stages(self) -> tuple[str, ...]:
        """The finished stages, if the index is built in stages."""
        return () if self._known is None else self._known.stages

    @property
    def totals(self) -> Mapping[str, Any]:
        """Counts of the finished part; empty until there is one."""
        return {} if self._known is None else self._known.totals

    @property
    def facts(self) -> Mapping[str, Any]:
        """Conclusions about the report; empty until a stage or the index is finished."""
        return {} if self._known is None else self._known.facts

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The first problems."""
        return () if self._known is None else self._known.problems

    @property
    def problem_count(self) -> int:
        """Number of all problems."""
        return 0 if self._known is None else self._known.problem_count

    def advance(self, rows: int, lengths: Mapping[str, int], types: Mapping[str, str], folder: str) -> None:
        """Extends the index to this many rows and array entries; the folder may have changed."""
        before = self.folder, self.rows, self._lengths, self._types, self._views
        if folder != self.folder:
            self.folder = folder
            self._views = {}
        self.rows = rows
        self._lengths = dict(lengths)
        self._types = dict(types)
        self._exact = {}
        try:
            # Mapped at once: a builder that is abandoned removes its files.
            for name in self._types:
                self.view(name)
        except (OSError, ValueError):
            self.folder, self.rows, self._lengths, self._types, self._views = before
            self._exact = {}

    def take_stages(self, folder: str, header: Header) -> None:
        """Takes the arrays of finished stages, which no longer change."""
        lengths = {name: array.length for name, array in header.arrays.items()}
        types = {name: array.type for name, array in header.arrays.items()}
        self.advance(header.rows, lengths, types, folder)
        if self._lengths == lengths:
            self.begun = header

    def finish(self, folder: str, header: Header) -> None:
        """Takes the finished index, which is in another folder now."""
        self.folder, self.header, self.rows = folder, header, header.rows
        self._views, self._exact = {}, {}
        self.map_all()

    @property
    def names(self) -> Collection[str]:
        """Names of the arrays that exist now."""
        return self._lengths.keys() if self.header is None else self.header.arrays.keys()

    def type(self, name: str) -> str:
        """Type of an array, a key of `CODES`. Raises `KeyError`."""
        return self._types[name] if self.header is None else self.header.arrays[name].type

    def length(self, name: str) -> int:
        """Number of entries of an array. Raises `KeyError`."""
        return self._lengths[name] if self.header is None else self.header.arrays[name].length

    def has(self, name: str) -> bool:
        """True if the array exists now."""
        return name in self._lengths if self.header is None else name in self.header.arrays

    def view(self, name: str) -> memoryview:
        """The current array, not copied. Raises `KeyError` if the index has none of that name."""
        # These first: a thread that is late must not add an earlier view to the dictionaries of a longer index.
        exact, views = self._exact, self._views
        found = exact.get(name)
        if found is not None:
            return found
        length = self.length(name)
        view = views.get(name)
        if view is None or len(view) < length:
            view = views[name] = self._map(name, self.type(name), length)
        found = exact[name] = view[:length]
        return found

    def _map(self, name: str, type: str, length: int) -> memoryview:
        if not length:
            return memoryview(b"").cast(CODES[type])
        descriptor = self._open(name)
        try:
            return mapped(descriptor, length * int(type[1:])).cast(CODES[type])
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        """Opens an array's file. The builder may have finished and renamed the folder just now."""
        try:
            return open_private(os.path.join(self.folder, name))
        except FileNotFoundError:
            if self.header is not None:
                raise
            return open_private(os.path.join(os.path.dirname(self.folder), READY, name))

    def take(self, name: str, descriptor: int) -> None:
        """Maps or reads an array of the finished index from its open file."""
        type, length = self.type(name), self.length(name)
        size = length * int(type[1:])
        data = memoryview(os.pread(descriptor, size, 0)) if size <= READ else mapped(descriptor, size)
        self._views[name] = data.cast(CODES[type])

    def map_all(self) -> None:
        """Maps all arrays: they stay readable even if the cache is emptied while the report is open."""
        if self.header is not None:
            for name in self.header.arrays:
                self.view(name)


def open_index(folder: str, identity: Identity) -> IndexReader | None:
    """The finished index of a report; None if there is no valid one."""
    header = finished(folder, identity)
    path = os.path.join(folder, READY)
    if header is None:
        return None
    reader = IndexReader(path, header)
    return reader if is_sound(path, header, reader.take) else None
