"""Comparable lines of the classes of a recording: allocated and live objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from parsers.formats.tptp.heap.views import DUMPS_VIEW
from parsers.formats.tptp.objects.class_groups import BY_PACKAGE, groups_of
from parsers.formats.tptp.objects.class_rows import ACTIVE, LIVE_COLUMN, SIZE, TOTAL_COLUMN
from parsers.formats.tptp.objects.class_sums import ACTIVE_SIZE, LIVE, TOTAL, TOTAL_SIZE, sums_at_end
from parsers.heapdump.graph.comparable_classes import DEPTHS, comparable_classes
from parsers.model.names.java_name import class_spans
from parsers.reporting.comparison.lines import ComparedLine, Comparing, comparable_lines
from parsers.reporting.comparison.rows import comparable_rows
from parsers.reporting.comparison.volatile_names import normal_name

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.heapdump.views.classes_view import HeapClassesView

COMPARED = ("Methods", "Call tree")
"""Views whose rows can be compared with those of another recording."""
COLUMNS = {ACTIVE: ACTIVE_SIZE, LIVE_COLUMN: LIVE, SIZE: TOTAL_SIZE, TOTAL_COLUMN: TOTAL}
"""Columns, and their indices in the sums of a class."""


def comparable_of(report: TraceReport) -> Mapping[str, Comparing]:
    """Returns objects by class at the end of all sessions together; classes of the last heap dump; methods, calls."""

    def objects() -> HeapObjects:
        return cast("HeapClassesView", report.view(DUMPS_VIEW)).objects

    own = comparable_lines(tuple(replace(column, bar=0, width=13) for column in COLUMNS), lambda: _lines(report))
    dumps = comparable_classes(objects, has_retained_sizes=True)
    return {"Classes": own, DUMPS_VIEW: dumps, **comparable_rows(report, COMPARED)}


def _lines(report: TraceReport) -> Sequence[ComparedLine]:
    recording, names = report.recording, report.names_of
    groups = groups_of(recording, names, sums_at_end(recording), BY_PACKAGE, range(recording.sessions))
    found = []
    for group in groups:
        if group.kind in DEPTHS and group.sums[TOTAL]:
            label, numbers = normal_name(group.label), {each.name: group.sums[place] for each, place in COLUMNS.items()}
            spans = tuple(class_spans(label, 0)) if group.kind == "class" else ()
            ref = f"{group.kind}:{group.label}"
            found.append(ComparedLine(label, group.kind, label, numbers, DEPTHS[group.kind], ref, spans))
    return found
