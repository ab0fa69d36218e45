"""The groups of the view "Roots" as arrays: as many groups as threads, with millions of roots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from parsers.heapdump.graph.labels import HeapDump
from parsers.model.distinct import begins

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

NO_THREAD = 0xFFFF_FFFF
"""No thread, in the column of threads."""
OF_DUMP, ALL_THREADS, OF_THREAD, OF_KIND = range(4)
"""Kinds of groups."""


class RootGroup(NamedTuple):
    """A dump, all threads, a thread, or a kind of roots."""

    what: int
    dump: HeapDump
    number: int
    """The id of a thread, or the number of a kind."""
    first: int
    """Its first root in the order."""
    roots: int

    @property
    def thread(self) -> int | None:
        """Id of the thread; None for other groups and unknown threads."""
        return self.number if self.what == OF_THREAD and self.number != NO_THREAD else None


class RootGroups(NamedTuple):
    """All groups in row order, as one array per field."""

    whats: I64Array
    dumps: I64Array
    numbers: I64Array
    firsts: I64Array
    roots: I64Array

    @classmethod
    def of(cls, dump: int, start: int, kinds: I64Array, threads: I64Array, has_dump_rows: bool) -> Self:
        """Returns the groups of a dump.

        start    number of roots in earlier dumps
        kinds    int64: kind of each ordered root that is not below a thread, else -1
        threads  int64: thread of each ordered root below a thread, else 0
        """
        borders = np.flatnonzero(begins(kinds, threads))
        counts, is_thread = np.diff(np.append(borders, len(kinds))), kinds[borders] < 0
        whats = np.where(is_thread, OF_THREAD, OF_KIND)
        numbers = np.where(is_thread, threads[borders], kinds[borders])
        above = [(OF_DUMP, len(kinds))] if has_dump_rows else []
        if is_thread.any():
            above.append((ALL_THREADS, int(counts[is_thread].sum())))
        over = np.array(above, np.int64).reshape(-1, 2)
        nothing = np.zeros(len(above), np.int64)
        return cls(
            np.concatenate([over[:, 0], whats]),
            np.full(len(above) + len(borders), dump),
            np.concatenate([nothing, numbers]),
            np.concatenate([nothing, borders]) + start,
            np.concatenate([over[:, 1], counts]),
        )

    @property
    def leaves(self) -> I64Array:
        """Returns the number of direct child rows of each group."""
        return np.where(self.whats >= OF_THREAD, self.roots, 0)

    def of_thread(self, thread: int) -> I64Array:
        """Returns the groups of a thread, one for each dump: int64[]."""
        return np.flatnonzero((self.whats == OF_THREAD) & (self.numbers == thread) & (thread != NO_THREAD))
