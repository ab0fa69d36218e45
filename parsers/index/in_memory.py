"""An index in memory, of a report that is too small to store one: the same arrays, read in the same way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray
    from parsers.model.report import Problem


class MemoryIndex:
    """Takes arrays as `Writer` does, each in one piece, and gives them as `IndexReader` does."""

    is_complete = True

    def __init__(
        self, rows: int, totals: Mapping[str, Any], facts: Mapping[str, Any], problems: tuple[Problem, ...],
        problem_count: int,
    ) -> None:  # fmt: skip
        self.rows = rows
        self.totals, self.facts = totals, facts
        self.problems, self.problem_count = problems, problem_count
        self._arrays: dict[str, Any] = {}

    def open(self, name: str, type: str) -> None:
        """Creates an empty array."""
        self._arrays[name] = np.empty(0, np.dtype(type))

    def put(self, name: str, place: int, values: AnyArray) -> None:
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

    @property
    def names(self) -> Collection[str]:
        """Names of the arrays."""
        return self._arrays.keys()

    def has(self, name: str) -> bool:
        """True if the array exists."""
        return name in self._arrays

    def type(self, name: str) -> str:
        """Type of an array, as numpy calls it."""
        return str(self._arrays[name].dtype.str[1:])

    def view(self, name: str) -> memoryview:
        """An array. Raises `KeyError`."""
        return memoryview(self._arrays[name])
