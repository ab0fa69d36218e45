"""Totals of a recording, session by session, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.heap.totals import call_totals, collection_totals, heap_totals, number_or_none
from parsers.formats.tptp.schema.columns import IS_UNKNOWN_ELEMENT, NOWHERE, SESSION_ENDS
from parsers.formats.tptp.threads.thread_totals import MOST_ROWS, TraceWaits, thread_totals
from parsers.formats.tptp.views.negative_times import NegativeStates, negative_calls
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import I64Array

UNRESOLVED = ("thread", "class", "method", "object")
NEGATIVE = ("block", "wait", "call")
CALLS_ALONE = ("exits_without_entry", "exits_alone"), ("entries_without_exit", "entries_alone")
WAITS_ALONE = ("entered_without_enter", "entered_alone"), ("waited_without_wait", "waited_alone")
LEAST_ROWS = 100
"""Names of elements that each of very many sessions lists at most. The format has fewer."""

Dumps = Callable[[], Sequence[Mapping[str, Any]]]
"""Facts of heap dumps that are not in their tables, by row. A callable, since they may still be being computed."""


def sessions_of(recording: TraceRecording, counted: I64Array, dumps: Dumps) -> list[dict[str, Any]]:
    """Returns all sessions with their totals. counted: see `class_sums.count_at_end`"""
    return [session_totals(recording, session, counted, dumps) for session in range(recording.sessions)]


def session_totals(recording: TraceRecording, session: int, counted: I64Array, dumps: Dumps) -> dict[str, Any]:
    """Returns the totals of one session."""
    facts = recording.facts["sessions"][session]
    counts = facts["counts"]
    waits, negative_ns = TraceWaits(recording, session), negative_sums(recording, session)
    elements, unknown = element_counts(recording, session)
    totals: dict[str, Any] = {
        "end": SESSION_ENDS[recording.column("session_state")[session]],
        "last_good_offset": int(recording.column("session_end")[session]) - facts.get("start", 0),
        "elements_total": counts["elements"],
        "elements": elements,
        "unknown_elements": unknown,
        "recordings": elements.get("traceStart", 0),
        "time": {
            "first": number_or_none(recording.column("session_first_moment")[session]),
            "earliest": number_or_none(recording.column("session_earliest")[session]),
            "latest": number_or_none(recording.column("session_latest")[session]),
            "steps_back_within_a_thread": counts["steps_back"],
            "negative": {name: counts[f"negative_{name}"] for name in NEGATIVE if counts[f"negative_{name}"]},
            **({"negative_ns": negative_ns} if negative_ns else {}),
        },
        "ids": {
            "redefined_while_live": counts["redefined"],
            "came_back_as_same_kind": counts["came_back_as_same"],
            "came_back_as_other_kind": counts["came_back_as_other"],
            "unresolved_references": {
                name: counts[f"undefined_{name}"] for name in UNRESOLVED if counts[f"undefined_{name}"]
            },
        },
        "threads": thread_totals(recording, session),
        "still_blocked": waits.still_blocked(),
        "still_waiting": waits.still_waiting(),
        "deadlocks": waits.deadlocks(),
        "deadlock_victims": waits.victims(),
        **waits.monitors(),
        **{name: counts[count] for name, count in WAITS_ALONE if counts[count]},
    }
    if recording.session_rows(session, "object") or recording.session_rows(session, "collection"):
        totals["heap"] = heap_totals(recording, session, counted) | collection_totals(recording, session, counts)
    if recording.session_rows(session, "dump"):
        known = dumps()
        totals["dumps"] = [dict(known[row]) for row in recording.session_rows(session, "dump") if row < len(known)]
    if recording.session_rows(session, "call"):
        alone = {name: counts[count] for name, count in CALLS_ALONE if counts[count]}
        totals["calls"] = call_totals(recording, session, counts["deepest"], alone)
    return totals


def negative_sums(recording: TraceRecording, session: int) -> dict[str, int]:
    """Returns the sums of negative times: of calls, of self times, of waits; only those that exist."""
    states, calls = (recording.session_rows(session, table) for table in ("state", "call"))
    found = dict(NegativeStates(recording, states).sums) if states else {}
    if not calls:
        return found
    _, took, bases = negative_calls(recording, calls)
    return found | {name: int(times.sum()) for name, times in (("call", took), ("base", bases)) if times.any()}


def runs_of(recording: TraceRecording, sessions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns the sessions as runs, each named by its zip member, else by its start time."""
    members = recording.column("session_member")
    found = []
    for number, totals in enumerate(sessions):
        name = recording.text(members[number]) if members[number] != NONE else f"session {number + 1}"
        found.append({"name": name, "totals": dict(totals)})
    return found


def file_totals(recording: TraceRecording, sessions: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Returns the counts of the whole file."""
    found = {
        "sessions": len(sessions),
        "elements": sum(each["elements_total"] for each in sessions),
        "threads": int(sum(offset != NOWHERE for offset in recording.column("thread_offset"))),
        "deadlocks": sum(len(each["deadlocks"]) for each in sessions),
        "collections": recording.rows("collection"),
        "dumps": recording.rows("dump"),
        "calls": sum(each["calls"]["entries"] for each in sessions if "calls" in each),
    }
    for name in ("total", "live", "collected", "total_size", "active_size"):
        found[f"objects_{name}"] = sum(each["heap"]["totals"][name] for each in sessions if "heap" in each)
    return found


def element_counts(recording: TraceRecording, session: int) -> tuple[dict[str, int], dict[str, int]]:
    """Returns the number of elements by name, and the same for unknown elements."""
    rows = recording.session_rows(session, "counted")
    elements, place = np.unique(recording.numbers("counted_element", rows), return_inverse=True)
    counted = recording.numbers("counted", rows)
    most = max(MOST_ROWS // recording.sessions, LEAST_ROWS)
    sums = np.bincount(place, counted, len(elements)).astype(np.int64)[:most].tolist()
    names, flags = (recording.numbers(f"element_{name}", elements[:most]).tolist() for name in ("name", "flags"))
    texts = list(map(recording.text, names))
    unknown = {text: sum for text, sum, flag in zip(texts, sums, flags, strict=True) if flag & IS_UNKNOWN_ELEMENT}
    return dict(zip(texts, sums, strict=True)), unknown
