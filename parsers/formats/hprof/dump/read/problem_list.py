"""Problems of a binary file: the first ones of each kind, their number, and runs of equal ones as one.

A file may have a million problems, so the list is bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import KEPT_PROBLEMS
from parsers.model.late import numpy as np
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

KIND, NUMBER, OFFSET, START, END = range(5)
"""Columns of the problems that kernels find: number of the kind, a number belonging to it, offset, the lost bytes."""
UNKNOWN_TAG, CUT, RESUMED = range(3)
"""Kinds of unreadable sub-records: unknown tag; cut or impossible. RESUMED is added if others after it are read."""
LEAST_LOST = 1 << 12
"""Fewest bytes after an unreadable sub-record in which others are searched."""


class ProblemList:
    """A bounded list of problems, added in file order; their file is not named."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Number of problems by kind; a run counts as one."""
        self._kept: list[Problem] = []
        self._repeated: dict[int, int] = {}
        """Length of each retained run, by its index in `_kept`."""
        self._last_key, self._last_end, self._last_place = ("", ""), -1, -1

    def add(self, offset: int, kind: str, what: str, done: str, start: int = -1, end: int = -2, times: int = 1) -> None:
        """Adds one. If it is like the last one and begins where that ended, both are a run.

        start, end  bytes that are lost by it; without them it is never part of a run
        times       length of the run that this is already
        """
        if start == self._last_end and (kind, what) == self._last_key:
            self._last_end = end
            if self._last_place >= 0:
                self._repeated[self._last_place] = self._repeated.get(self._last_place, 1) + times
            return
        self._last_key, self._last_end, self._last_place = (kind, what), end, -1
        self.counts[kind] += 1
        if self.counts[kind] <= KEPT_PROBLEMS:
            self._last_place = len(self._kept)
            self._kept.append(Problem(kind, what, done, offset=offset))
            if times > 1:
                self._repeated[self._last_place] = times

    def add_all(self, rows: I64Array, words: Callable[[int, int], tuple[str, str, str]]) -> None:
        """Adds many: those that can be kept one by one, the others are counted.

        rows   int64[n, 5] with the columns KIND to END
        words  kind, text and what was done, by the first two
        """
        is_same = (rows[1:, :OFFSET] == rows[:-1, :OFFSET]).all(axis=1) & (rows[1:, START] == rows[:-1, END])
        firsts = np.flatnonzero(np.append(True, ~is_same)[: len(rows)])
        times, lasts = np.diff(np.append(firsts, len(rows))), np.append(firsts[1:], len(rows)) - 1
        is_added = np.zeros(len(firsts), bool)
        is_added[:1] = is_added[-1:] = True
        only_counted: Counter[str] = Counter()
        for kind in range(int(rows[:, KIND].max(initial=-1)) + 1):
            places = np.flatnonzero(rows[firsts, KIND] == kind)
            if len(places):
                name = words(kind, int(rows[firsts[places[0]], NUMBER]))[0]
                is_added[places[: max(KEPT_PROBLEMS - self.counts[name], 0)]] = True
                only_counted[name] += int(np.count_nonzero(~is_added[places]))
        for place in np.flatnonzero(is_added).tolist():
            kind, number, offset, start, _ = rows[firsts[place]].tolist()
            self.add(offset, *words(kind, number), start, int(rows[lasts[place], END]), int(times[place]))
        self.counts += only_counted

    @property
    def kept(self) -> list[Problem]:
        """Returns the first problems of each kind, in file order."""
        return [
            replace(each, what=f"{each.what}, {self._repeated[place]:,} times in a row")
            if place in self._repeated
            else each
            for place, each in enumerate(self._kept)
        ]

    def without(self, offsets: set[int | None]) -> ProblemList:
        """Returns all that are not at one of some offsets; those that are not listed count as such."""
        found = ProblemList()
        for each in self._kept:
            if each.offset not in offsets:
                found.add(each.offset or 0, each.kind, each.what, each.done)
        found.counts.update({kind: max(count - KEPT_PROBLEMS, 0) for kind, count in self.counts.items()})
        return found

    @property
    def is_cut(self) -> bool:
        """True if something is missing."""
        return self.counts["cut"] > 0


def first_of(parts: Iterable[ProblemList]) -> list[Problem]:
    """Returns the first problems of each kind, of several readers of one file, by offset."""
    found = sorted((problem for part in parts for problem in part.kept), key=lambda problem: problem.offset or 0)
    seen: Counter[str] = Counter()
    kept = []
    for problem in found:
        seen[problem.kind] += 1
        if seen[problem.kind] <= KEPT_PROBLEMS:
            kept.append(problem)
    return kept
