"""Plain bytes at offsets, from any source, for several threads at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol


class PlainBytes(Protocol):
    """A reader of plain bytes: a `parsers.io.source.Source`, or an open file."""

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end."""
        ...

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on; returns how many bytes there were."""
        ...


class PlainFile:
    """An open file, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end, none after it or on a read error."""
        parts = []
        while count > 0:
            try:
                part = os.pread(self._descriptor, min(count, 1 << 30), offset)
            except (OSError, OverflowError):
                break
            if not part:
                break
            parts.append(part)
            count -= len(part)
            offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on; returns how many bytes there were."""
        filled = 0
        while filled < len(view):
            try:
                done = os.preadv(self._descriptor, [view[filled:]], offset + filled)
            except (OSError, OverflowError):
                break
            if not done:
                break
            filled += done
        return filled


class BoundedRead:
    """A read function with a limit on the total number of bytes."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._left: int | None = None
        self.is_short = False
        """True if the limit cut a read."""

    def limit(self, count: int) -> None:
        """Limits the bytes read from now on."""
        self._left = count

    def __call__(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at `offset`; fewer at the end, none once the limit is reached."""
        if self._left is not None and count > self._left:
            count, self.is_short = self._left, True
        data = self._read(count, offset)
        if self._left is not None:
            self._left -= len(data)
        return data
