"""Facts that a recording states about itself: agents, options, filters, clock, missing parts and the reasons.

They include host names, addresses and paths, which are left out unless requested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.schema.columns import NEVER, SESSION_ENDS
from parsers.formats.tptp.schema.counters import FINDING_KINDS
from parsers.formats.tptp.summary.problems import DAMAGE
from parsers.model.late import numpy as np
from parsers.model.row import counted
from parsers.model.time_text import nanos_text

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

PRIVATE_ATTRIBUTES = frozenset(("hostname", "ipaddress"))
WITH_PATHS = frozenset(("agentParameters", "value"))
"""Attributes that may contain paths: of an agent, of an option (EXTENSION_LIBRARY)."""
PATH = re.compile(r"(?:^|[=,;: ])(?:/|~/|[A-Za-z]:[\\/]|\\\\)")
HIDDEN = "…"
"""Replacement for a value that is omitted."""

SAMPLED = 200_000
"""Number of moments examined to find the resolution of the clock."""
MOST_ON_GRID = 0.93
"""Minimum share of moments on a grid for it to be the clock's: 93 to 100 % in recorded files."""
GRIDS = (
    (1_000_000_000, "1 s"),
    (100_000_000, "100 ms"),
    (15_625_000, "1/64 s (15.6 ms)"),
    (10_000_000, "10 ms"),
    (3_906_250, "1/256 s (3.9 ms)"),
    (1_000_000, "1 ms"),
    (100_000, "0.1 ms"),
    (1_000, "1 µs"),
    (100, "100 ns"),
)
"""Clock steps in ns, the coarsest first."""
MOMENTS = ("call_start", "state_start", "object_time", "thread_start", "class_time")
"""Columns with moments of events, the most frequent ones first."""

Reason = tuple[str, frozenset[str], str]
OPTION_REASONS: Mapping[str, Sequence[Reason]] = {
    "object": (("TRACE_MODE", frozenset(("noObjectCorrelation", "none")), "objects were not recorded"),),
    "state": (("MONITOR_MODE", frozenset(("none",)), "monitors were not recorded"),),
    "collection": (("TRACK_GC_EVENT_TYPES", frozenset(("none",)), "frees were not recorded"),),
    "call": (("METHOD_COUNTS_ONLY", frozenset(("true",)), "methods were only counted"),),
    "dump": (("TRACE_MODE", frozenset(("noObjectCorrelation", "none")), "objects were not recorded"),),
}
"""By table that may be empty: options, and the values of them that explain why."""
PARTS: Mapping[str, tuple[str, str]] = {
    "state": ("no thread waited or slept, or the agent of threads (ThreadProf) was not there", "Monitors"),
    "object": ("no allocation was recorded: the agent of the heap (HeapProf) was not there", "Classes"),
    "collection": ("no collection was recorded", "Collections"),
    "dump": ("no heap dump was recorded", "Dumps, Roots, Objects, Referrers, Dominators"),
    "call": (
        "no call was recorded: the agent of calls (CGProf) was not there, or its filters left none",
        "Call tree, Callers, Flame, Flow",
    ),
    "method": ("no method was recorded", "Methods"),
}
"""By table that may be empty: the meaning where no option explains it, and the views that would show it."""


def session_facts(recording: TraceRecording) -> Sequence[Mapping[str, Any]]:
    """Returns the known facts of each session."""
    found: Sequence[Mapping[str, Any]] = recording.facts.get("sessions", ())
    return found


def options_of(recording: TraceRecording) -> list[tuple[str, str]]:
    """Returns keys and values of the options of all sessions. A key may occur several times."""
    return [(key, value) for session in session_facts(recording) for key, value in session.get("options", ())]


def shown_option(value: str, is_private_shown: bool) -> str:
    """Returns the value of an option unless it has a path."""
    return HIDDEN if not is_private_shown and PATH.search(value) else value


def shown_attributes(attributes: Mapping[str, str], is_private_shown: bool) -> dict[str, str]:
    """Returns the attributes without host names, host addresses and paths."""
    if is_private_shown:
        return dict(attributes)
    return {
        name: HIDDEN if value and (name in PRIVATE_ATTRIBUTES or (name in WITH_PATHS and PATH.search(value))) else value
        for name, value in attributes.items()
    }


def why_not(recording: TraceRecording, table: str) -> str:
    """Returns the reason why a table of PARTS has no rows."""
    # Recorded objects prove that no option excluded them.
    reasons = () if table == "dump" and recording.rows("object") else OPTION_REASONS.get(table, ())
    for key, value in options_of(recording):
        for option, values, meaning in reasons:
            if key == option and value in values:
                return f"{meaning}: option {key} was {value}"
    return PARTS[table][0]


