"""Tables of an HPROF profile or heap dump: objects and threads of a heap, texts, stacks with their costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, SITES_KIND
from parsers.formats.hprof.sql_tables.section_tables import (
    SECTION_QUESTIONS,
    SECTION_TYPES,
    SECTION_VIEWS,
    SectionTables,
)
from parsers.heapdump.object_tables import HEAP_TABLES, heap_tables, refs_of
from parsers.model.tables.column_values import TableColumn, Values, text_arrays, whole
from parsers.model.tables.table import Table, Tables, TableSet, TableType, views_over
from parsers.profile.profile_tables import PROFILE_TABLES, profile_tables
from parsers.views.report_tables import listed

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.heap_threads_view import HeapThreadsView
    from parsers.formats.hprof.dump.graph.strings_view import StringsView
    from parsers.formats.hprof.report import HprofReport
    from parsers.heapdump.views.objects_view import ObjectsView
    from parsers.profile.views.call_views import CallView

LONGEST = 1 << 16
"""Most characters of a text."""

STRING = TableType(
    "string",
    "Texts of java.lang.String, those with the most bytes wasted by duplicates first.",
    (
        TableColumn("string_id", "BIGINT", "number of the text"),
        TableColumn("text", "VARCHAR", "the text, at most its first 65,536 characters; read from the file"),
        TableColumn("count", "BIGINT", "Strings that have it"),
        TableColumn("length", "BIGINT", "characters"),
        TableColumn("wasted", "BIGINT", "bytes of all but one of these Strings", "bytes"),
        TableColumn("object_id", "BIGINT", "the first of these Strings", key="object"),
        TableColumn("ref", "VARCHAR", "REF of that"),
    ),
)
FRAME = TableType(
    "thread_frame",
    "Frames of the threads of a heap dump, the innermost of each thread first.",
    (
        TableColumn("thread_frame_id", "BIGINT", "number of the frame"),
        TableColumn("thread", "BIGINT", "number of the thread"),
        TableColumn("name", "VARCHAR", "name of the thread"),
        TableColumn("object_id", "BIGINT", "object of the thread", key="object"),
        TableColumn("depth", "INTEGER", "0 for the innermost frame"),
        TableColumn("method", "VARCHAR", "method, with its line"),
        TableColumn("locals", "BIGINT", "objects that the frame refers to"),
        TableColumn("ref", "VARCHAR", "REF of the thread"),
    ),
)
HPROF_TABLES = TableSet(
    (*PROFILE_TABLES.types, *SECTION_TYPES, *HEAP_TABLES.types, STRING, FRAME),
    (*PROFILE_TABLES.views, *SECTION_VIEWS, *HEAP_TABLES.views),
    (*PROFILE_TABLES.questions, *SECTION_QUESTIONS, *HEAP_TABLES.questions),
)


def hprof_tables(report: HprofReport) -> Tables:
    """Returns the tables of the sections that a file has."""
    found = Tables()
    if report.recording.rows("trace"):
        found |= _profile(report)
    heap_threads = _heap_threads(report)
    sections = SectionTables(report, None if heap_threads is None else heap_threads.thread_rows)
    found |= Tables(sections.tables())
    found |= Tables((), views_over(SECTION_VIEWS, found))
    if report.has_view("Objects"):
        found |= heap_tables(cast("ObjectsView", report.view("Objects")).objects)
    if report.has_view("Strings") and report.has_retained_sizes:
        found |= Tables([_string_table(cast("StringsView", report.view("Strings")))])
    if heap_threads is not None:
        found |= Tables([listed(FRAME, heap_threads.frame_rows)])
    return found


def _profile(report: HprofReport) -> Tables:
    """Returns the tables of stacks; they may have no costs."""
    from parsers.formats.hprof.profiles.source import HprofProfiles

    if report.has_view("Call tree"):
        source = cast(HprofProfiles, cast("CallView", report.view("Call tree")).source)
    else:
        source = HprofProfiles(report.recording, (CPU_SAMPLES, CPU_TIME, SITES_KIND))
    return profile_tables(source, lambda stacks: text_arrays(map(source.trace_ref, stacks)), opens_methods=True)


def _heap_threads(report: HprofReport) -> HeapThreadsView | None:
    """Returns the view of the threads of a heap dump, if there is one."""
    if not (report.has_view("Threads") and report.has_view("Objects") and report.has_retained_sizes):
        return None
    from parsers.formats.hprof.dump.graph.heap_threads_view import HeapThreadsView

    view = report.view("Threads")
    return view if isinstance(view, HeapThreadsView) else None


def _string_table(view: StringsView) -> Table:
    """Returns the table of texts, from the data of the view "Strings"."""

    def number(column: str) -> Callable[[int, int], Values]:
        return whole(lambda: view.sort_keys(column, range(view.group_count))[: view.text_count])

    strings = view.first_strings
    columns = {
        "text": lambda start, stop: view.reader.columns(strings(start, stop), LONGEST),
        "count": number("objects"),
        "length": number("length"),
        "wasted": number("wasted"),
        "object_id": strings,
        "ref": lambda start, stop: refs_of(view.objects, strings(start, stop)),
    }
    return Table(STRING, lambda: view.text_count, columns)
