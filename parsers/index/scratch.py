"""Room for tables that are needed for a while: in memory, or in files that are gone when nobody has them any more.

Pages of such files are the disk's, not the process's: where memory is short they are written out in place of somebody
being killed. But a new one costs five times what memory in large pages does, so as many tables are in memory as may be.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from parsers.kernels.large_pages import in_large_pages

Scratch = Callable[[str, str, int], Any]
"""Of a name, a type and a length: an array of zeros."""
PER_THING = 10
"""Bytes of memory for each object and each reference."""
SMALL = 1 << 20
"""Bytes of a table that is not worth a file."""


def anonymous(name: str, type: str, length: int) -> Any:
    """In memory."""
    return np.zeros(length, np.dtype(type))


class Rooms:
    """Tables in memory as long as all of them take no more than `most` bytes, else in files.

    in_file  gives a table in a file
    """

    def __init__(self, in_file: Scratch) -> None:
        self._in_file = in_file
        self._lock = threading.RLock()
        self.most = 0
        self.taken = 0
        """Bytes in memory of tables that somebody has."""

    def allow(self, objects: int, references: int = 0) -> None:
        """Bounds of a heap of so many."""
        self.most = PER_THING * (objects + references)

    def make(self, name: str, type: str, length: int) -> Any:
        """A table of zeros. It goes when the array does."""
        size = length * np.dtype(type).itemsize
        with self._lock:
            if size > SMALL and self.taken + size > self.most:
                return self._in_file(name, type, length)
            self.taken += size
        array, memory = in_large_pages(type, length)
        weakref.finalize(memory, self._gone, size).atexit = False
        return array

    def _gone(self, size: int) -> None:
        with self._lock:
            self.taken -= size
