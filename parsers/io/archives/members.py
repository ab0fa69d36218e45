"""The members of a gzip file that a JVM wrote: each can be unpacked without those before it.

HotSpot (`jcmd GC.heap_dump -gz=1`, 15 and later) packs a heap dump in blocks of at most a megabyte, marked by a comment
in the first: `HPROF BLOCKSIZE=1048576`. Packed lengths are not in the file, so all blocks are unpacked once, by two
threads, to find their offsets; these go into a table. Source: `heapDumperCompression.cpp` of HotSpot 17.

A damaged member keeps its place: the length at its end is trusted, and lost bytes read as zeros, so that offsets after
it stay correct.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsers.io.ordered_pipeline import OrderedPipeline

CHUNK = 4 << 20
"""Packed bytes that a thread searches at a time."""
LARGEST = 16 << 20
"""Maximum block size that is accepted."""
AROUND = 64 << 10
"""Bytes by which a packed block of incompressible data may exceed its contents, including its header."""
BEGINNING = b"\x1f\x8b\x08" + bytes(5)
"""First bytes of all members except the first: no flags, no time."""
HEADER_SIZE, TRAILER_SIZE = 10, 8
WINDOW = 16 << 10
"""Packed bytes of a member that are unpacked at a time."""
MOST_DAMAGED = 4096
"""Number of damaged members after which the rest of a file is not read."""
PIECE = 512
"""Packed bytes of a damaged member unpacked at a time: damage loses at most that many bytes before it."""
_COMMENTED = re.compile(rb"\x1f\x8b\x08\x10.{6}HPROF BLOCKSIZE=(\d{1,9})\0", re.DOTALL)

Read = Callable[[int, int], bytes]
"""Function of a count and an offset that returns packed bytes."""
Progress = Callable[[int, int], object]
"""Callback with the number of packed bytes searched, and their total."""


class Damage(NamedTuple):
    """Damage of a member, or after the last one."""

    offset: int
    """Offset in the plain bytes."""
    kind: str
    what: str
    done: str


def block_size(head: bytes) -> int | None:
    """The largest number of plain bytes per member, from the first bytes of a file; None if not stated."""
    found = _COMMENTED.match(head)
    return int(found[1]) if found is not None and 0 < int(found[1]) <= LARGEST else None


@dataclass
class MemberOffsets:
    """Offsets of members, in the file and in the plain bytes; the last entries are the ends."""

    packed: array[int] = field(default_factory=lambda: array("Q", [0]))
    plain: array[int] = field(default_factory=lambda: array("Q", [0]))
    broken: set[int] = field(default_factory=set)
    """Numbers of the damaged members."""
    damages: list[Damage] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.packed) - 1

    @property
    def size(self) -> int:
        """Number of all plain bytes."""
        return self.plain[-1]

    def add(self, end: int, length: int) -> None:
        """Adds a member by its end in the file and its plain length."""
        self.packed.append(end)
        self.plain.append(self.plain[-1] + length)

    def to_bytes(self) -> bytes:
        """Serialises the table."""
        head = json.dumps({"members": len(self), "broken": sorted(self.broken), "damages": self.damages})
        return head.encode() + b"\n" + self.packed.tobytes() + self.plain.tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> MemberOffsets:
        """Reads what `to_bytes` returned. Raises `ValueError` for anything else."""
        head, _, tables = data.partition(b"\n")
        recorded: dict[str, Any] = json.loads(head)
        packed, plain = array("Q"), array("Q")
        length = (recorded["members"] + 1) * packed.itemsize
        if len(tables) != 2 * length:
            raise ValueError
        packed.frombytes(tables[:length])
        plain.frombytes(tables[length:])
        return MemberOffsets(packed, plain, set(recorded["broken"]), [Damage(*each) for each in recorded["damages"]])


def find_members(read: Read, size: int, largest: int, progress: Progress | None = None) -> MemberOffsets:
    """Finds all members of a file of that size, each of at most `largest` plain bytes."""
    return _Search(read, size, largest, progress).run()


def inflate(data: memoryview, largest: int) -> tuple[int, int] | None:
    """The plain length of the member at the start of `data`, and its packed length; None if it is damaged."""
    member, size_so_far = zlib.decompressobj(wbits=31), 0
    # In small pieces: zlib copies the input after the member, for each member again.
    for at in range(0, len(data), WINDOW):
        piece = data[at : at + WINDOW]
        try:
            size_so_far += len(member.decompress(piece, largest + 1 - size_so_far))
        except zlib.error:
            return None
        if size_so_far > largest:
            return None
        if member.eof:
            return size_so_far, at + len(piece) - len(member.unused_data)
    return None


class Salvaged(NamedTuple):
    """The recoverable data of a damaged member."""

    plain: bytes
    end: int | None
    """Offset of its end, if its data are terminated."""
    length: int
    """Plain length that it states; for a truncated member the length present."""
    what: str
    """Description of the damage; empty: the member is truncated."""


def salvage(data: bytes, largest: int, is_last: bool) -> Salvaged:
    """Unpacks a damaged member up to the damage; the last member may just be truncated."""
    commented = _COMMENTED.match(data)
    start = commented.end() if commented is not None else HEADER_SIZE
    member, found = zlib.decompressobj(wbits=-15), bytearray()
    what, end = "", None
    for at in range(start, len(data), PIECE):
        try:
            found += member.decompress(data[at : at + PIECE])
        except zlib.error as error:
            what = str(error).partition(": ")[2] or "it can't be unpacked"
        if member.eof:
            end = min(at + PIECE, len(data)) - len(member.unused_data) + TRAILER_SIZE
            what = "its checksum is wrong"
        if what or len(found) > largest:
            break
    if not what and (not is_last or len(found) > largest):
        what = "its data have no end"
    if end is not None:
        # Damage may look like an end: checksum or length must be right.
        checksum, recorded = struct.unpack("<II", data[end - TRAILER_SIZE : end].ljust(TRAILER_SIZE, b"\0"))
        if checksum == zlib.crc32(found):
            what = "its header or its length is wrong"
        if checksum == zlib.crc32(found) or recorded == len(found):
            return Salvaged(bytes(found[:largest]), end, min(len(found), largest), what)
    recorded = int.from_bytes(data[-4:], "little")
    length = recorded if what and 0 < recorded <= largest else min(len(found), largest)
    return Salvaged(bytes(found[:length]), None, length, what)


class _Chunk(NamedTuple):
    """Result of one thread for a chunk of the file, or up to too many damaged members."""

    starts: list[int]
    """Offsets of members, and the end of the last one."""
    lengths: list[int]
    """Plain lengths; -1 for a damaged member."""


class _Search:
    def __init__(self, read: Read, size: int, largest: int, progress: Progress | None) -> None:
        self._read = read
        self._size = size
        self._largest = largest
        self._progress = progress
        self._members = MemberOffsets()
        self._pipeline = OrderedPipeline()
        self._has_given_up = False

    def run(self) -> MemberOffsets:
        count = -(-self._size // CHUNK)
        self._pipeline.run(count, lambda: self._take)
        return self._members

    def _take(self, number: int) -> None:
        start, end = number * CHUNK, min((number + 1) * CHUNK, self._size)
        chunk = self._walk(self._next_start(start, end) if number else 0, end)
        self._pipeline.wait(number)
        self._join(chunk, end)
        self._pipeline.done(number)
        if self._progress is not None:
            self._progress(end, self._size)

    def _join(self, chunk: _Chunk, end: int) -> None:
        """Adds the members of a chunk from the end of the previous one on; earlier ones were data like members."""
        members = self._members
        at = members.packed[-1]
        if at >= end or self._has_given_up:
            return
        place = bisect_left(chunk.starts, at)
        if chunk.starts[place : place + 1] != [at]:
            chunk, place = self._walk(at, end), 0
        for number in range(place, len(chunk.lengths)):
            self._add(chunk.starts[number], chunk.starts[number + 1], chunk.lengths[number])
            if len(members.broken) >= MOST_DAMAGED:
                break
        reached = members.packed[-1]
        self._has_given_up = reached < (self._size if len(members.broken) >= MOST_DAMAGED else end)
        if self._has_given_up:
            what = f"{MOST_DAMAGED:,} gzip blocks are damaged, too many to continue"
            done = f"what follows byte {reached:,} of the file is not read"
            members.damages.append(Damage(members.size, "damaged archive", what, done))

    def _walk(self, at: int, end: int) -> _Chunk:
        """Lists members from an offset to the first one that begins at or after `end`."""
        starts, lengths = [at], list[int]()
        data, base, damaged = b"", at, 0
        while at < end:
            if at + self._largest + AROUND > base + len(data) and base + len(data) < self._size:
                base, data = at, self._read(end - at + self._largest + AROUND, at)
            found = inflate(memoryview(data)[at - base : at - base + self._largest + AROUND], self._largest)
            if found is None:
                if damaged >= MOST_DAMAGED:
                    break
                damaged += 1
                at = self._end_of_damaged(at)
                lengths.append(-1)
            else:
                at += found[1]
                lengths.append(found[0])
            starts.append(at)
        return _Chunk(starts, lengths)

    def _next_start(self, at: int, end: int) -> int:
        """Probable start of the next member; `end` if there is none before."""
        # Small reads first: in a file with much damage each next member is near.
        size = PIECE
        while at < end:
            data = self._read(min(size, end - at) + len(BEGINNING) - 1, at)
            found = data.find(BEGINNING)
            if found >= 0:
                return at + found
            at += size
            size = min(2 * size, CHUNK)
        return end

    def _end_of_damaged(self, at: int) -> int:
        """The end of a damaged member: the end of its data if terminated, else the start of the next member."""
        end = self._next_start(at + 1, self._size)
        data = self._read(min(end - at, self._largest + AROUND), at)
        own = salvage(data, self._largest, end == self._size).end
        return min(end, at + own) if own is not None else end

    def _add(self, start: int, end: int, length: int) -> None:
        """Adds a member; a damaged one is examined further."""
        members = self._members
        if length >= 0:
            members.add(end, length)
            return
        data = self._read(min(end - start, self._largest + AROUND), start)
        found = salvage(data, self._largest, end == self._size)
        if start and found.end is None and not data.startswith(BEGINNING[:3]) and end == self._size:
            if self._holds_more(start):
                what = "bytes that are no gzip follow the archive"
                members.damages.append(Damage(members.size, "damaged archive", what, "they are skipped"))
            members.add(end, 0)
            return
        at, size_so_far = members.size, len(found.plain)
        if not found.what:
            done = f"read the {at + size_so_far:,} bytes that could be unpacked"
            members.damages.append(Damage(at + size_so_far, "cut", "the gzip archive ends early", done))
        else:
            lost = found.length - size_so_far
            done = f"{lost:,} of its {found.length:,} bytes are lost" if lost else "what it holds is used as it is"
            what = f"the gzip block at byte {start:,} of the file is damaged: {found.what}"
            members.damages.append(Damage(at + size_so_far if lost else at, "damaged archive", what, done))
        members.broken.add(len(members))
        members.add(end, found.length)

    def _holds_more(self, at: int) -> bool:
        """True if anything but zeros follows: tapes and some tools pad with zeros."""
        while at < self._size:
            data = self._read(CHUNK, at)
            if not data or data.strip(b"\0"):
                return bool(data)
            at += len(data)
        return False
