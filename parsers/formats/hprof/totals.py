"""Totals of a profile: of the file, and of each dump in it, under the names that `info --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.data.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    EXIT,
    MONITOR_DUMP,
    MONITOR_TIME,
    NOWHERE,
    SECTION_KINDS,
    SITES_KIND,
    SLEEP,
    WAIT,
    WAITED,
)
from parsers.heapdump.graph.columns import (
    CLASS_OBJECT,
    HAS_END,
    HEAP_DUMP,
    IS_MISSING,
    OBJECT_ARRAY,
    PLAIN_OBJECT,
    PRIMITIVE_ARRAY,
)
from parsers.index.bitpacked.columns import Packed, numbers
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording

TOTAL_NAMES = {CPU_SAMPLES: "cpu_samples", CPU_TIME: "cpu_time", MONITOR_TIME: "monitor_time"}
EVENT_NAMES = {WAIT: "waits", WAITED: "waits_ended", SLEEP: "sleeps", EXIT: "monitor_exits"}
LISTED_SECTIONS = 1000
"""Most sections, and dumps of them, in the facts of a report; views have all."""
MANY = 100_000
"""Rows from which loading numpy costs less than a plain sum."""
SITE_SUMS = ("live_bytes", "live_objects", "allocated_bytes", "allocated_objects")


def name_of(kind: int) -> str:
    """Returns the key prefix of a kind of sections."""
    return SECTION_KINDS[kind].lower().replace(" ", "_")


def totals_of(recording: ProfileRecording) -> dict[str, Any]:
    """Returns counts of the whole file."""
    facts, flags = recording.facts, recording.column("trace_flags")
    missing = sum(1 for flag in flags if flag & IS_MISSING)
    waits = bytes(recording.column("wait_kind"))
    totals = {
        "lines": facts["lines"],
        "cut_lines": facts["cut_lines"],
        "foreign_lines": facts["foreign_lines"],
        "truncated": int(facts["is_truncated"]),
        "threads_started": sum(1 for offset in recording.column("thread_start") if offset != NOWHERE),
        "threads_ended": facts["threads_ended"],
        "traces": len(flags) - missing,
        "traces_empty": facts["traces_empty"],
        "traces_missing": missing,
        "frames": recording.rows("stack"),
    }
    totals |= {name: waits.count(kind) for kind, name in EVENT_NAMES.items()}
    kinds = recording.column("section_kind")
    return totals | section_totals(recording, range(len(kinds)))


def section_totals(recording: ProfileRecording, sections: range) -> dict[str, int]:
    """Returns the contribution of sections to the totals."""
    kinds, rows, sums = (recording.column(f"section_{name}") for name in ("kind", "rows", "total"))
    found: dict[int, list[int]] = {}
    for section in sections:
        kind = kinds[section]
        known = found.get(kind)
        if known is None:
            known = found[kind] = [0, 0, 0]
        count = rows[section]
        if kind == HEAP_DUMP:
            of_section = recording.section_range(section)
            classes = memoryview(recording.column("object_kind"))[of_section.start : of_section.stop]
            count -= counts_of(classes)[CLASS_OBJECT]
        known[0] += 1
        known[1] += count if kind != MONITOR_DUMP else 0
        known[2] += sums[section]
    totals: dict[str, int] = {}
    for kind, (count, of_kind, total) in found.items():
        name = name_of(kind)
        totals |= {f"{name}_sections": count, f"{name}_rows": of_kind}
        if kind in TOTAL_NAMES:
            totals[f"{name}_total"] = total
    return totals


def sections_of(recording: ProfileRecording, most: int | None = None) -> list[dict[str, Any]]:
    """Returns sections in file order, all or the first ones, with the totals of each."""
    count = recording.rows("section")
    return [section_facts(recording, section) for section in range(count if most is None else min(count, most))]


def section_facts(recording: ProfileRecording, section: int) -> dict[str, Any]:
    """Returns one section, with sums over its rows."""
    kind = recording.column("section_kind")[section]
    rows = recording.section_range(section)
    facts: dict[str, Any] = {
        "kind": SECTION_KINDS[kind] + (" (ms)" if kind == CPU_TIME else ""),
        "number": kind,
        "snapshot": recording.column("section_snapshot")[section],
        "offset": recording.column("section_offset")[section],
        "printed": text(recording.word(recording.column("section_printed")[section])),
        "date": text(recording.word(recording.column("section_date")[section])),
        "total": recording.column("section_total")[section],
        "rows": len(rows),
        "ended": bool(recording.column("section_flags")[section] & HAS_END),
    }
    if kind in TOTAL_NAMES:
        facts["count"] = sum(recording.column("rank_count")[rows.start : rows.stop])
        if NONE in recording.column("rank_trace")[rows.start : rows.stop]:
            facts["has_estimates"] = True
    elif kind == SITES_KIND:
        for name in SITE_SUMS:
            facts[name] = sum(recording.column(f"site_{name}")[rows.start : rows.stop])
    elif kind == HEAP_DUMP:
        facts |= heap_facts(recording, section)
    elif kind == MONITOR_DUMP:
        facts |= {
            "threads": recording.column("section_more_rows")[section],
            "monitors": len(rows),
            "rows": 0,
        }
    return facts


def heap_facts(recording: ProfileRecording, section: int) -> dict[str, int]:
    """Returns the counts of a heap dump."""
    rows = recording.section_range(section)
    kinds = counts_of(recording.column("object_kind")[rows.start : rows.stop])
    firsts = recording.packed("object_first")
    return {
        "rows": len(rows) - kinds[CLASS_OBJECT],
        "roots": recording.column("section_more_rows")[section],
        "classes": kinds[CLASS_OBJECT],
        "objects": kinds[PLAIN_OBJECT],
        "object_arrays": kinds[OBJECT_ARRAY],
        "primitive_arrays": kinds[PRIMITIVE_ARRAY],
        "references": firsts[rows.stop] - firsts[rows.start],
        "bytes": added(recording.packed("object_size"), rows),
    }


def counts_of(kinds: memoryview) -> Sequence[int]:
    """Returns the number of objects of each kind."""
    if len(kinds) < MANY:
        return [bytes(kinds).count(kind) for kind in range(CLASS_OBJECT + 1)]
    # Comparing bytes is several times faster than converting them to numbers, which counting all kinds at once needs.
    array = np.asarray(kinds)
    return [int(np.count_nonzero(array == kind)) for kind in range(CLASS_OBJECT + 1)]


def added(column: memoryview | Packed, rows: range) -> int:
    """Returns the sum of a range of a column, by numpy for many rows."""
    if len(rows) < MANY:
        return sum(column[rows.start : rows.stop])
    pieces = (slice(start, min(start + MANY, rows.stop)) for start in range(rows.start, rows.stop, MANY))
    return sum(int(numbers(column, piece).sum(dtype=np.uint64)) for piece in pieces)


def runs_of(recording: ProfileRecording, most: int) -> list[dict[str, Any]]:
    """Returns the first dumps of a file, if there are several: each with its name (the date of its first dated section)
    and totals.
    """
    snapshots, dates = recording.column("section_snapshot"), recording.column("section_date")
    starts = [at for at in range(len(snapshots)) if not at or snapshots[at] != snapshots[at - 1]]
    runs = []
    for start, stop in zip(starts[:most], [*starts[1:], len(snapshots)], strict=False):
        dated = (text(recording.word(dates[section])) for section in range(start, stop))
        name = next((date for date in dated if date), f"dump {snapshots[start] + 1}")
        runs.append({"name": name, "totals": section_totals(recording, range(start, stop))})
    return runs if len(starts) > 1 else []


def text(data: bytes) -> str:
    """Decodes bytes written by the agent."""
    return data.decode("utf-8", "replace")
