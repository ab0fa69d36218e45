"""An index on disk: a folder of arrays in files of their own, and a header that says what they are.

    <index folder>/lock        held by the one process that builds
    <index folder>/building/   arrays that grow; with a `header` once a stage is whole
    <index folder>/progress    how far readers may look
    <index folder>/ready/      a finished index: arrays and `header`

Arrays are plain numbers of fixed width in the machine's order, nothing else in their files; one without entries may
have no file. The header is JSON behind a line with its digest. It names the version of all this, the report the index
was made of, each array's type, length, time of its file and a check of its contents, and holds totals, facts and
problems. Whatever is not exactly as the header says (another report, another version, a file too short, with other
bytes, or written to since) is no index: it is built again, and nobody is told.

An index that takes long is built in *stages*. A stage that is whole has a header of its own, of all arrays until then,
which don't change any more: readers use them, and who builds it the next time goes on behind them.
"""

from __future__ import annotations

import contextlib
import json
import os
from binascii import crc32
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from parsers.index.mapping import mapped
from parsers.io.cache import create_private, open_private
from parsers.io.digest import blake2b
from parsers.model.report import Problem
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.io.source import Identity

VERSION = 2
"""Of everything in an index: to be raised whenever arrays or what they mean change. Other code is noticed anyway."""

READY, BUILDING, LOCK, HEADER, PROGRESS = "ready", "building", "lock", "header", "progress"
CHECKED = 256 << 10
"""Bytes of an array up to which the header has a check of all of it."""
PIECE = 4096
PIECES = 9
"""Of longer arrays so many pieces are checked, evenly spread from the first byte to the last: reading gigabytes
whenever a report is opened would cost more than an index saves."""

MOST_HEADER = 64 << 20

NO_ARRAYS = ("__pycache__", "query", "reporting", "runtime")
"""Folders of `parsers` whose code neither writes nor reads an index."""
FORMATS = "formats"
"""The folder of formats. What stands before the first hyphen of a format's name is its folder there."""

CODES: dict[str, Literal["B", "H", "I", "Q", "q"]] = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i8": "q"}
"""Types of arrays, as numpy and as memoryview names them."""


@cache
def code_version(format: str) -> str:
    """`VERSION` and which code this is: an index is of exactly the code that made it, also while that changes daily.

    Sizes and times of the modules that write or read arrays of a format stand for their contents: 1 to 2 ms.
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
    """One array as the header describes it."""

    type: str
    length: int
    check: int
    changed: int
    """When the file was changed last, in ns: who writes into it later changes that, wherever the check doesn't look."""

    @property
    def size(self) -> int:
        """Bytes of its file."""
        return self.length * int(self.type[1:])


@value_class
class Header:
    """What a finished index says of itself."""

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
    """Those that are whole, where it is built in stages."""
    is_finished: bool = True


def write_header(folder: str, header: Header) -> None:
    """Writes the header of a folder of arrays; the last thing before it becomes an index, or a stage is whole."""
    text = json.dumps(asdict(header)).encode()
    path = os.path.join(folder, HEADER)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}-new")
    with os.fdopen(create_private(f"{path}-new"), "wb") as file:
        file.write(blake2b(text, digest_size=16).hexdigest().encode() + b"\n" + text)
    os.rename(f"{path}-new", path)


def read_header(folder: str) -> Header | None:
    """The header of a folder; None if there is none, or it is damaged or of another version."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        descriptor = open_private(os.path.join(folder, HEADER))
        with os.fdopen(descriptor, "rb") as file:
            digest, _, text = file.read(MOST_HEADER).partition(b"\n")
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
    """A check of a file: of all of it, or of pieces of a large one."""
    if size <= CHECKED:
        return crc32(os.pread(descriptor, size, 0))
    check = 0
    for piece in range(PIECES):
        check = crc32(os.pread(descriptor, PIECE, (size - PIECE) * piece // (PIECES - 1)), check)
    return check


def is_sound(folder: str, header: Header, take: Callable[[str, int], object] | None = None) -> bool:
    """Whether all arrays are there, in their lengths, with the right bytes where they are checked.

    take: is given the name of each that is, and its file while that is open
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
    """The header of an index folder's finished index of exactly this report."""
    header = read_header(os.path.join(folder, READY))
    return header if header is not None and header.is_finished and header.identity == asdict(identity) else None


def begun(folder: str, identity: Identity, is_new: bool = False) -> Header | None:
    """The header of the whole stages of an index folder's unfinished index of exactly this report.

    is_new: who has just written it said so, so its arrays need not be looked through, for which a key would wait
    """
    path = os.path.join(folder, BUILDING)
    header = read_header(path)
    if header is None or header.identity != asdict(identity):
        return None
    return header if is_new or is_sound(path, header) else None


def remove_rest(path: str, header: Header) -> None:
    """Removes from a folder what is not of its whole stages."""
    for name in os.listdir(path):
        if name != HEADER and name not in header.arrays:
            os.unlink(os.path.join(path, name))


def finished_rows(folder: str, identity: Identity) -> int | None:
    """Rows of a finished index; None if there is none of this report. Looks at the header alone."""
    header = finished(folder, identity)
    return None if header is None else header.rows


