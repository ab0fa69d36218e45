"""Damage of a binary file: the first troubles of each kind, their number, and runs of equal ones as one.

A file may have a million troubles, so the list is bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from parsers.formats.hprof.columns import KEPT_FINDINGS


@dataclass(frozen=True, slots=True)
class Trouble:
    """Damage at a byte offset of the file, and how it was handled."""

    offset: int
    kind: str
    what: str
    done: str


class Troubles:
    """A bounded list of damage, added in file order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Number of troubles by kind; a run counts as one."""
        self._kept: list[Trouble] = []
        self._repeated: dict[int, int] = {}
        """Length of each retained run, by its index in `_kept`."""
        self._last_key, self._last_end, self._last_place = ("", ""), -1, -1

    def add(self, offset: int, kind: str, what: str, done: str, start: int = -1, end: int = -2) -> None:
        """Adds a trouble. If it is like the last one and begins where that ended, both form a run.

        start, end  bytes that are lost; without them it is never part of a run
        """
        if start == self._last_end and (kind, what) == self._last_key:
            self._last_end = end
            if self._last_place >= 0:
                self._repeated[self._last_place] = self._repeated.get(self._last_place, 1) + 1
            return
        self._last_key, self._last_end, self._last_place = (kind, what), end, -1
        self.counts[kind] += 1
        if self.counts[kind] <= KEPT_FINDINGS:
            self._last_place = len(self._kept)
            self._kept.append(Trouble(offset, kind, what, done))

    @property
    def kept(self) -> list[Trouble]:
        """Returns the first troubles of each kind, in file order."""
        return [
            replace(each, what=f"{each.what}, {self._repeated[place]:,} times in a row")
            if place in self._repeated
            else each
            for place, each in enumerate(self._kept)
        ]

    @property
    def is_cut(self) -> bool:
        """True if something is missing."""
        return self.counts["cut"] > 0


def first_of(parts: Iterable[Troubles]) -> list[Trouble]:
    """Returns the first troubles of each kind, of several readers of one file, by offset."""
    found = sorted((trouble for part in parts for trouble in part.kept), key=lambda trouble: trouble.offset)
    seen: Counter[str] = Counter()
    kept = []
    for trouble in found:
        seen[trouble.kind] += 1
        if seen[trouble.kind] <= KEPT_FINDINGS:
            kept.append(trouble)
    return kept
