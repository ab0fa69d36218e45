"""The view "Time line": threads and collections of a session as lanes, and the state of all at a moment."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.calls.call_stacks import calls_at
from parsers.formats.tptp.schema.columns import FOR_LOCK, FOR_OBJECT, NEVER, SLEEPING
from parsers.formats.tptp.threads import state_view
from parsers.formats.tptp.threads.state_kinds import LANE_STATES
from parsers.formats.tptp.threads.state_rows import StateGroup, StateRowsView
from parsers.formats.tptp.views.typed_moment import TypedMoment, moment_ref, typed_moment
from parsers.model.none import NONE
from parsers.model.row import Badge, Link, Section, SectionRow, counted
from parsers.model.time_text import time_text
from parsers.profile.method_name import short_method
from parsers.views.list_view import ListRow
from parsers.views.timelines.lane_view import LaneView
from parsers.views.timelines.timeline_view import Lane, TimeLine, moment_text

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.formats.tptp.threads.timeline_lanes import SessionLine

MOMENT = re.compile(r"((?:run:\d{1,9}/)?moment:[^/]*)(?:/(.+))?")
"""A moment, and the REF of a thread."""

MOST_THREADS = 60
"""Most threads whose states the side pane lists."""


class TraceTimelineView(LaneView, StateRowsView):
    """Collections first, if there are any, then threads in the order of their starts; events below them."""

    name = threads_view = "Time line"
    description = "States of all threads over time"
    states = LANE_STATES
    columns = (state_view.START, state_view.TIME)
    orders = ("start_ns", "time_ns", "name")

    def __init__(self, report: TraceReport) -> None:
        LaneView.__init__(self)
        StateRowsView.__init__(self, report)
        self._lines: dict[int, SessionLine] = {}

    def leading(self, session: int) -> Sequence[tuple[StateGroup, int]]:
        """Returns all collections of a session."""
        count = len(self.recording.session_rows(session, "collection"))
        return [(StateGroup("collections", session, session), count)] if count else []

    # -- lanes --------------------------------------------------------------------------------------------------------

    @cached_property
    def _lanes(self) -> dict[int, list[int]]:
        """Groups that are lanes, by session."""
        found: dict[int, list[int]] = {}
        for number, group in enumerate(self.groups):
            if group.kind != "session":
                found.setdefault(group.session, []).append(number)
        return found

    def time_line(self, node: int) -> TimeLine:
        """Returns the time line of the session of a row."""
        session = self._group(node).session if self.groups else 0
        line = self._lines.get(session)
        if line is None:
            from parsers.formats.tptp.threads.timeline_lanes import SessionLine

            lanes = []
            for number in self._lanes.get(session, ()):
                kind, row, _ = self.groups[number]
                label = self.facts.names.thread_label(row) if kind == "thread" else COLLECTIONS
                lanes.append((Lane(label, self.rows.node(number)), row if kind == "thread" else None))
            title = f"session {session + 1}" if self.recording.sessions > 1 else ""
            line = self._lines[session] = SessionLine(self.recording, self.facts, session, title, lanes)
        return line

    def _group(self, node: int) -> StateGroup:
        return self.groups[self.rows.place(node)[0]]

    def lane_of(self, node: int) -> int:
        """Returns the lane of a row; the first one for a session."""
        if not self.groups:
            return 0
        group = self.rows.place(node)[0]
        first = self._lanes.get(self.groups[group].session, [group])[0]
        return max(0, group - first)

    def span(self, node: int) -> tuple[int, int] | None:
        """Returns start and end of a state or a collection."""
        group, leaf = self.rows.place(node)
        if leaf < 0:
            return None
        each = self.groups[group]
        first, last = self.facts.first(each.session), self.facts.last(each.session)
        if each.kind == "collections":
            start, end = self._collection_ends(self._collection(group, leaf))
            return start - first, max(start + 1, end) - first
        start, end, is_open = self.facts.reach(self.state(group, leaf))
        return start - first, (last + 1 if is_open else max(start, end)) - first

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of all collections, or the rows of threads and sessions as in other views."""
        each = self.groups[group]
        if each.kind != "collections":
            return super().group(group)
        rows = self.recording.session_rows(each.row, "collection")
        spent = sum(end - start for start, end in map(self._collection_ends, rows))
        badges: dict[str, Badge] = {"time_ns": spent}
        before = f"run:{each.row + 1}/" if each.row else ""
        return ListRow("collections", COLLECTIONS, badges=badges, ref=f"{before}name:{COLLECTIONS}")

    def _collection(self, group: int, leaf: int) -> int:
        return int(self.recording.session_rows(self.groups[group].session, "collection").start) + leaf

    def _collection_ends(self, row: int) -> tuple[int, int]:
        column = self.recording.column
        start, end = int(column("collection_start")[row]), int(column("collection_finish")[row])
        return (end if start == NEVER else start), (start if end == NEVER else end)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a state or a collection."""
        each = self.groups[group]
        if each.kind != "collections":
            return super().leaf(group, leaf)
        row, column = self._collection(group, leaf), self.recording.column
        start, end = self._collection_ends(row)
        frees, size = int(column("collection_frees")[row]), int(column("collection_freed_bytes")[row])
        ref = f"collection:{int(column('collection_offset')[row])}"
        link = (Link("the collection", ref, "Collections"),) if self.has_view("Collections") else ()
        return ListRow(
            "collection",
            f"collection {leaf + 1}: {counted(frees, 'object')} freed, {counted(size, 'byte')}",
            badges={"start_ns": start - self.facts.first(each.session), "time_ns": end - start},
            ref=ref,
            offset=int(column("collection_offset")[row]),
            key=("collection", row),
            links=link,
        )

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns nodes; also of collections and moments: `moment:SECONDS`, with `/thread:ID` for a thread's lane."""
        kind, _, value = ref.rpartition("/")[2].partition(":")
        found = MOMENT.fullmatch(ref)
        if found is not None:
            typed = typed_moment(self.recording, found[1])
            node = None if typed is None else self._node_of_moment(typed, found[2])
            return () if node is None else (node,)
        if kind == "collection":
            row = self.facts.names.find(ref)
            node = None if row is None else self.find_key(row)
            return () if node is None else (node,)
        if kind == "name" and value == COLLECTIONS:
            run = ref.rpartition("/")[0]
            named = [(number, each) for number, each in enumerate(self.groups) if each.kind == "collections"]
            return [self.rows.node(number) for number, each in named if run in ("", f"run:{each.session + 1}")]
        return super().nodes_of(ref)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key, also of a collection."""
        if not self.is_ready:
            return None
        match key:
            case ("collection", int(row)) if row < self.recording.rows("collection"):
                session = self.recording.session_of("collection", row)
                group = self.group_of.get(("collections", session))
                first = self.recording.session_rows(session, "collection").start
                return None if group is None else self.rows.node(group, row - first)
        return super().find_key(key)

    def _node_of_moment(self, typed: TypedMoment, thread: str | None) -> int | None:
        """Selects a moment; returns its lane, that of the cursor if no thread is named."""
        lanes = self._lanes.get(typed.session)
        node = self.rows.node(lanes[0]) if lanes else None
        if thread is not None:
            node = next(iter(super().nodes_of(thread)), None)
        elif self._looked_at is not None:
            group = self.rows.place(self._looked_at)[0]
            node = self.rows.node(group) if group in (lanes or ()) else node
        if node is not None:
            self.set_moment(typed.nanos - self.facts.first(self._group(node).session), node)
        return node

    # -- side pane ----------------------------------------------------------------------------------------------------

    def moment_at(self, node: int) -> int:
        """Returns the selected moment if the cursor is on a row: since 1970."""
        first, last = self.facts.first(self._group(node).session), self.facts.last(self._group(node).session)
        span = self.span(node)
        moment = self.moment
        if span is not None and (moment is None or not span[0] <= moment < span[1]):
            moment = span[0]
        return max(first, min(first + (moment or 0), last))

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links; also from the moment to the objects alive then, and to the thread's call."""
        each, moment = self.groups[group], self.moment_at(self.rows.node(group, leaf))
        found = list(super().links_of(group, leaf))
        found[1:1] = self._then(each, moment)
        return found

    def _then(self, each: StateGroup, moment: int) -> list[Link]:
        found = []
        calls = calls_at(self.recording, each.row, moment) if each.kind == "thread" else []
        if calls:
            found.append(Link("its call then", self.facts.names.ref("call", calls[0]), "Flow"))
        if self.recording.session_rows(each.session, "object"):
            found.append(Link("what was alive then", moment_ref(moment, each.session), "Classes"))
        return found

    def state_at(self, node: int) -> tuple[int, int] | None:
        """Returns the state of the lane at the selected moment."""
        each, moment = self._group(node), self.moment_at(node)
        state = self.facts.at(each.row, moment) if each.kind == "thread" else None
        return None if state is None else (state, moment)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the moment's facts: the lane's state and calls, all other threads' states, the time; the lane."""
        group, leaf = self.rows.place(node)
        each, moment = self.groups[group], self.moment_at(node)
        first = self.facts.first(each.session)
        rows, found = self._recorded(each.session, moment), []
        if each.kind == "thread":
            rows = rows or [SectionRow("", self._now(each.row, moment)[1])]
            state = self.facts.at(each.row, moment)
            found += [] if state is None else self.state_sections(state)
            if state is None or leaf < 0:
                found += self.stack(each.row, moment, "Its calls then")
        elif each.kind == "collections" and leaf >= 0:
            rows.append(SectionRow("", self.leaf(group, leaf).label))
        when = [SectionRow("when", time_text(moment))]
        alive = [link for link in self._then(each, moment) if link.view == "Classes"]
        when += [SectionRow("by class", link.label, link.ref, link.view) for link in alive]
        title = f"At {moment_text(moment - first, 6)}"
        if not rows:
            rows, when = when, []
        found = [Section(title, tuple(rows)), *found, self._all_threads(each.session, moment)]
        if when:
            found.append(Section("This moment", tuple(when)))
        if each.kind == "thread" and leaf < 0:
            found += self.thread_sections(each.row)
        return found

    def _recorded(self, session: int, moment: int) -> list[SectionRow]:
        """Returns a row saying so if nothing was recorded then."""
        column = self.recording.column
        for row in self.recording.session_rows(session, "pause"):
            if column("pause_start")[row] <= moment < column("pause_end")[row]:
                return [SectionRow("", "the recording was paused: nothing is known of what happened")]
        return []

    def _now(self, thread: int, moment: int, is_short: bool = False) -> tuple[int, str]:
        """Returns the state and call of a thread at a moment: sort rank, the most important lowest, and text."""
        rank, words = self._does(thread, moment, is_short)
        calls = [] if rank == NOT_ALIVE else calls_at(self.recording, thread, moment)
        method = int(self.recording.column("call_method")[calls[0]]) if calls else NONE
        if method == NONE:
            has_calls = bool(self.recording.session_rows(self.facts.session_of_thread(thread), "call"))
            return rank, words or ("in no recorded call" if has_calls else "there: monitors were not recorded")
        label = self.facts.names.method_label(method)
        return rank, f"{words}, in {short_method(label)}" if words else f"in {short_method(label)}"

    def _does(self, thread: int, moment: int, is_short: bool) -> tuple[int, str]:
        """Returns the same without calls; the text is empty if waits were not recorded."""
        column = self.recording.column
        start, end = int(column("thread_start")[thread]), int(column("thread_end")[thread])
        state = self.facts.at(thread, moment)
        if start != NEVER and moment < start:
            return NOT_ALIVE, "has not started"
        if end != NEVER and moment >= end:
            return NOT_ALIVE, "has ended"
        if state is None:
            return RANKS[None], "running" if self._has_states(thread) else ""
        closed = self.facts.still_waiting(self.facts.session_of_thread(thread)).closed_at.get(state)
        before = "deadlocked: " if closed is not None and moment >= closed else ""
        label = self.facts.short_label(state) if is_short else self.facts.label(state)
        return RANKS[int(column("state_kind")[state])], before + label

    def _has_states(self, thread: int) -> bool:
        """True if waits of the session's threads were recorded."""
        return bool(self.recording.session_rows(self.facts.session_of_thread(thread), "state"))

    def _all_threads(self, session: int, moment: int) -> Section:
        """Returns the states of all threads at a moment, waiting ones first."""
        names, absent, there = self.facts.names, 0, []
        for thread in self.recording.session_rows(session, "thread"):
            rank, _ = self._does(thread, moment, True)
            if rank == NOT_ALIVE:
                absent += 1
            else:
                there.append((rank, thread))
        rows = []
        for _, thread in sorted(there)[:MOST_THREADS]:
            words = self._now(thread, moment, True)[1]
            rows.append(SectionRow(names.thread_label(thread), words, names.ref("thread", thread), self.name))
        if absent:
            rows.append(SectionRow("", f"{absent:,} others have not started or have ended"))
        return Section("All threads then", tuple(rows), max(0, len(there) - MOST_THREADS))


COLLECTIONS = "Collections"
RANKS = {FOR_LOCK: 0, FOR_OBJECT: 1, SLEEPING: 2, None: 3}
NOT_ALIVE = 4