class Reader:
    """Arrays of an index, mapped as they are asked for. It may still grow: `advance` tells it how far."""

    def __init__(self, folder: str, header: Header | None = None) -> None:
        self.folder = folder
        self.header = header
        self.begun: Header | None = None
        """Of the stages that are whole, until the index is finished."""
        self.rows = 0 if header is None else header.rows
        self._lengths: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._views: dict[str, memoryview] = {}
        """All that is mapped of each array."""
        self._exact: dict[str, memoryview] = {}
        """Of each array what is valid now: cut once, not with each of the dozens of questions that a row asks."""

    @property
    def is_complete(self) -> bool:
        """Whether the index is finished."""
        return self.header is not None

    @property
    def _known(self) -> Header | None:
        return self.begun if self.header is None else self.header

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that are whole, of an index that is built in some."""
        return () if self._known is None else self._known.stages

    @property
    def totals(self) -> Mapping[str, Any]:
        """All counts of what is whole; empty until something is."""
        return {} if self._known is None else self._known.totals

    @property
    def facts(self) -> Mapping[str, Any]:
        """What was concluded; empty until a stage or the index is whole."""
        return {} if self._known is None else self._known.facts

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The first problems."""
        return () if self._known is None else self._known.problems

    @property
    def problem_count(self) -> int:
        """How many there are."""
        return 0 if self._known is None else self._known.problem_count

    def advance(self, rows: int, lengths: Mapping[str, int], types: Mapping[str, str], folder: str) -> None:
        """There is more: so many rows, and so many entries of each array; perhaps in another folder than before."""
        before = self.folder, self.rows, self._lengths, self._types, self._views
        if folder != self.folder:
            self.folder = folder
            self._views = {}
        self.rows = rows
        self._lengths = dict(lengths)
        self._types = dict(types)
        self._exact = {}
        try:
            # Mapped at once: a builder that gives up removes its files.
            for name in self._types:
                self.view(name)
        except (OSError, ValueError):
            self.folder, self.rows, self._lengths, self._types, self._views = before
            self._exact = {}

    def take_stages(self, folder: str, header: Header) -> None:
        """These stages are whole, and their arrays don't change any more."""
        lengths = {name: array.length for name, array in header.arrays.items()}
        types = {name: array.type for name, array in header.arrays.items()}
        self.advance(header.rows, lengths, types, folder)
        if self._lengths == lengths:
            self.begun = header

    def finish(self, folder: str, header: Header) -> None:
        """The index is finished, and in another folder now."""
        self.folder, self.header, self.rows = folder, header, header.rows
        self._views.clear()
        self._exact.clear()
        self.keep()

    @property
    def names(self) -> Collection[str]:
        """Names of the arrays that there are now."""
        return self._lengths.keys() if self.header is None else self.header.arrays.keys()

    def type(self, name: str) -> str:
        """Type of an array, as `CODES` has it. Raises `KeyError`."""
        return self._types[name] if self.header is None else self.header.arrays[name].type

    def length(self, name: str) -> int:
        """How many entries of an array there are. Raises `KeyError`."""
        return self._lengths[name] if self.header is None else self.header.arrays[name].length

    def has(self, name: str) -> bool:
        """Whether there is such an array now."""
        return name in self._lengths if self.header is None else name in self.header.arrays

    def view(self, name: str) -> memoryview:
        """An array as it is now, without copying. Raises `KeyError` if the index has none of that name."""
        exact = self._exact.get(name)
        if exact is not None:
            return exact
        length = self.length(name)
        view = self._views.get(name)
        if view is None or len(view) < length:
            view = self._views[name] = self._map(name, self.type(name), length)
        exact = self._exact[name] = view[:length]
        return exact

    def _map(self, name: str, type: str, length: int) -> memoryview:
        if not length:
            return memoryview(b"").cast(CODES[type])
        descriptor = self._open(name)
        try:
            return _mapped(descriptor, type, length)
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        """A descriptor of an array's file. The builder may have finished, and renamed the folder, just now."""
        try:
            return open_private(os.path.join(self.folder, name))
        except FileNotFoundError:
            if self.header is not None:
                raise
            return open_private(os.path.join(os.path.dirname(self.folder), READY, name))

    def take(self, name: str, descriptor: int) -> None:
        """Maps an array of the finished index from its open file."""
        self._views[name] = _mapped(descriptor, self.type(name), self.length(name))

    def keep(self) -> None:
        """Maps all arrays: they stay readable even if the cache is emptied while the report is open."""
        if self.header is not None:
            for name in self.header.arrays:
                self.view(name)


def open_index(folder: str, identity: Identity) -> Reader | None:
    """The finished index of a report; None if there is none that can be trusted."""
    header = finished(folder, identity)
    path = os.path.join(folder, READY)
    if header is None:
        return None
    reader = Reader(path, header)
    if not is_sound(path, header, reader.take):
        return None
    reader.keep()
    return reader


def _mapped(descriptor: int, type: str, length: int) -> memoryview:
    """An array of so many numbers, at least one, from its open file."""
    return mapped(descriptor, length * int(type[1:])).cast(CODES[type])
