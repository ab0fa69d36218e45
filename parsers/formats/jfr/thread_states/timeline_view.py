"""The view "Time line": pauses and threads as lanes, and what every thread did at a moment."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.jfr.data.columns import LOST_STACK
from parsers.formats.jfr.data.time_ranges import RANGE, WHOLE
from parsers.formats.jfr.thread_states.kinds import DEADLOCKED, LANE_STATES, SAMPLED
from parsers.formats.jfr.thread_states.lanes import LaneTable, RecordingLine
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.formats.jfr.time_range import RangedView
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow
from parsers.model.time_text import nanos_text, time_text
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import StrangeReference, Switch
from parsers.profile.method_name import short_method
from parsers.views.list_view import ListRow
from parsers.views.timelines.lane_view import SHOW_AS, TIME, LaneView
from parsers.views.timelines.moments import MOMENT, typed_nanos
from parsers.views.timelines.timeline_view import moment_text

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import AnyArray
    from parsers.views.timelines.timeline_view import TimeLine

VISIBLE = "visible part"
"""The choice of the time range that is visible in the picture."""
MOMENT_REF = re.compile(rf"moment:{MOMENT.format('')}(?:/(?P<thread>.+))?")
COLUMNS = (
    Column("duration", "duration", "ns", width=13, priority=4),
    Column("start", "start", "s", width=12, priority=5),
    Column("events", "events", width=9, priority=6),
)
DIGITS = 4
"""Digits of the length of the visible part."""
MOST_THREADS = 60
"""Maximum threads whose states the side pane lists."""


class RecordingTimelineView(RangedView, LaneView):
    """Pauses, then threads, those with the most events first; below each its events."""

    name = "Time line"
    description = "States of all threads over time"
    states = LANE_STATES
    columns = COLUMNS
    orders = ("start", "duration", "name")
    group_kinds = ("thread", "group", "pauses")

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report)
        self._threads = threads_of(report.data)

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The time scale, the choice between picture and rows, and the time range of the other views."""
        ranges = self._ranges.switch
        visible = (VISIBLE,) if self._visible is not None else ()
        return (TIME, SHOW_AS, replace(ranges, choices=(WHOLE, *visible, *ranges.choices[1:])))

    def meant(self, name: str, text: str) -> str | None:
        """Returns the choice that a text means; the visible part is a range."""
        if name == RANGE.name and text == VISIBLE and self._visible is not None:
            start, stop = self._visible
            # As many digits as a screen can show.
            step = 10 ** max(0, len(str(stop - start)) - DIGITS)
            return self._ranges.add(start // step * step, -(-stop // step) * step)
        return super().meant(name, text)

    @cached_property
    def table(self) -> LaneTable:
        """The lanes."""
        return LaneTable(self._data, self._threads)

    @cached_property
    def _line(self) -> RecordingLine:
        return RecordingLine(self.table, [self.rows.node(lane) for lane in range(len(self.table))])

    def make_rows(self) -> GroupedPreorder:
        """Returns lanes as groups, events as leaves."""
        count = len(self.table)
        return GroupedPreorder([0] * count, self.table.counts)

    # -- lanes --------------------------------------------------------------------------------------------------------

    def time_line(self, node: int) -> TimeLine:
        """Returns the one time line."""
        return self._line

    def lane_of(self, node: int) -> int:
        """Returns the lane of a row."""
        return self.rows.place(node)[0] if self.rows.rows else 0

    def span(self, node: int) -> tuple[int, int] | None:
        """Returns start and end of an event since the start of the recording; None for a lane."""
        lane, leaf = self.rows.place(node)
        if leaf < 0:
            return None
        events = self.table.events(lane)
        start, end = max(0, int(events.starts[leaf])), int(events.ends[leaf])
        return start, max(end, start + 1)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a lane."""
        threads, badges = self.table.threads_of(group), {"events": self.table.counts[group]}
        if not threads:
            return ListRow("pauses", self.table.label(group), badges=badges, key=("pauses", self.table.pauses[group]))
        if len(threads) > 1:
            return ListRow("group", self.table.label(group), badges=badges)
        ref, key = self._threads.refs[threads[0]], ("thread", threads[0])
        return ListRow("thread", self.table.label(group), badges=badges, ref=ref, key=key)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an event."""
        events = self.table.events(group)
        row, state = int(events.rows[leaf]), LANE_STATES[int(events.states[leaf])]
        found = self._events.entry(row)
        badges: dict[str, Badge] = {**found.badges, "start": round(int(events.starts[leaf]) / 1e9, 6)}
        return replace(found, kind=state.name, badges=badges)

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """Returns the key of a thread or event."""
        return self.group(group).key if leaf < 0 else self._events.key(int(self.table.events(group).rows[leaf]))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the lane of a thread, or the row of an event."""
        match key:
            case ("thread", int(thread)) if thread < len(self._threads):
                return self.rows.node(self.table.lane_of(thread))
            case ("pauses", str(type)) if type in self.table.pauses:
                return self.rows.node(self.table.pauses.index(type))
        row = self._events.row_of_key(key)
        return None if row is None else self._node_of(row)

    def _node_of(self, row: int) -> int | None:
        """Returns the row of an event; None if it is not in a lane."""
        type, thread = self._data.type_names[self._data.event("type", row)], self._data.event("thread", row)
        if type in self.table.pauses:
            lane = self.table.pauses.index(type)
        elif thread == NONE or not self.table.state_of_type[self._data.type_numbers[type]]:
            return None
        else:
            lane = self.table.lane_of(thread)
        places = (self.table.events(lane).rows == row).nonzero()[0]
        return self.rows.node(lane, int(places[0])) if len(places) else None

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray | None:
        """Returns sort keys of events by their columns."""
        events = self.table.events(group)
        if order == "start":
            return events.starts[leaves.start : leaves.stop]
        if order == "duration":
            return (events.ends - events.starts)[leaves.start : leaves.stop]
        return None

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the lane of a thread; the row of an event; the lane at a moment, `moment:12.5/thread:7`."""
        kind = ref.partition(":")[0]
        node: int | None = None
        if kind == "event":
            node = self._node_of(self._events.row_of_ref(ref))
        elif kind == "thread":
            thread = self._threads.of_ref.get(ref)
            node = None if thread is None else self.rows.node(self.table.lane_of(thread))
        elif (found := MOMENT_REF.fullmatch(ref)) is not None:
            node = self._node_of_moment(typed_nanos(found), found["thread"])
        if node is None:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return [node]

    def _node_of_moment(self, moment: int, thread: str | None) -> int | None:
        if moment >= self._line.length or not self.rows.rows:
            return None
        node = self.rows.node(self.lane_of(self._looked_at or 0)) if thread is None else self.nodes_of(thread)[0]
        self.set_moment(moment, node)
        return node

    # -- side pane ----------------------------------------------------------------------------------------------------

    def moment_at(self, node: int) -> int:
        """Returns the selected moment if it is in what a row shows, else the start of that."""
        span, moment = self.span(node), self.moment or 0
        return moment if span is None or span[0] <= moment < span[1] else span[0]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links of an event; from a lane to the thread, and to its samples."""
        if leaf >= 0:
            return self._events.links(int(self.table.events(group).rows[leaf]))
        threads = self.table.threads_of(group)
        if len(threads) != 1:
            return ()
        ref = self._threads.refs[threads[0]]
        return Link("the thread", ref, "Threads"), Link("its samples", ref, "Call tree")

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the state of the lane at the moment, those of all threads then, and the event."""
        moment = self.moment_at(self.rows.node(group, leaf))
        then = self.table.at(moment)
        here = [(thread, *then[thread]) for thread in self.table.threads_of(group) if thread in then]
        rows = [SectionRow("", self._state_text(*each)) for each in here[:MOST_THREADS]]
        rows.append(SectionRow("when", f"{time_text(self.table.first + moment)} UTC"))
        found = [Section(f"At {moment_text(moment, 6)}", tuple(rows))]
        shown = [row for _, state, row in here if state != DEADLOCKED]
        row = int(self.table.events(group).rows[leaf]) if leaf >= 0 else shown[0] if shown else None
        found += [] if row is None else self._events.sections(row)
        return [*found, self._all_threads(then)]

    def _state_text(self, thread: int, state: int, row: int) -> str:
        """Returns the text of a state: its name, duration and top method. row: its event"""
        if state == DEADLOCKED:
            return f"deadlocked: waits for {self.table.deadlocked[thread].wait}"
        stack, duration = self._data.event("stack", row), self._data.event("duration", row)
        text = LANE_STATES[state].name
        if state != SAMPLED:
            text += f" for {nanos_text(max(duration, 0))}"
        if stack in (NONE, LOST_STACK) or not len(self._data.frames_of(stack)):
            return text
        method = int(self._data.column("frame_method")[int(self._data.frames_of(stack)[0])])
        return f"{text}, in {short_method(self._data.method_label(method))}"

    def _all_threads(self, then: dict[int, tuple[int, int]]) -> Section:
        """Returns the states of all threads: deadlocked ones, waiting ones, those with a sample. then: by thread"""
        known = [(thread, *state) for thread, state in then.items() if thread != NONE]
        there = sorted(known, key=lambda each: (each[1] == SAMPLED, each[1] != DEADLOCKED, each[1], each[0]))
        label_of, ref_of = self._threads.label, self._threads.refs
        rows = [
            SectionRow(label_of(thread), self._state_text(thread, state, row), ref_of[thread], self.name)
            for thread, state, row in there[:MOST_THREADS]
        ]
        silent = len(self._threads) - len(there)
        if silent:
            rows.append(SectionRow("", f"nothing was recorded of {silent:,} other threads then"))
        return Section("All threads then", tuple(rows), max(0, len(there) - MOST_THREADS))
