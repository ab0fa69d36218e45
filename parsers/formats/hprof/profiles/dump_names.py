"""Names of the dumps of a profile and of their comparisons, made when they are used: there may be very many dumps."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model.lazy_sequence import LazySequence
from parsers.profile.source import ARROW


class DumpNames(LazySequence[str]):
    """Some names; each dump; each one compared with the next; of more than two the last one with the first."""

    def __init__(self, first: Sequence[str], dumps: Sequence[int]) -> None:
        """dumps: two or more, by their numbers from 0"""
        self._first, self._dumps = first, dumps

    def __len__(self) -> int:
        dumps = len(self._dumps)
        return len(self._first) + 2 * dumps - (dumps == 2)

    def item(self, index: int) -> str:
        """Returns one name."""
        index -= len(self._first)
        if index < 0:
            return self._first[index]
        pair, dumps = index - len(self._dumps), self._dumps
        if pair < 0:
            return str(dumps[index] + 1)
        before, after = (pair, pair + 1) if pair < len(dumps) - 1 else (0, -1)
        return f"{dumps[before] + 1}{ARROW}{dumps[after] + 1}"
