"""The members of a gzip file that a JVM wrote: each begins anew, so that any can be unpacked without those before it.

HotSpot (`jcmd GC.heap_dump -gz=1`, 15 and later) packs a heap dump in blocks of at most a megabyte, and says so in a
comment of the first: `HPROF BLOCKSIZE=1048576`. How long each got is not in the file, so all are unpacked once, by two
threads, to find where they begin; after that there is a table. Source: `heapDumperCompression.cpp` of HotSpot 17.

A damaged member keeps its place: the length that stands at its end is believed, and what is lost of it reads as zeros,
so that all behind it is where it was.
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
"""Packed bytes that a thread looks through at a time."""
LARGEST = 16 << 20
"""Bytes of a block that are believed."""
AROUND = 64 << 10
"""Bytes that a block of incompressible data takes more than it holds, its header included."""
BEGINNING = b"\x1f\x8b\x08" + bytes(5)
"""What all members but the first begin with: no flags, no time."""
HEADER_SIZE, TRAILER_SIZE = 10, 8
WINDOW = 16 << 10
"""Packed bytes of a member that are unpacked at a time."""
MOST_DAMAGED = 4096
"""Damaged members after which the rest of a file is not read."""
PIECE = 512
"""Packed bytes of a damaged member that are unpacked at a time: what damage takes with it of the bytes before it."""
_COMMENTED = re.compile(rb"\x1f\x8b\x08\x10.{6}HPROF BLOCKSIZE=(\d{1,9})\0", re.DOTALL)

Read = Callable[[int, int], bytes]
"""Of a count and an offset: packed bytes."""
Progress = Callable[[int, int], object]
"""Told how many packed bytes are looked through, and how many there are."""


class Damage(NamedTuple):
    """Something wrong with a member, or behind the last one."""

    offset: int
    """In the plain bytes."""
    kind: str
    what: str
    done: str


def block_size(head: bytes) -> int | None:
    """The most that a member of a file with these first bytes holds; None if it doesn't say so."""
    found = _COMMENTED.match(head)
    return int(found[1]) if found is not None and 0 < int(found[1]) <= LARGEST else None


@dataclass
class Members:
    """Where members begin, in the file and in the plain bytes; the last entries are where all ends."""

    packed: array[int] = field(default_factory=lambda: array("Q", [0]))
    plain: array[int] = field(default_factory=lambda: array("Q", [0]))
    broken: set[int] = field(default_factory=set)
    """Numbers of those that are damaged."""
    damages: list[Damage] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.packed) - 1

    @property
    def size(self) -> int:
        """All plain bytes."""
        return self.plain[-1]

    def add(self, end: int, length: int) -> None:
        """Adds a member by its end in the file and how much it holds."""
        self.packed.append(end)
        self.plain.append(self.plain[-1] + length)

    def to_bytes(self) -> bytes:
        """As it is kept."""
        head = json.dumps({"members": len(self), "broken": sorted(self.broken), "damages": self.damages})
        return head.encode() + b"\n" + self.packed.tobytes() + self.plain.tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> Members:
        """What `to_bytes` gave. Raises `ValueError` for anything else."""
        head, _, tables = data.partition(b"\n")
        said: dict[str, Any] = json.loads(head)
        packed, plain = array("Q"), array("Q")
        length = (said["members"] + 1) * packed.itemsize
        if len(tables) != 2 * length:
            raise ValueError
        packed.frombytes(tables[:length])
        plain.frombytes(tables[length:])
        return Members(packed, plain, set(said["broken"]), [Damage(*each) for each in said["damages"]])


def find_members(read: Read, size: int, largest: int, progress: Progress | None = None) -> Members:
    """All members of a file of that size, each of at most `largest` plain bytes."""
    return _Search(read, size, largest, progress).run()


def inflate(data: memoryview, largest: int) -> tuple[int, int] | None:
    """How many bytes the member holds that `data` begins with, and its own length; None if it is damaged."""
    member, held = zlib.decompressobj(wbits=31), 0
    # By small pieces: what is behind the member is copied, with each member again.
    for at in range(0, len(data), WINDOW):
        piece = data[at : at + WINDOW]
        try:
            held += len(member.decompress(piece, largest + 1 - held))
        except zlib.error:
            return None
        if held > largest:
            return None
        if member.eof:
            return held, at + len(piece) - len(member.unused_data)
    return None


