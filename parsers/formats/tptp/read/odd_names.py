"""Names of unknown elements of a recording, numbered by a kernel in the order of their first occurrence."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.read.session_state import ODD_NAMES, ODDS
from parsers.kernels.text_table import note_text, rehash
from parsers.kernels.vector import SLACK

FIRST = 1 << 10
"""Slots of the hash table at first."""


class OddNames:
    """The hash table of `text_table`. The number of names is in `session_state`."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self.slots = np.zeros(FIRST, np.uint64)
        self.starts = np.zeros(FIRST, np.uint64)
        self.blob = np.zeros(4 * MOST, np.uint8)
        self.texts: list[str] = []
        """All names, after `update`."""

    def grow(self) -> None:
        """Increases the capacity."""
        slots, starts, blob = self.slots, self.starts, self.blob
        self.slots = np.zeros(2 * len(slots), np.uint64)
        self.starts = np.zeros(2 * len(starts), np.uint64)
        self.starts[: len(starts)] = starts
        self.blob = np.zeros(2 * len(blob), np.uint8)
        self.blob[: len(blob)] = blob
        rehash(slots, self.slots, self.starts, self.blob)

    def number(self, name: str) -> int:
        """Returns the number of a name, which may be new."""
        text, known = name.encode("utf-8", "replace"), int(self._state[ODD_NAMES])
        while 2 * known >= len(self.slots) or int(self.starts[known]) + len(text) + 2 * SLACK > len(self.blob):
            self.grow()
        data = np.zeros(len(text) + SLACK, np.uint8)
        data[: len(text)] = np.frombuffer(text, np.uint8)
        number = int(note_text(self.slots, self.starts, self.blob, known, data, len(text)))
        self._state[ODD_NAMES] = max(known, number + 1)
        return number

    def update(self) -> None:
        """Adds new names to `texts`."""
        first, count = len(self.texts), int(self._state[ODD_NAMES])
        if count > first:
            starts = self.starts[first : count + 1].tolist()
            whole = self.blob[starts[0] : starts[-1]].tobytes()
            base = starts[0]
            for start, end in pairwise(starts):
                self.texts.append(whole[start - base : end - base].decode("utf-8", "replace"))


class OddRows:
    """Numbers of the names of a batch's unknown elements, which kernels and plain code add in file order."""

    def __init__(self, state: Any, numbers: Any) -> None:
        self._state = state
        self._numbers = numbers

    def append(self, number: int) -> None:
        """Adds a number."""
        count = self._state[ODDS]
        self._numbers[count] = number
        self._state[ODDS] = count + 1

    def rows(self) -> Any:
        """Returns all numbers."""
        return self._numbers[: self._state[ODDS]]
