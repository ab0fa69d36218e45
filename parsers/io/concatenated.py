"""Pieces of files or memory, concatenated and read at offsets of the whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from parsers.io.plain import PlainBytes


class MemoryBytes:
    """Bytes in memory: `parsers.io.plain.PlainBytes`."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end."""
        return self.data[offset : offset + count]

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on; returns how many bytes there were."""
        part = self.pread(len(view), offset)
        view[: len(part)] = part
        return len(part)


class ByteRange(NamedTuple):
    """A range of bytes of a source."""

    bytes: PlainBytes
    offset: int
    length: int


class Concatenated:
    """Concatenated pieces: `parsers.io.plain.PlainBytes`."""

    def __init__(self, pieces: Iterable[ByteRange]) -> None:
        self._pieces = [piece for piece in pieces if piece.length > 0]
        self._starts = [0]
        for piece in self._pieces:
            self._starts.append(self._starts[-1] + piece.length)

    @property
    def size(self) -> int:
        """Bytes of all pieces."""
        return self._starts[-1]

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end, none after it or on a read error."""
        if 0 <= offset < self.size:
            piece, at = self._piece_at(offset)
            if at + count <= piece.length:
                return piece.bytes.pread(count, piece.offset + at)
        found = bytearray(max(0, min(count, self.size - offset)) if offset >= 0 else 0)
        return bytes(memoryview(found)[: self.read_into(memoryview(found), offset)])

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on; returns how many bytes there were."""
        filled = 0
        while filled < len(view) and offset + filled < self.size:
            piece, at = self._piece_at(offset + filled)
            done = piece.bytes.read_into(view[filled : filled + piece.length - at], piece.offset + at)
            if not done:
                break
            filled += done
        return filled

    def _piece_at(self, offset: int) -> tuple[ByteRange, int]:
        """The piece that contains an offset, and the offset in it."""
        number = bisect_right(self._starts, offset) - 1
        return self._pieces[number], offset - self._starts[number]
