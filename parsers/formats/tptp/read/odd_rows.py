"""Numbers of the names of unknown elements of a batch."""

from __future__ import annotations

from typing import Any


class OddRows:
    """Numbers of the names of a batch's unknown elements, which kernels and plain code add in file order."""

    def __init__(self, state: Any, numbers: Any) -> None:
        self._state = state
        self._numbers = numbers

    def append(self, number: int) -> None:
        """Adds a number."""
        count = self._state.odds
        self._numbers[count] = number
        self._state.odds = count + 1

    def rows(self) -> Any:
        """Returns all numbers."""
        return self._numbers[: self._state.odds]
