"""Chunks of a file: their headers, also lost ones, and the places where reading continues after damage.

Sources: `ChunkHeader` of the JDK, `jfrChunkWriter.cpp` of HotSpot.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from parsers.formats.jfr.read.loops import CHECKPOINT, FARTHEST, number_at
from parsers.model.report import Problem, ReportError

Read = Callable[[int, int], bytes]
"""Reads up to `count` bytes at an offset."""

MAGIC = b"FLR\0"
HEADER = struct.Struct(">4sHHQQQqqqqBBH")
HEADER_BYTES = HEADER.size
"""68."""
BEFORE_COPY = 27
"""Bytes from the start of a checkpoint to the copy of the header in it."""
UPDATING = 255
"""State while the JVM writes the header."""
COMPRESSED = 1
"""Flag: integers are compressed. No writer omits it."""
PIECE = 1 << 20
"""Most bytes that are searched at a time."""
TINY = 128
"""Bytes in which a chunk can't declare a type of events."""
MOST_TINY = 100
"""Tiny chunks of a file that are read."""
TINY_CHUNKS = re.compile(rb"(?:%b.{0,%d}?(?=%b))+" % (MAGIC, TINY - len(MAGIC) - 1, MAGIC), re.DOTALL)
"""Tiny chunks up to the next header, which are hardly more than headers."""
NEAR = 1 << 12
"""Bytes of a block that is kept for further reads of few bytes, and that are searched first."""
HEAD = 64
"""Bytes that the numbers at the start of an event may take."""


class ChunkHeader(NamedTuple):
    """The header of a chunk. Offsets in it count from the chunk's first byte."""

    offset: int
    """Place of the chunk in the file."""
    size: int
    constants: int
    metadata: int
    start_ns: int
    start_ticks: int
    ticks_per_second: int
    state: int
    """0: finished; UPDATING; else the number of the last flush."""
    flags: int

    @property
    def ticks_per_ns(self) -> float:
        """Ticks of a nanosecond."""
        return self.ticks_per_second / 1e9


def header_in(data: bytes, offset: int) -> ChunkHeader | None:
    """Returns the header in 68 bytes; None if it is another thing, or has an unknown version."""
    if len(data) < HEADER_BYTES or not data.startswith(MAGIC):
        return None
    fields = HEADER.unpack(data[:HEADER_BYTES])
    _, major, _, size, constants, metadata, start, _, ticks, per_second, state, _, flags = fields
    if major != 2:
        return None
    start = max(-FARTHEST, min(start, FARTHEST))
    per_second = per_second if per_second > 0 else 1_000_000_000
    return ChunkHeader(offset, size, constants, metadata, start, ticks, per_second, state, flags)


def refuse_old(head: bytes, path: str) -> None:
    """Raises `ReportError` for a recording of version 1 or another unknown one."""
    if head.startswith(MAGIC) and len(head) >= 8:
        major, minor = struct.unpack_from(">HH", head, 4)
        if major != 2 and header_in(head[:4] + b"\0\2\0\0" + head[8:HEADER_BYTES], 0) is not None:
            whose = " (of Oracle JDK 7 or 8)" if major < 2 else ""
            raise ReportError(
                f"{path}: a Flight Recorder file of version {major}.{minor}{whose}, which is not supported: "
                "expected version 2, as JDK 8u262 and later write it"
            )


@dataclass(frozen=True)
class Region:
    """The bytes of a chunk."""

    header: ChunkHeader
    end: int
    """First offset that can't belong to it."""
    is_sound: bool
    """True if its size leads to the next chunk or the end of the file."""
    is_restored: bool = False
    """True if its header is lost, and this one a copy."""

    @property
    def start(self) -> int:
        """Offset of its first byte."""
        return self.header.offset

    @property
    def declared_end(self) -> int:
        """Offset where it ends by its header."""
        return self.start + self.header.size