def missing_parts(recording: TraceRecording) -> Iterator[str]:
    """Yields the views that have nothing to show, with the reasons."""
    for table, (_, views) in PARTS.items():
        if not recording.rows(table):
            yield f"{views}: {why_not(recording, table)}"


def clock_resolution(recording: TraceRecording) -> tuple[str, float] | None:
    """Returns the coarsest grid that nearly all moments are on, and the share of those; None if there is none."""
    found = [np.zeros(0, np.int64)]
    for name in MOMENTS:
        found.append(recording.numbers(name, slice(0, SAMPLED)))
        if sum(map(len, found)) >= SAMPLED:
            break
    moments = np.concatenate(found)
    moments = moments[moments != NEVER]
    if len(moments) < 2:
        return None
    for step, title in GRIDS:
        share = float((moments % step == 0).mean())
        if share >= MOST_ON_GRID:
            return title, share
    return None


def clock_steps(recording: TraceRecording) -> str:
    """Returns how much of all times is negative because clocks step back; empty if nothing is."""
    from parsers.formats.tptp.views.negative_times import NegativeStates, negative_calls

    states = NegativeStates(recording).took.tolist()
    took = negative_calls(recording)[1]
    calls = took[took < 0].tolist()
    words = [
        f"{counted(len(times), noun)} ended before beginning, {nanos_text(sum(times))} in all"
        for noun, times in (("call", calls), ("wait", states))
        if times
    ]
    return f"{'; '.join(words)}: times are summed as recorded, with their signs" if words else ""


def facts_of(recording: TraceRecording, resolution: tuple[str, float] | None, is_private_shown: bool) -> dict[str, Any]:
    """Returns the facts that `info` shows of a complete recording."""
    from parsers.formats.tptp.heap.columns import computed_dumps

    sessions = [
        _session(recording, number, recorded_facts, is_private_shown)
        for number, recorded_facts in enumerate(session_facts(recording))
    ]
    facts: dict[str, Any] = dict(sessions[0]) if len(sessions) == 1 else {"sessions": sessions}
    if resolution is not None:
        facts["clock"] = f"steps of {resolution[0]}: {100 * resolution[1]:.1f} % of all times"
    facts["clock_steps_back"] = clock_steps(recording)
    noted = zip(FINDING_KINDS, recording.facts.get("finding_counts", ()), strict=False)
    facts["noted"] = {kind: count for kind, count in noted if count and kind not in DAMAGE}
    dumps = recording.rows("dump")
    known = computed_dumps(recording)
    if known < dumps:
        facts["heap_dumps"] = f"only the first {known:,} of {dumps:,} have graphs: together they have too many objects"
    facts["not_recorded"] = list(missing_parts(recording))
    return {name: fact for name, fact in facts.items() if fact not in ("", [], {}, None)}


def _session(
    recording: TraceRecording, number: int, recorded_facts: Mapping[str, Any], is_private_shown: bool
) -> dict[str, Any]:
    agents = [shown_attributes(each, is_private_shown) for each in recorded_facts.get("agents", ())]
    facts: dict[str, Any] = {
        "end": SESSION_ENDS[int(recording.column("session_state")[number])],
        "agents": agents,
        "options": [[key, shown_option(value, is_private_shown)] for key, value in recorded_facts.get("options", ())],
        "filters": [dict(each) for each in recorded_facts.get("filters", ())],
        "encoding": _encoding(recorded_facts),
        "recordings": recorded_facts.get("recordings", 0),
    }
    if is_private_shown:
        facts["nodes"] = [dict(each) for each in recorded_facts.get("nodes", ())]
    return {name: fact for name, fact in facts.items() if fact not in ("", [], {}, None, 0)}


def _encoding(recorded_facts: Mapping[str, Any]) -> str:
    """Returns the declared encoding, and the real one if it differs."""
    declared, used = recorded_facts.get("declared"), recorded_facts.get("used") or "UTF-8"
    # Bytes of such a file are converted to UTF-8 before they are read.
    offsets = "; offsets count bytes of its text in UTF-8" if used.startswith(("UTF-16", "UTF-32")) else ""
    if recorded_facts.get("lying"):
        return f"names {declared or 'none, so UTF-8'}, is {used}{offsets}"
    return f"{used}, {'named' if declared else 'not named'}{offsets}"
