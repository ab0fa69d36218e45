"""An index in memory, of a report that is too small to store one: the same arrays, read in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.store import CODES, Array, Header, IndexReader

if TYPE_CHECKING:
    from parsers.model.report import Problem


class MemoryWriter:
    """Takes arrays as `Writer` does, each in one piece."""

    def __init__(self) -> None:
        self._arrays: dict[str, Any] = {}

    def open(self, name: str, type: str) -> None:
        """Creates an empty array."""
        self._arrays[name] = np.empty(0, np.dtype(type))

    def put(self, name: str, place: int, values: Any) -> None:
        """Fills an array."""
        assert place == 0, "arrays in memory are written in one piece"
        self.save(name, values)

    def length(self, name: str, length: int) -> None:
        """Does nothing: an array has the length of its content."""

    def save(self, name: str, values: Any) -> None:
        """Adds a complete array."""
        self._arrays[name] = np.ascontiguousarray(values)

    def drop(self, name: str) -> None:
        """Removes an array that only a growing index needs."""
        del self._arrays[name]

    def reader(
        self, format: str, rows: int, totals: Mapping[str, Any], facts: Mapping[str, Any],
        problems: tuple[Problem, ...], problem_count: int,
    ) -> IndexReader:  # fmt: skip
        """Returns the finished index."""
        arrays = {name: Array(array.dtype.str[1:], len(array), 0, 0) for name, array in self._arrays.items()}
        header = Header(format, {}, 0, rows, arrays, totals, facts, problems, problem_count, 0.0, "")
        views = {
            name: memoryview(array.view(np.uint8)).cast(CODES[arrays[name].type])
            for name, array in self._arrays.items()
            if len(array)
        }
        return IndexReader("", header, views)
