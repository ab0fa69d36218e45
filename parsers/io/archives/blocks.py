"""Random access to the plain bytes of a gzip file with known members: a few of them are cached unpacked."""

from __future__ import annotations

import os
import threading
import zlib
from bisect import bisect_right
from collections import OrderedDict
from typing import Any

from parsers.io.archives.members import MemberOffsets, salvage

KEPT = 32
"""Maximum number of cached members, of a megabyte each."""
STEP = 32 << 10
"""Minimum plain bytes unpacked at a time: a reader of headers hardly needs the bytes after them."""


class Blocks:
    """Reads such a file, by its descriptor: `parsers.io.plain.PlainBytes`."""

    def __init__(self, descriptor: int, members: MemberOffsets) -> None:
        self.members = members
        self._descriptor = descriptor
        self._kept: OrderedDict[int, _Block] = OrderedDict()
        self._lock = threading.Lock()

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end, none after it or on a read error."""
        parts = []
        while count > 0 and offset >= 0:
            part = self._part(offset, count)
            if not part:
                break
            parts.append(part)
            count -= len(part)
            offset += len(part)
        return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on; returns how many bytes there were."""
        filled = 0
        while filled < len(view):
            part = self._part(offset + filled, len(view) - filled)
            if not part:
                break
            view[filled : filled + len(part)] = part
            filled += len(part)
        return filled

    def _part(self, offset: int, count: int) -> memoryview:
        """Bytes at an offset, at most to the end of their member; none after the last member."""
        members = self.members
        if offset >= members.size:
            return memoryview(b"")
        number = bisect_right(members.plain, offset) - 1
        start = offset - members.plain[number]
        return self._block(number).part(start, start + count)

    def _block(self, number: int) -> _Block:
        with self._lock:
            block = self._kept.get(number)
            if block is None:
                block = self._kept[number] = _Block(self._descriptor, self.members, number)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            else:
                self._kept.move_to_end(number)
            return block


class _Block:
    """One member, unpacked as far as requested."""

    def __init__(self, descriptor: int, members: MemberOffsets, number: int) -> None:
        self._descriptor = descriptor
        self._start, self._stop = members.packed[number : number + 2]
        self._length = members.plain[number + 1] - members.plain[number]
        self._is_broken = number in members.broken
        self._lock = threading.Lock()
        self._plain = b""
        self._packed: bytes | None = None
        """The packed bytes that remain; None: unpacking has not begun."""
        self._unpacking: Any = None

    def part(self, start: int, stop: int) -> memoryview:
        """Bytes from `start` to `stop`, fewer at the end."""
        with self._lock:
            stop = min(stop, self._length)
            if len(self._plain) < stop:
                self._unpack(min(max(stop, STEP, 2 * len(self._plain)), self._length))
            return memoryview(self._plain)[start:stop]

    def _unpack(self, wanted: int) -> None:
        """Unpacks that many bytes; fewer if the file has changed."""
        if self._packed is None:
            self._packed = os.pread(self._descriptor, self._stop - self._start, self._start)
            self._unpacking = zlib.decompressobj(wbits=31)
        if self._is_broken:
            found = salvage(self._packed, self._length, is_last=True).plain
            self._plain = found.ljust(self._length, b"\0")
            return
        try:
            while len(self._plain) < wanted:
                more = self._unpacking.decompress(self._packed, wanted - len(self._plain))
                self._packed = self._unpacking.unconsumed_tail
                if not more:
                    break
                self._plain += more
        except zlib.error:
            self._packed = b""
