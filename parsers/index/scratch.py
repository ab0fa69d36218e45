"""Temporary tables: in memory, or in files that are freed when their last user releases them.

Pages of such files belong to the disk cache: if memory is short they are written out, and no process is killed. But a
new one costs five times as much as memory in large pages. So as many tables as possible are in memory.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.large_pages import in_large_pages

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

Scratch = Callable[[str, str, int], Any]
"""Function of a name, a type and a length that returns an array of zeros."""
BYTES_PER_ENTRY = 10
"""Bytes of memory allowed for each object and each reference."""
SMALL = 1 << 20
"""Bytes of a table that is too small for a file."""


def anonymous(name: str, type: str, length: int) -> AnyArray:
    """An array in memory."""
    return np.zeros(length, np.dtype(type))


class TableMemory:
    """Tables in memory as long as all of them take no more than `most` bytes, else in files.

    in_file  makes a table in a file
    """

    def __init__(self, in_file: Scratch) -> None:
        self._in_file = in_file
        self._lock = threading.RLock()
        self.most = 0
        self.allocated = 0
        """Bytes of the tables in memory that are in use."""

    def allow(self, objects: int, references: int = 0) -> None:
        """Sets the limit for a heap of this size."""
        self.most = BYTES_PER_ENTRY * (objects + references)

    def make(self, name: str, type: str, length: int) -> Any:
        """A table of zeros. Its memory is freed with the array."""
        size = length * np.dtype(type).itemsize
        with self._lock:
            if size > SMALL and self.allocated + size > self.most:
                return self._in_file(name, type, length)
            self.allocated += size
        array, memory = in_large_pages(type, length)
        weakref.finalize(memory, self._freed, size).atexit = False
        return array

    def _freed(self, size: int) -> None:
        with self._lock:
            self.allocated -= size
