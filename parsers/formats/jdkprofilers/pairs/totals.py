"""The counts of a `java.prof`, named as on the format page."""

from __future__ import annotations

from array import array
from itertools import compress, pairwise
from typing import Any

from parsers.formats.jdkprofilers.pairs.recording import PairRecording, RowKind
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN, UNKNOWN_CALLEE


def pair_totals(recording: PairRecording, separator: str) -> dict[str, Any]:
    """Returns counts of the file, and below `java_prof` those of its pairs. Overflowed numbers are added as printed.

    Rows without a callee are counted as such and nowhere else.
    """
    methods, find = recording.methods.texts, recording.methods.find
    missing = find(NOT_RECORDED)
    callees, callers, counts, times = recording.callees, recording.callers, recording.counts, recording.times
    if missing is not None:
        recorded = [callee != missing for callee in callees]
        callees, callers, counts, times = (
            array(column.typecode, compress(column, recorded)) for column in (callees, callers, counts, times)
        )
    distinct_callees, distinct_callers = set(callees), set(callers)
    found: dict[str, Any] = {
        "rows": len(counts),
        "rows_without_callee": recording.without_callee,
        "unreadable_total": recording.unreadable,
        "calls": sum(counts),
        "calls_if_unwrapped": sum(map(recording.unwrapped, counts)),
        "time_ms_all_rows": sum(times),
        "negative_counts": sum(count < 0 for count in counts),
        "negative_times": sum(time < 0 for time in times),
        "sorted_by_count": all(before >= after for before, after in pairwise(counts)),
        "class_separator": separator,
        "unknown_callees": _count(callees, find(UNKNOWN_CALLEE)),
        "unknown_callers": sum(_count(callers, find(name)) for name in UNKNOWN),
        "distinct_callees": len(distinct_callees),
        "distinct_callers": len(distinct_callers),
        "distinct_methods": sum(b"(" in methods[method] for method in distinct_callees | distinct_callers),
    }
    if recording.heaps:
        heaps, kinds = recording.heaps, recording.rows.kinds
        found["heap"] = {
            "handles_used": heaps[0].handles_used,
            "handles_free": heaps[0].handles_free,
            "heap_used": heaps[0].used,
            "heap_free": heaps[0].free,
            "tables": sum(heap.tables for heap in heaps),
            "class_rows": kinds.count(RowKind.INSTANCES),
            "class_bytes": sum(
                size
                for row, size in zip(recording.heap_rows, recording.heap_sizes, strict=True)
                if kinds[row] == RowKind.INSTANCES
            ),
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


def _count(column: array[int], number: int | None) -> int:
    return 0 if number is None else column.count(number)
