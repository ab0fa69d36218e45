"""Monitors by plain code: states grouped by the monitor that was waited for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import reduce

from parsers.formats.tptp.join.plain.states import duration_of
from parsers.formats.tptp.join.tables import TraceTables, fitting
from parsers.formats.tptp.schema.columns import FOR_LOCK, NOWHERE, SLEEPING
from parsers.model.none import NONE


def sum_up(tables: TraceTables) -> None:
    """Builds the tables of monitors after all states are known."""
    column = tables.columns
    states: dict[int, list[int]] = {}
    for state, (entity, kind) in enumerate(zip(column["state_monitor"], column["state_kind"], strict=True)):
        if entity != NONE and kind != SLEEPING:
            states.setdefault(entity, []).append(state)
    for entity, own in states.items():
        tables.columns["monitor_first_state"].append(len(column["state_of_monitor"]))
        column["state_of_monitor"].extend(own)
        done = [state for state in own if column["state_end_offset"][state] != NOWHERE]
        blocked = [duration(tables, state) for state in done if column["state_kind"][state] == FOR_LOCK]
        waited = [duration(tables, state) for state in done if column["state_kind"][state] != FOR_LOCK]
        threads = len({column["state_thread"][state] for state in own})
        sums = added(blocked), max(0, *blocked) if blocked else 0, added(waited)
        tables.add("monitor", entity, *sums, len(blocked), len(waited), threads)
    column["monitor_first_state"].append(len(column["state_of_monitor"]))
    firsts = [own[0] for own in states.values()]
    column["session_first_monitor"][:] = type(column["session_first_monitor"])(
        "I", [bisect_left(firsts, first) for first in column["session_first_state"]]
    )


def duration(tables: TraceTables, state: int) -> int:
    """Returns the duration of a state in ns, negative if it ends before it begins; 0 if unknown."""
    return duration_of(tables.columns["state_start"][state], tables.columns["state_end"][state])


def added(durations: Iterable[int]) -> int:
    """Returns the sum of durations, saturated to 64 bits at each step."""
    return reduce(lambda sum, duration: fitting("q", sum + duration), durations, 0)
