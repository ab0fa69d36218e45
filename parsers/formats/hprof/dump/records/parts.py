"""The parts of a heap dump whose writer was killed: `FILE`, `FILE.p0`, `FILE.p1` …, read as one file.

JDK 21 and later dump with several threads: each writes whole heap records to a part of its own, without a header.
At the end the parts are concatenated. A killed JVM leaves them, cut anywhere. Read together they are the whole records
of FILE, then part after part; a record cut by the end of a part is shortened. A part alone is read with the header of
FILE.

Source: `heapDumper.cpp` of HotSpot 21 and 25.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, VERSIONS
from parsers.formats.hprof.dump.records.tags import CLASS_DUMP, HEAP_DUMP_SEGMENT, PRIMITIVE_ARRAY_DUMP, ROOTS
from parsers.io.archives.unpack import SUFFIXES, Unpacking, packing, without_suffix
from parsers.io.concatenated import ByteRange, Concatenated, MemoryBytes
from parsers.io.group import SourceGroup
from parsers.io.plain import PlainBytes
from parsers.model.report import ReportError, file_name

if TYPE_CHECKING:
    from parsers.io.source import Source

_PART = re.compile(r"(.+)\.p(\d{1,4})", re.DOTALL)
NO_HEADER = VERSIONS[1] + (8).to_bytes(4, "big") + bytes(8)
"""Header of a part without its FILE: as HotSpot writes it, with an unknown time."""
WINDOW = 1 << 16
"""Bytes that are read at a time from small adjacent records."""


def number_of_part(name: str) -> int | None:
    """Returns the number of a part from its file name; None if the file is no part."""
    found = _PART.fullmatch(without_suffix(name))
    return int(found[2]) if found is not None else None


def is_part(head: bytes, name: str) -> bool:
    """Returns True if a file seems to be a part: by its name, and a heap record at its beginning."""
    if number_of_part(name) is None or len(head) <= RECORD.size:
        return False
    tag, micros, _ = RECORD.unpack_from(head)
    first = head[RECORD.size]
    return tag == HEAP_DUMP_SEGMENT and not micros and (CLASS_DUMP <= first <= PRIMITIVE_ARRAY_DUMP or first in ROOTS)


def is_headed(head: bytes) -> bool:
    """Returns True if a file begins with a header."""
    return head.startswith(VERSIONS)


def sibling_parts(path: str) -> list[str]:
    """Returns the parts next to a file, in order; at most those of 10,000 threads."""
    name = without_suffix(os.path.basename(path))
    found: dict[int, str] = {}
    try:
        with os.scandir(os.path.dirname(path) or ".") as entries:
            for entry in entries:
                number = number_of_part(entry.name)
                if number is not None and entry.name.startswith(f"{name}.p") and _whole(entry.name) == name:
                    found[number] = os.path.join(os.path.dirname(path), entry.name)
    except OSError:
        return []
    return [found[number] for number in sorted(found)]


def part_of(path: str, head: bytes) -> tuple[str, bool] | None:
    """Returns the main file of a dump in parts, and True if `path` is that file. None for a file without parts."""
    if is_headed(head):
        return (_sibling(path, os.path.basename(path)), True) if sibling_parts(path) else None
    return (_sibling(path, _whole(os.path.basename(path))), False)


def _sibling(path: str, name: str) -> str:
    return os.path.join(os.path.dirname(path), without_suffix(name))


def _whole(name: str) -> str:
    """Returns the name of the file that a part belongs to."""
    found = _PART.fullmatch(without_suffix(name))
    return found[1] if found is not None else name


class DumpParts(SourceGroup):
    """A file and its parts, or parts alone. A single file with a header is read as it is."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """Raises `ReportError` if the files are not parts of one dump."""
        whole = [source for source in sources if is_headed(source.head)]
        parts = [source for source in sources if not is_headed(source.head)]
        names = {without_suffix(source.name) for source in whole} | {_whole(source.name) for source in parts}
        if len(whole) > 1 or len(names) > 1:
            raise ReportError(f"{sources[1].path}: is no part of {file_name(sources[0].path)}: give one dump at a time")
        super().__init__((*whole, *sorted(parts, key=lambda part: number_of_part(part.name) or 0)))
        self._is_concatenated = bool(parts)
        self._is_headed = bool(whole)

    @cached_property
    def _header(self) -> bytes:
        """Returns the header of the file that these parts belong to."""
        part = self.sources[0]
        path = _sibling(part.stored_path, _whole(os.path.basename(part.stored_path)))
        for place in (path, *(path + suffix for suffix in SUFFIXES)):
            header = _header_of(place)
            if header is not None:
                return header
        return NO_HEADER

    @cached_property
    def _concatenated(self) -> Concatenated:
        """Returns the concatenated bytes; known when everything is unpacked."""
        return Concatenated(self._pieces())

    def _pieces(self) -> Iterator[ByteRange]:
        for source in self.sources:
            if is_headed(source.head):
                yield ByteRange(source, 0, _end_of_records(source, source.size, HEADER_SIZE)[0])
                continue
            if source is self.sources[0]:
                yield ByteRange(MemoryBytes(self._header), 0, HEADER_SIZE)
            if len(self.sources) == 1:
                yield ByteRange(source, 0, source.size)
                return
            end, head = _end_of_records(source, source.size, 0)
            yield ByteRange(source, 0, end)
            rest = source.size - end - RECORD.size
            if head is not None and rest > 0:
                tag, micros, _ = RECORD.unpack(head)
                yield ByteRange(MemoryBytes(RECORD.pack(tag, micros, rest)), 0, RECORD.size)
                yield ByteRange(source, end + RECORD.size, rest)

    @property
    def _bytes(self) -> PlainBytes:
        """The header and records of all parts, as far as they can be read."""
        if not self._is_concatenated:
            return self.sources[0]
        return self._concatenated if self.is_whole else MemoryBytes(self.head)

    @property
    def head(self) -> bytes:
        """Returns the first bytes."""
        first = super().head
        return first if self._is_headed else self._header + first

    @property
    def size(self) -> int:
        """Returns the total bytes, as far as known."""
        return self._concatenated.size if self._is_concatenated and self.is_whole else super().size


def _header_of(path: str) -> bytes | None:
    """Reads the header of a file, compressed or not; None if it has none."""
    try:
        with open(path, "rb") as file:
            kind = packing(file.read(16))
            file.seek(0)
            blocks = Unpacking(kind, file.read).blocks(WINDOW) if kind is not None else iter((file.read(HEADER_SIZE),))
            header = next(blocks, b"")[:HEADER_SIZE]
    except OSError:
        return None
    return header if is_headed(header) and len(header) == HEADER_SIZE else None


def _end_of_records(plain: PlainBytes, size: int, at: int) -> tuple[int, bytes | None]:
    """Returns the end of the last complete record, and the head of a cut record after it, if it has one.

    An unknown record ends the search: the rest of the file counts as complete.
    """
    window, base = b"", 0
    while at < size:
        if not 0 <= at - base <= len(window) - RECORD.size:
            window, base = plain.pread(WINDOW, at), at
        if len(window) - (at - base) < RECORD.size:
            return at, None
        tag, _, length = RECORD.unpack_from(window, at - base)
        if tag not in NAMES:
            return size, None
        if at + RECORD.size + length > size:
            return at, window[at - base : at - base + RECORD.size]
        at += RECORD.size + length
    return at, None
