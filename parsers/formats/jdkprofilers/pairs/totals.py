"""The counts of a `java.prof`, named as on the format page."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN, UNKNOWN_CALLEE


def pair_totals(recording: PairRecording, separator: str) -> dict[str, Any]:
    """Returns counts of the file, and below `java_prof` those of its pairs. Overflowed numbers are added as printed.

    Rows without a callee are counted as such and nowhere else.
    """
    methods = recording.methods.texts
    recorded = [pair for pair in range(recording.pairs) if methods[recording.callees[pair]] != NOT_RECORDED]
    counts = [recording.counts[pair] for pair in recorded]
    times = [recording.times[pair] for pair in recorded]
    callees, callers = {recording.callees[pair] for pair in recorded}, {recording.callers[pair] for pair in recorded}
    found: dict[str, Any] = {
        "rows": len(recorded),
        "rows_without_callee": recording.without_callee,
        "unreadable_total": recording.unreadable,
        "calls": sum(counts),
        "calls_if_unwrapped": sum(map(recording.unwrapped, counts)),
        "time_ms_all_rows": sum(times),
        "negative_counts": sum(count < 0 for count in counts),
        "negative_times": sum(time < 0 for time in times),
        "sorted_by_count": all(before >= after for before, after in pairwise(counts)),
        "class_separator": separator,
        "unknown_callees": sum(methods[recording.callees[pair]] == UNKNOWN_CALLEE for pair in recorded),
        "unknown_callers": sum(methods[recording.callers[pair]] in UNKNOWN for pair in recorded),
        "distinct_callees": len(callees),
        "distinct_callers": len(callers),
        "distinct_methods": sum(b"(" in methods[method] for method in callees | callers),
    }
    if recording.heaps:
        heaps = recording.heaps
        found["heap"] = {
            "handles_used": heaps[0].handles_used,
            "handles_free": heaps[0].handles_free,
            "heap_used": heaps[0].used,
            "heap_free": heaps[0].free,
            "tables": sum(heap.tables for heap in heaps),
            "class_rows": sum(len(heap.classes) for heap in heaps),
            "class_bytes": sum(row.size for heap in heaps for row in heap.classes),
        }
    totals: dict[str, Any] = {
        "foreign_lines": recording.foreign_lines,
        "old_sections": len(recording.dumps),
        "old_rows": found["rows"],
        "old_calls": found["calls"],
        "old_time": found["time_ms_all_rows"],
    }
    if recording.cut_lines:
        totals["cut_lines"] = recording.cut_lines
    return totals | {"java_prof": found}
