"""Costs of each method, in total and by thread: sums of methods, call paths and calls by label, session by session.

A *unit* is all methods of one label in one session: reloading a class defines its methods again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.schema.columns import NEVER, NO_ENTRY
from parsers.formats.tptp.views import negative_times
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array, U16Array

SUMS = ("base", "cumulative", "overhead", "calls", "returned", "count")
"""Columns of methods that add up."""
MOST_UNUSED = 16
"""Maximum size of a table of all pairs of thread and unit, as a multiple of the number of call paths."""


class MethodTable:
    """The table of one recording, which must be complete."""

    def __init__(self, recording: TraceRecording, names: TraceNames) -> None:
        self._recording, self._column = recording, recording.numbers
        self._names = names

    # -- units --------------------------------------------------------------------------------------------------------

    @cached_property
    def _units(self) -> tuple[I64Array, I64Array]:
        """Code of each unit, and the unit by row of methods."""
        labels = self._names.method_groups[1]
        session = self._recording.sessions_of("method", range(len(labels)))
        codes, unit = np.unique(session << 32 | labels, return_inverse=True)
        return codes, unit.reshape(-1)

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self._units[0])

    @property
    def unit_of(self) -> I64Array:
        """Unit by row of methods."""
        return self._units[1]

    @property
    def sessions(self) -> I64Array:
        """Session by unit."""
        return self._units[0] >> 32

    def label(self, unit: int) -> str:
        """Returns the label of a unit: `holder.name(types):type`."""
        return self._names.method_groups[0][int(self._units[0][unit]) & 0xFFFF_FFFF]

    @cached_property
    def labels(self) -> Sequence[str]:
        """Labels of all units."""
        return [self.label(unit) for unit in range(self.units)]

    def rows(self, unit: int) -> Sequence[int]:
        """Returns the rows of a unit in methods."""
        return np.flatnonzero(self.unit_of == unit).tolist()

    @cached_property
    def sums(self) -> dict[str, AnyArray]:
        """By name of SUMS, by unit: int64; also the number of exits without entry, and the negative parts of times."""
        found = {name: self._added(self.unit_of, self._column(f"method_{name}"), self.units) for name in SUMS}
        alone = np.flatnonzero(self._column("call_flags") & NO_ENTRY)
        units = self.unit_of[self._column("call_method")[alone]] if len(alone) else np.empty(0, np.int64)
        negative = self._negative(self._node_units, self.units) if self._has_calls else {}
        return {**found, "no_entry": np.bincount(units, minlength=self.units), **negative}

    @property
    def _has_calls(self) -> bool:
        """True if calls were recorded, not only counted."""
        return self._recording.rows("call") > 0

    def _negative(self, places: AnyArray, count: int) -> dict[str, AnyArray]:
        """Returns the negative parts of base and cumulative time, by position of call paths; empty without calls."""
        nodes = self._column(negative_times.NODE)
        if not len(nodes):
            return {}
        took = np.where(self._column("node_is_outermost")[nodes], self._column(negative_times.TOOK), 0)
        of_nodes = {"negative": self._column(negative_times.BASE), "negative_cumulative": took}
        return {name: self._added(places[nodes], values, count) for name, values in of_nodes.items()}

    @staticmethod
    def _added(places: AnyArray, values: AnyArray, count: int) -> I64Array:
        """Returns exact sums by position."""
        sums = np.zeros(count, np.int64)
        np.add.at(sums, places, values.astype(np.int64))
        return sums

    # -- by thread ----------------------------------------------------------------------------------------------------

    @cached_property
    def pairs(self) -> tuple[AnyArray, dict[str, AnyArray]]:
        """Codes `thread << 32 | unit` of all threads and the units they called, ascending, and their sums."""
        units = max(self.units, 1)
        nodes = self._column("node_thread").astype(np.int64) * units + self._node_units
        possible = self._recording.rows("thread") * units
        if possible <= MOST_UNUSED * len(nodes):
            # Most threads call most methods: a table of all pairs is faster than sorting the call paths.
            there = np.zeros(possible, np.bool_)
            there[nodes] = True
            pairs, places = np.flatnonzero(there), np.cumsum(there, dtype=np.uint32) - np.uint32(1)
            place = places[nodes]
        else:
            pairs, place = np.unique(nodes, return_inverse=True)
        codes, count = pairs // units << 32 | pairs % units, len(pairs)
        names = ("base", "overhead", "calls")
        sums = {name: self._added(place, self._column(f"node_{name}"), count) for name in names}
        outer = np.flatnonzero(self._column("node_is_outermost")) if self._has_calls else np.zeros(0, np.int64)
        sums["cumulative"] = self._added(place[outer], self._column("node_cumulative")[outer], count)
        returned = (self._column("call_end") != NEVER) & (self._column("call_flags") & NO_ENTRY == 0)
        of_calls = self._column("call_node")[returned]
        sums["returned"] = np.bincount(place[of_calls[of_calls != NONE]], minlength=count)
        return codes, sums | (self._negative(place, count) if self._has_calls else {})

    @cached_property
    def pair_threads(self) -> I64Array:
        """Row of threads by pair."""
        return self.pairs[0] >> 32

    @cached_property
    def pair_units(self) -> I64Array:
        """Unit by pair."""
        return self.pairs[0] & 0xFFFF_FFFF

    # -- callers and callees ------------------------------------------------------------------------------------------

    @cached_property
    def _node_units(self) -> U16Array:
        return self._small[self._column("node_method")]

    @cached_property
    def _small(self) -> U16Array:
        """Unit by row of methods, and one more entry for none; in the narrowest type, as there are many paths."""
        units: AnyArray = np.append(self.unit_of, self.units)
        return units.astype(np.uint16 if self.units < 65_535 else np.uint32)

    @cached_property
    def _caller_units(self) -> U16Array:
        """Calling unit by call path; `units` for outermost ones."""
        above = self._column("node_parent")
        return np.append(self._node_units, self._small[-1:])[np.minimum(above, len(above))]

    def callers(self, unit: int) -> list[tuple[int, int, int]]:
        """Returns the units that call a unit (-1: unknown caller), with calls and time, the longest first."""
        nodes = np.flatnonzero(self._node_units == unit)
        units = self._caller_units[nodes].astype(np.int64)
        return self._summed(np.where(units == self.units, -1, units), nodes)

    def callees(self, unit: int) -> list[tuple[int, int, int]]:
        """Returns the units that a unit calls, with calls and time, the longest first."""
        nodes = np.flatnonzero(self._caller_units == unit)
        return self._summed(self._node_units[nodes].astype(np.int64), nodes)

    def _summed(self, units: I64Array, nodes: I64Array) -> list[tuple[int, int, int]]:
        found, place = np.unique(units, return_inverse=True)
        calls = self._added(place.reshape(-1), self._column("node_calls")[nodes], len(found))
        took = self._added(place.reshape(-1), self._column("node_cumulative")[nodes], len(found))
        order = np.lexsort((-calls, -took))
        return list(zip(found[order].tolist(), calls[order].tolist(), took[order].tolist(), strict=True))

    def calls(self, unit: int) -> I64Array:
        """Returns the rows of calls of a unit."""
        methods = np.array(self.rows(unit))
        of_calls = self._column("call_method")
        return np.flatnonzero(of_calls == methods[0] if len(methods) == 1 else np.isin(of_calls, methods))
