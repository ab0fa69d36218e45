"""Allocation of an object of a recording: thread, call, age in collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY, NEVER, OBJECT_ENTITY
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.typed_moment import moment_ref
from parsers.model.none import NONE
from parsers.model.row import Link, Section, SectionRow, counted
from parsers.model.time_text import time_text

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording

SHOWN_CALLS = 32
"""Maximum calls of a stack in the side pane."""
THREADS_VIEW, TIMELINE_VIEW = "Threads", "Time line"


def allocation_section(recording: TraceRecording, names: TraceNames, row: int) -> Section:
    """Returns the section on an object's allocation and end. row: of objects"""
    column = recording.column
    rows = []
    if column("object_flags")[row] & IS_DEFINED_ONLY:
        rows.append(SectionRow("", "not in view: it is known by its definition alone"))
    time, thread = int(column("object_time")[row]), int(column("object_thread")[row])
    if time != NEVER:
        rows.append(SectionRow("at", time_text(time), _when(recording, names, row, time, thread), TIMELINE_VIEW))
    if thread != NONE:
        rows.append(SectionRow("by", names.thread_label(thread), names.ref("thread", thread), THREADS_VIEW))
    if not column("object_flags")[row] & IS_DEFINED_ONLY:
        rows.append(SectionRow("age", age_text(age(recording, row))))
    freed = int(column("object_freed")[row])
    if freed != NEVER:
        rows.append(SectionRow("freed", time_text(freed), _when(recording, names, row, freed), TIMELINE_VIEW))
    calls, more = stack(recording, int(column("object_call")[row]))
    for call in calls:
        method = int(column("call_method")[call])
        label = "(method not recorded)" if method == NONE else names.method_label(method)
        rows.append(SectionRow("in" if call == calls[0] else "", label, names.ref("call", call), "Flow"))
    return Section("Allocated", tuple(rows), more)


def _when(recording: TraceRecording, names: TraceNames, row: int, nanos: int, thread: int = NONE) -> str:
    """Returns the REF of a moment in an object's session, in the lane of a thread."""
    lane = "" if thread == NONE else f"/{names.ref('thread', thread)}"
    return f"{moment_ref(nanos, recording.session_of('object', row))}{lane}"


def age(recording: TraceRecording, row: int) -> int:
    """Returns the number of collections that an object outlived, until it was freed or the session ended."""
    column = recording.column
    end = int(column("object_freed_collection")[row])
    if end == NONE:
        end = len(recording.session_rows(recording.session_of("object", row), "collection"))
    return end - int(column("object_collection")[row])


def age_text(age: int) -> str:
    """Formats an age. age: number of collections"""
    return f"outlived {counted(age, 'collection') if age > 1 else 'one collection' if age == 1 else 'none'}"


def stack(recording: TraceRecording, call: int) -> tuple[list[int], int]:
    """Returns a call and its callers, at most SHOWN_CALLS, and the number of further callers."""
    parents, found = recording.column("call_parent"), list[int]()
    while call != NONE:
        found.append(call)
        call = int(parents[call])
    return found[:SHOWN_CALLS], max(0, len(found) - SHOWN_CALLS)


def allocation_links(recording: TraceRecording, names: TraceNames, row: int) -> list[Link]:
    """Returns links to the allocator of an object, to its moment, and to waits for the object."""
    column, links = recording.column, list[Link]()
    thread, time = int(column("object_thread")[row]), int(column("object_time")[row])
    if thread != NONE:
        links.append(Link("thread that allocated it", names.ref("thread", thread), THREADS_VIEW))
    if time != NEVER:
        links.append(Link("when it was allocated", _when(recording, names, row, time, thread), TIMELINE_VIEW))
    call = int(column("object_call")[row])
    if call != NONE:
        links.append(Link("call that allocated it", names.ref("call", call), "Flow"))
    if OBJECT_ENTITY | row in names.monitors:
        links.append(Link("who waited for it", names.ref("object", row), "Monitors"))
    return [*links, *element_link(int(column("object_offset")[row]))]
