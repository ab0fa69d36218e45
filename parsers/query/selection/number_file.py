"""Sorted numbers in a private file: written by a worker, read by the screen, never in the memory of either.

Offsets of matching lines (uint64) and positions of a selection (uint32), in native order, nothing else in the file. The
reader receives their number, reads the few that it needs with `pread` and searches by bisection, without numpy.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, overload

from parsers.io.cache import create_private, write_all

if TYPE_CHECKING:
    from typing import Any

Width = Literal[4, 8]

_AT_ONCE = 4096

_CODES: dict[int, str] = {4: "I", 8: "Q"}


class NumberWriter:
    """Writes such a file. Raises `OSError` if the disk is full or the file exists already."""

    def __init__(self, path: str, width: Width) -> None:
        self._descriptor = create_private(path)
        self._width = width
        self.count = 0

    def append(self, numbers: Any) -> None:
        """Appends a contiguous array of the file's width."""
        data = memoryview(numbers).tobytes()
        write_all(self._descriptor, data)
        self.count += len(data) // self._width

    def close(self) -> None:
        """Closes the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class NumberFile:
    """The numbers of such a file. It may grow: its owner sets `count`."""

    def __init__(self, path: str, width: Width, count: int = 0) -> None:
        self.path = path
        self.count = count
        self._width = width
        self._descriptor = -1

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        for start in range(0, self.count, _AT_ONCE):
            yield from self.numbers(start, start + _AT_ONCE)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self.count)
            return self.numbers(start, stop) if step == 1 else [self[each] for each in range(start, stop, step)]
        if index < 0:
            index += self.count
        if not 0 <= index < self.count:
            raise IndexError(index)
        return int.from_bytes(self._read(index, 1), _ORDER)

    def numbers(self, start: int, stop: int) -> array[int]:
        """A range of numbers, read at once."""
        start = max(start, 0)
        numbers: array[int] = array(_CODES[self._width])
        numbers.frombytes(self._read(start, max(min(stop, self.count) - start, 0)))
        return numbers

    def at_or_after(self, number: int) -> int:
        """Index of the first number that is not smaller; `count` if all are."""
        return bisect_left(self, number)

    def after(self, number: int) -> int:
        """Index of the first number that is larger; `count` if none is."""
        return bisect_right(self, number)

    def position(self, number: int) -> int | None:
        """Index of a number; None if it is not present."""
        position = bisect_left(self, number)
        return position if position < self.count and self[position] == number else None

    def close(self, remove: bool = True) -> None:
        """Closes the file, and removes it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if remove:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self.count = 0

    def _read(self, start: int, count: int) -> bytes:
        if not count:
            return b""
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        size = count * self._width
        data = os.pread(self._descriptor, size, start * self._width)
        while 0 < len(data) < size:
            more = os.pread(self._descriptor, size - len(data), start * self._width + len(data))
            if not more:
                break
            data += more
        if len(data) < size:
            raise IndexError(f"{self.path} holds fewer than {start + count:,} numbers")
        return data


_ORDER: Literal["little", "big"] = "little" if array("H", [1]).tobytes()[0] else "big"
