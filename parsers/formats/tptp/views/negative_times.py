"""Negative times: calls and states that end before they begin, because clocks step back.

Times are summed as recorded, with their signs. So self times of calls add up to the time of their outermost calls.
Where two clocks of an agent disagree by less than the coarser step, the excess of one call is missing in another.
No correction preserves that. An event earlier than its predecessor does not prove a clock step: a class definition has
the moment when the class was loaded. Later events are not late by the same amount.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.schema.columns import FOR_LOCK, IS_NEGATIVE, IS_NEGATIVE_BASE, NEVER, NOWHERE
from parsers.model.none import NONE
from parsers.profile.merge import sums_of

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array

NODE, TOOK, BASE = "negative_node", "negative_node_took", "negative_node_base"
"""Call paths with negative times, ascending: uint32. Sums of the negative total times and of the negative self times of
their calls in nanoseconds: int64.
"""


def differences(starts: I64Array, ends: I64Array) -> I64Array:
    """Returns nanoseconds between moments: int64; 0 if one is missing, the smallest number if it overflows."""
    found = np.where((starts == NEVER) | (ends == NEVER), 0, ends - starts)
    return np.where((ends < starts) & (found > 0), np.int64(NEVER), found)


def negative_calls(recording: TraceRecording, rows: range | None = None) -> tuple[I64Array, I64Array, I64Array]:
    """Returns rows, negative total times and negative self times of calls that end before they begin or take less time
    than their callees.
    """
    rows = range(recording.rows("call")) if rows is None else rows
    flags = recording.numbers("call_flags", rows)
    found = np.flatnonzero(flags & (IS_NEGATIVE | IS_NEGATIVE_BASE)) + rows.start
    start, end, base = (recording.numbers(f"call_{name}", found) for name in ("start", "end", "base"))
    return found, np.minimum(differences(start, end), 0), np.minimum(base, 0)


def negative_nodes(recording: TraceRecording) -> dict[str, AnyArray]:
    """Returns the arrays of NODE, TOOK and BASE."""
    rows, *times = negative_calls(recording)
    nodes, places = np.unique(recording.numbers("call_node", rows), return_inverse=True)
    took, base = sums_of(times, places.reshape(-1), len(nodes))
    return {NODE: nodes.astype(np.uint32), TOOK: took, BASE: base}


def negative_bases(recording: TraceRecording, rows: range) -> Mapping[int, int]:
    """Returns the sum of negative self times by method."""
    calls, _, bases = negative_calls(recording, rows)
    found: dict[int, int] = {}
    for method, base in zip(recording.numbers("call_method", calls).tolist(), bases.tolist(), strict=True):
        found[method] = found.get(method, 0) + base
    return found


class NegativeStates:
    """States that end before they begin, among some rows."""

    def __init__(self, recording: TraceRecording, rows: range | None = None) -> None:
        rows = range(recording.rows("state")) if rows is None else rows
        starts, ends = (recording.numbers(name, rows) for name in ("state_start", "state_end"))
        found = np.flatnonzero(ends < starts)
        before = found + rows.start
        is_known = (ends[found] != NEVER) & (recording.numbers("state_end_offset", before) != NOWHERE)
        self.rows = before[is_known]
        self.took = differences(starts[found[is_known]], ends[found[is_known]])
        self._recording = recording

    def by(self, name: str) -> Mapping[int, tuple[int, int]]:
        """Returns their number and the sum of their durations, by the values of a column of states."""
        keys = self._recording.numbers(name, self.rows).tolist()
        found: dict[int, tuple[int, int]] = {}
        for key, took in zip(keys, self.took.tolist(), strict=True):
            count, sum = found.get(key, (0, 0))
            found[key] = count + 1, sum + took
        return {key: sums for key, sums in found.items() if key != NONE}

    @property
    def sums(self) -> Mapping[str, int]:
        """Sums of waits for locks ("block") and of other waits ("wait"), if there are any."""
        is_lock = self._recording.numbers("state_kind", self.rows) == FOR_LOCK
        found = {"block": self.took[is_lock].tolist(), "wait": self.took[~is_lock].tolist()}
        return {name: sum(took) for name, took in found.items() if took}
