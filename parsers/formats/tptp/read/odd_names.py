"""Names that are not in the vocabulary, numbered by a kernel in the order of their first occurrence."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from parsers.formats.tptp.read.kernels.ordered_arrays import NameSlots
from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.read.session_state import SessionState
from parsers.kernels.text_table import note_text, rehash
from parsers.kernels.vector import SLACK

FIRST = 1 << 10
"""Slots of the hash table at first."""


class OddNames:
    """The hash table of `text_table`. The number of names is in `session_state`."""

    def __init__(self, state: SessionState, count: str) -> None:
        """count: attribute of `state` with their number"""
        self._state, self._count = state, count
        self.slots = np.zeros(FIRST, np.uint64)
        self.starts = np.zeros(FIRST, np.uint64)
        self.blob = np.zeros(4 * MOST, np.uint8)
        self.texts: list[bytes] = []
        """All of them, after `update`."""

    @property
    def table(self) -> NameSlots:
        """The arrays, as kernels take them."""
        return NameSlots(self.slots, self.starts, self.blob)

    def grow(self, length: int = MOST) -> None:
        """Ensures room for another name of so many bytes."""
        slots, starts, blob = self.slots, self.starts, self.blob
        known = int(getattr(self._state, self._count))
        used = int(starts[known])
        if used + length + 2 * SLACK > len(blob):
            self.blob = np.zeros(2 * len(blob) + length, np.uint8)
            self.blob[:used] = blob[:used]
        if 2 * known >= len(slots) or known + 2 >= len(starts):
            self.slots = np.zeros(2 * len(slots), np.uint64)
            self.starts = np.zeros(2 * len(starts), np.uint64)
            self.starts[: known + 1] = starts[: known + 1]
            rehash(slots, self.slots, self.starts, self.blob)

    def number(self, text: bytes) -> int:
        """Number of a name, which may be new."""
        self.grow(len(text))
        known = int(getattr(self._state, self._count))
        data = np.zeros(len(text) + SLACK, np.uint8)
        data[: len(text)] = np.frombuffer(text, np.uint8)
        number = int(note_text(self.slots, self.starts, self.blob, known, data, len(text)))
        setattr(self._state, self._count, max(known, number + 1))
        return number

    def update(self) -> None:
        """Adds new names to `texts`."""
        first, count = len(self.texts), int(getattr(self._state, self._count))
        if count > first:
            starts = self.starts[first : count + 1]
            whole = self.blob[int(starts[0]) : int(starts[-1])].tobytes()
            ends = (starts - starts[0]).tolist()
            self.texts += [whole[start:end] for start, end in pairwise(ends)]


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