class Salvaged(NamedTuple):
    """What can be had of a damaged member."""

    plain: bytes
    end: int | None
    """Where it ends, if its data come to an end."""
    length: int
    """How much it says that it held; of a cut one as much as there is."""
    what: str
    """What is wrong; empty: there should be more of it."""


def salvage(data: bytes, largest: int, is_last: bool) -> Salvaged:
    """Takes what there is of the member that these bytes are, up to the damage; the last one may just be cut."""
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
        # Damage may look like an end: one of the two must be right.
        checksum, said = struct.unpack("<II", data[end - TRAILER_SIZE : end].ljust(TRAILER_SIZE, b"\0"))
        if checksum == zlib.crc32(found):
            what = "its header or its length is wrong"
        if checksum == zlib.crc32(found) or said == len(found):
            return Salvaged(bytes(found[:largest]), end, min(len(found), largest), what)
    said = int.from_bytes(data[-4:], "little")
    length = said if what and 0 < said <= largest else min(len(found), largest)
    return Salvaged(bytes(found[:length]), None, length, what)


class _Chunk(NamedTuple):
    """What a thread found from somewhere to the end of a piece of the file, or until too much was damaged."""

    starts: list[int]
    """Of members, and where the last one ends."""
    lengths: list[int]
    """Plain ones; of a damaged one -1."""


class _Search:
    def __init__(self, read: Read, size: int, largest: int, progress: Progress | None) -> None:
        self._read = read
        self._size = size
        self._largest = largest
        self._progress = progress
        self._members = Members()
        self._turns = OrderedPipeline()
        self._has_given_up = False

    def run(self) -> Members:
        count = -(-self._size // CHUNK)
        self._turns.run(count, lambda: self._take)
        return self._members

    def _take(self, number: int) -> None:
        start, end = number * CHUNK, min((number + 1) * CHUNK, self._size)
        chunk = self._walk(self._next_start(start, end) if number else 0, end)
        self._turns.wait(number)
        self._join(chunk, end)
        self._turns.done(number)
        if self._progress is not None:
            self._progress(end, self._size)

    def _join(self, chunk: _Chunk, end: int) -> None:
        """Adds what begins where the chunk before ended; what that found otherwise was data that looks like members."""
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
            what = f"{MOST_DAMAGED:,} gzip blocks are damaged, too many to go on"
            done = f"what follows byte {reached:,} of the file is not read"
            members.damages.append(Damage(members.size, "damaged archive", what, done))

    def _walk(self, at: int, end: int) -> _Chunk:
        """Members from a place on, up to the first one that begins at `end` or behind it."""
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
        """Where the next member seems to begin, `end` if there is none before that."""
        # Little at first: in a file that is damaged all over the next one is near, each time.
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
        """Where a damaged member ends: where its data do, if they come to an end, else where the next one begins."""
        end = self._next_start(at + 1, self._size)
        data = self._read(min(end - at, self._largest + AROUND), at)
        own = salvage(data, self._largest, end == self._size).end
        return min(end, at + own) if own is not None else end

    def _add(self, start: int, end: int, length: int) -> None:
        """Adds a member as it was found; in what is damaged, more is looked at."""
        members = self._members
        if length >= 0:
            members.add(end, length)
            return
        data = self._read(min(end - start, self._largest + AROUND), start)
        found = salvage(data, self._largest, end == self._size)
        if start and found.end is None and not data.startswith(BEGINNING[:3]) and end == self._size:
            if self._holds_more(start):
                what = "bytes that are no gzip follow the archive"
                members.damages.append(Damage(members.size, "damaged archive", what, "they are passed by"))
            members.add(end, 0)
            return
        at, held = members.size, len(found.plain)
        if not found.what:
            done = f"read the {at + held:,} bytes that could be unpacked"
            members.damages.append(Damage(at + held, "cut", "the gzip archive ends early", done))
        else:
            lost = found.length - held
            done = f"{lost:,} of its {found.length:,} bytes are lost" if lost else "what it holds is used as it is"
            what = f"the gzip block at byte {start:,} of the file is damaged: {found.what}"
            members.damages.append(Damage(at + held if lost else at, "damaged archive", what, done))
        members.broken.add(len(members))
        members.add(end, found.length)

    def _holds_more(self, at: int) -> bool:
        """Whether anything but zeros follows: tapes and some tools fill up with them."""
        while at < self._size:
            data = self._read(CHUNK, at)
            if not data or data.strip(b"\0"):
                return bool(data)
            at += len(data)
        return False