@dataclass(frozen=True)
class File:
    """A file in which chunks are looked for."""

    read: Read
    size: int
    fill: Callable[[memoryview, int], None]
    """Fills a buffer with the bytes from an offset on."""
    _block: list[tuple[int, bytes]] = field(default_factory=lambda: [(0, b"")])
    """Offset and bytes of the last block of `few`."""

    def few(self, count: int, offset: int) -> bytes:
        """Reads up to 68 bytes at an offset, with those around them."""
        base, data = self._block[0]
        if not base <= offset <= offset + count <= base + len(data):
            base = offset // NEAR * NEAR
            data = self.read(NEAR + HEADER_BYTES, base)
            self._block[0] = base, data
        return data[offset - base : offset - base + count]

    def header_at(self, offset: int) -> ChunkHeader | None:
        """Returns the header at an offset, if there is one."""
        return header_in(self.few(HEADER_BYTES, offset), offset) if offset + HEADER_BYTES <= self.size else None

    def magics(self, start: int, stop: int) -> Iterator[int]:
        """Yields the offsets of magic numbers of chunks."""
        at, piece = start, NEAR
        while at < stop:
            data = self.read(min(piece + len(MAGIC) - 1, stop - at), at)
            place = data.find(MAGIC)
            while place >= 0:
                yield at + place
                place = data.find(MAGIC, place + 1)
            at, piece = at + piece, min(2 * piece, PIECE)

    def chunk_of_copy(self, offset: int) -> ChunkHeader | None:
        """Returns the header of the chunk around a copy at an offset; None if that is no copy."""
        start = offset - BEFORE_COPY
        copy = self.header_at(offset) if start >= 0 else None
        if copy is None:
            return None
        size, type, _ = self.event_at(start, self.size)
        if type != CHECKPOINT or size < BEFORE_COPY + HEADER_BYTES:
            return None
        return copy._replace(offset=start - copy.constants) if copy.constants <= start else None

    def event_at(self, offset: int, end: int) -> tuple[int, int, list[int]]:
        """Returns size, type and the next three numbers of an event; size 0 if there is none."""
        data = self.few(min(HEAD, max(end - offset, 0)), offset)
        numbers, at = [], 0
        for _ in range(5):
            number, at = number_at(data, at, len(data))  # type: ignore[arg-type]
            if at < 0:
                break
            numbers.append(number)
        if len(numbers) < 2 or not 0 < numbers[0] <= end - offset:
            return 0, -1, []
        return numbers[0], numbers[1], numbers[2:]

    def next_header(self, start: int) -> ChunkHeader | None:
        """Returns the first header from an offset on that is no copy in a chunk."""
        for offset in self.magics(start, self.size):
            header = self.header_at(offset)
            if header is not None and self.chunk_of_copy(offset) is None:
                return header
        return None

    def regions(self) -> Iterator[Region | tuple[int, int]]:
        """Yields the chunks, and ranges of bytes between them that belong to none."""
        at = tiny = 0
        while at < self.size:
            if tiny == MOST_TINY and (behind := self._behind_tiny(at)) > at:
                yield at, behind
                at = behind
            header = self.header_at(at)
            is_restored = False
            if header is None or not header.flags & COMPRESSED:
                copy = self._lost_header(at if header is None else at + 1)
                # A header without this flag is damaged if there is a better one for the same chunk.
                if copy is not None and (copy.offset >= at if header is None else copy.offset == at):
                    header, is_restored = copy, True
            if header is None:
                header = self.next_header(at)
            if header is None:
                yield at, self.size
                return
            if header.offset > at:
                yield at, header.offset
                at = header.offset
            end = at + header.size
            is_sound = header.size >= HEADER_BYTES and (
                end == self.size or (end < self.size and self.header_at(end) is not None)
            )
            if not is_sound or is_restored:
                following = self.next_header(at + HEADER_BYTES)
                end, is_sound = self.size if following is None else following.offset, False
            yield Region(header, end, is_sound, is_restored)
            tiny += tiny < MOST_TINY and end - at < TINY
            at = end

    def _behind_tiny(self, start: int) -> int:
        """Returns the place behind tiny chunks that follow each other: at the last of them, or at a larger one."""
        at = start
        while run := TINY_CHUNKS.match(self.read(PIECE, at)):
            at += run.end()
        return at

    def _lost_header(self, start: int) -> ChunkHeader | None:
        """Returns the header of a chunk that lost its own, from the first copy in it."""
        for offset in self.magics(start, self.size):
            if self.header_at(offset) is not None:
                return self.chunk_of_copy(offset)
        return None


@dataclass(frozen=True)
class Landmarks:
    """Checkpoints of a chunk that can be found without walking."""

    file: File
    region: Region

    def _chain_from(self, offset: int) -> list[int]:
        """Returns the offsets of a chain of checkpoints, each of which leads to an earlier one."""
        found: list[int] = []
        while self.region.start + HEADER_BYTES <= offset < self.region.end:
            _, type, numbers = self.file.event_at(offset, self.region.end)
            if type != CHECKPOINT or len(numbers) < 3:
                break
            found.append(offset)
            if numbers[2] >= 0:
                break
            offset += numbers[2]
        return found

    @cached_property
    def _known(self) -> list[int]:
        """Offsets of the chain of checkpoints, of those with copies of the header, and of the chain of the last one."""
        chain = self._chain_from(self.region.start + self.region.header.constants)
        inside = self.file.magics(self.region.start + HEADER_BYTES, self.region.end)
        found = [place - BEFORE_COPY for place in inside if self.file.chunk_of_copy(place) is not None]
        return sorted({*chain, *found, *(self._chain_from(found[-1]) if found else [])})

    def next_after(self, offset: int) -> int:
        """Returns the first known checkpoint behind an offset; the end of the chunk if none is known."""
        places = self._known
        behind = bisect_right(places, offset)
        return places[behind] if behind < len(places) else self.region.end


def skipped_problem(start: int, stop: int, path: str) -> Problem:
    """Returns the problem of bytes outside of chunks."""
    return Problem("no chunk", f"{stop - start:,} bytes belong to no chunk", "they are skipped", path, start)
