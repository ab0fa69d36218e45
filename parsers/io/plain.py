"""Plain bytes at offsets, wherever they come from, for several threads at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol


class PlainBytes(Protocol):
    """What gives them: a `parsers.io.source.Source`, an open file."""

    def pread(self, count: int, offset: int) -> bytes:
        """Up to `count` bytes from `offset`; fewer at the end."""
        ...

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on, as far as there are bytes; how many those are."""
        ...


class PlainFile:
    """An open file, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pread(self, count: int, offset: int) -> bytes:
        """Up to `count` bytes from `offset`; fewer at the end, none beyond it or where reading fails."""
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
        """Fills a view from `offset` on, as far as there are bytes; how many those are."""
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
    """Reads bytes by count and offset as another does, but no more of them than it may."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._left: int | None = None
        self.is_short = False
        """Whether less was given than there may be."""

    def limit(self, count: int) -> None:
        """From now on gives at most so many bytes."""
        self._left = count

    def __call__(self, count: int, offset: int) -> bytes:
        """Up to `count` bytes from `offset`; fewer at the end, none once there were enough."""
        if self._left is not None and count > self._left:
            count, self.is_short = self._left, True
        data = self._read(count, offset)
        if self._left is not None:
            self._left -= len(data)
        return data
