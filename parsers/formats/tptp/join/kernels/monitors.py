"""Kernels that sum up monitors. Twin: `join.plain.monitors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.join.kernels.ids import minus, plus
from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, NOWHERE, SLEEPING
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import number_of_key
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

BLOCKED, LONGEST, WAITED = range(3)
"""Rows of `times`."""
CONTENDED, WAITS, THREADS = range(3)
"""Rows of `counts`."""


@part
def duration_of(state: Any) -> int:
    """Returns the duration of a state in ns, negative if it ends before it begins; 0 if unknown."""
    if state.start == NEVER or state.end == NEVER:
        return int64(0)
    return minus(state.end, state.start)


@kernel
def number_monitors(states: AnyArray, slots: U32Array, monitors: U32Array, entities: U32Array) -> int:
    """Numbers the monitors of states by their first state in file order; returns the number of monitors.

    slots     uint32[2^k]  zero: more than twice the states
    monitors  uint32[n]    filled: by state; NONE
    entities    uint32[n]    filled: by number
    """
    count = int64(0)
    for state in range(len(monitors)):
        entity = int64(states[state].monitor)
        monitors[state] = NONE
        if entity == NONE or states[state].kind == SLEEPING:
            continue
        monitor = number_of_key(slots, entities, entity, count)
        count += int64(monitor == count)
        monitors[state] = monitor
    found: int = count
    return found


@kernel
def sum_monitors(
    states: AnyArray, firsts: U32Array, order: U32Array, seen: U32Array, times: I64Array, counts: U32Array
) -> None:
    """Computes sums of monitors.

    firsts, order  first state of each monitor in `order`: states by monitor
    seen           uint32[threads]  zero: scratch
    times          int64[3, m]      zero; filled: blocked, longest, waited
    counts         uint32[3, m]     zero; filled: contended, waits, threads
    """
    for monitor in range(len(firsts) - 1):
        for place in range(firsts[monitor], firsts[monitor + 1]):
            state = states[order[place]]
            thread = int64(state.thread)
            if seen[thread] != monitor + 1:
                seen[thread] = monitor + 1
                counts[THREADS, monitor] += 1
            if state.end_offset == uint64(NOWHERE):
                continue
            took = duration_of(state)
            if state.kind == FOR_LOCK:
                times[BLOCKED, monitor] = plus(times[BLOCKED, monitor], took)
                times[LONGEST, monitor] = max(times[LONGEST, monitor], took)
                counts[CONTENDED, monitor] += 1
            else:
                times[WAITED, monitor] = plus(times[WAITED, monitor], took)
                counts[WAITS, monitor] += 1
