"""Monitors by plain code: states grouped by what was waited for."""

from __future__ import annotations

from bisect import bisect_left

from parsers.tptp.columns import FOR_LOCK, NONE, NOWHERE, SLEEPING
from parsers.tptp.plain_states import duration_of
from parsers.tptp.tables import Tables


def sum_up(tables: Tables) -> None:
    """Makes the tables of monitors, when all states are there."""
    column = tables.columns
    states: dict[int, list[int]] = {}
    for state, (thing, kind) in enumerate(zip(column["state_monitor"], column["state_kind"], strict=True)):
        if thing != NONE and kind != SLEEPING:
            states.setdefault(thing, []).append(state)
    for thing, own in states.items():
        tables.columns["monitor_first_state"].append(len(column["state_of_monitor"]))
        column["state_of_monitor"].extend(own)
        done = [state for state in own if column["state_end_offset"][state] != NOWHERE]
        blocked = [duration(tables, state) for state in done if column["state_kind"][state] == FOR_LOCK]
        waited = [duration(tables, state) for state in done if column["state_kind"][state] != FOR_LOCK]
        threads = len({column["state_thread"][state] for state in own})
        sums = sum(blocked), max(blocked, default=0), sum(waited)
        tables.add("monitor", thing, *sums, len(blocked), len(waited), threads)
    column["monitor_first_state"].append(len(column["state_of_monitor"]))
    firsts = [own[0] for own in states.values()]
    column["session_first_monitor"][:] = type(column["session_first_monitor"])(
        "I", [bisect_left(firsts, first) for first in column["session_first_state"]]
    )


def duration(tables: Tables, state: int) -> int:
    """How long a state lasted; 0 where that isn't told, and where it ends before it begins."""
    return max(duration_of(tables.columns["state_start"][state], tables.columns["state_end"][state]), 0)
