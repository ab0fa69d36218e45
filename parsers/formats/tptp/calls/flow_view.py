"""The view "Flow": the calls of each thread in order. Consecutive equal calls are folded into one row."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.calls.flow_rows import FlowRows, Head
from parsers.formats.tptp.schema.columns import IS_RUNNING, NEVER, NO_ENTRY, NO_EXIT, NOWHERE
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.negative_times import NODE, differences
from parsers.formats.tptp.views.recorded_view import RecordedView
from parsers.formats.tptp.views.typed_moment import moment_ref
from parsers.model.names.java_name import method_spans
from parsers.model.names.patterns import Subject, methods_pattern
from parsers.model.names.ref_number import ref_number
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, SortKey, Unit, counted
from parsers.model.time_text import nanos_text, time_text
from parsers.model.view import References, StrangeReference, Switch, UnknownReference
from parsers.profile.method_name import holder_of
from parsers.query.selection.method_filters import MethodFilters
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U32Array
    from parsers.reporting.export.sample import Sample

FLOW_VIEW = "Flow"
REPETITIONS = Switch("repetitions", "c", "repetitions", ("folded", "each"))
TIMES = Column("times", "times", width=9, priority=4)
TOOK = Column("took", "took", "ns", width=11, priority=6, adds_up=True)
BASE = Column("base", "base", "ns", width=11, priority=3, adds_up=True)
BEGAN = Column("began", "began", "ns", width=12, priority=5)
DEPTH = Column("depth", "depth", width=6, priority=1)
NEGATIVE = Column("negative", "negative", "ns", width=11, priority=2, adds_up=True)
"""Part of the time of equal calls that belongs to calls ending before they begin."""
MOST_LISTED = 1_000
"""Most calls of a method in one list."""


class FlowView(RecordedView, PositionsView):
    """A `View`. Rows are threads, with calls below them."""

    name = FLOW_VIEW
    description = "Method calls of each thread in order of time"
    orders: tuple[str, ...] = ("took", "base", "times", "name")
    starts_closed = True

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns; negative times only if there are any."""
        return (TIMES, DEPTH, BASE, BEGAN, *((NEGATIVE,) if self._has_negative else ()), TOOK)

    @property
    def _has_negative(self) -> bool:
        """True if calls have negative times."""
        return self.is_ready and len(self.column(NODE)) > 0

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switch that makes each repetition a row."""
        return (REPETITIONS,) if self.is_ready else ()

    @cached_property
    def rows(self) -> FlowRows:
        """The rows."""
        return FlowRows(self.recording, self.names, self.choice("repetitions") == "folded")

    @property
    def root_count(self) -> int | None:
        """Number of sessions if there are several, else of threads."""
        if not self.is_ready:
            return None
        return sum(head.is_session or self.rows.levels == 1 for head in self.rows.heads)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def call_row(self, call: int) -> int:
        """Returns the row of calls for a row of the view."""
        return int(self.column("call_of_thread")[self.rows.place_of(call)])

    def row(self, node: int) -> Row:
        """Returns one row."""
        head, call = self.rows.place(node)
        return self._head_row(node, head) if call < 0 else self._call_row(node, call)

    def _head_row(self, node: int, head: Head) -> Row:
        below = self.rows.end(node) - node - 1
        names, badges = self.names, dict[str, Badge]()
        if head.is_session:
            label, kind, ref = names.session_label(head.row), "session", f"session:{head.row + 1}"
        else:
            label, kind, ref = names.thread_label(head.row), "thread", names.ref("thread", head.row)
            badges["calls"] = int(self.column("thread_calls")[head.row])
        return Row(
            node=node,
            kind=kind,
            label=label,
            depth=self.rows.depth(node),
            badges=badges,
            ref=ref,
            rows_below=below,
            has_children=below > 0,
        )

    def _call_row(self, node: int, call: int) -> Row:
        row = self.call_row(call)
        label = self.names.method_label(self.column("call_method")[row])
        below = self.rows.end(node) - node - 1
        flags = int(self.column("call_flags")[row])
        offset = self.column("call_offset")[row]
        return Row(
            node=node,
            kind="call",
            label=label,
            depth=self.rows.depth(node),
            badges=self._badges(call, row),
            flags=("truncated",) if flags & (IS_RUNNING | NO_EXIT) else ("partial",) if flags & NO_ENTRY else (),
            ref=self.names.ref("call", row),
            offset=None if offset == NOWHERE else int(offset),
            rows_below=below,
            has_children=below > 0,
            spans=method_spans(label),
        )

    def _badges(self, call: int, row: int) -> dict[str, Badge]:
        """Returns the numbers of a call including its repetitions."""
        rows, badges = self.rows, dict[str, Badge]()
        times = 1 if rows.times is None else int(rows.times[call])
        start = int(self.column("call_start")[row])
        if times > 1:
            badges["times"] = times
        took = self._took(call, row)
        if took is not None:
            badges["took"] = took
            badges["base"] = int(
                self.column("call_base")[row] if rows.times is None else self.column("flow_kept_base")[call]
            )
            negative = self._negative(call).sum()
            if negative:
                badges["negative"] = int(negative)
        if start != NEVER:
            badges["began"] = start - self._began(row)
        depth = int(self.column("call_depth")[row])
        if depth:
            badges["depth"] = depth
        ticket = int(self.column("call_ticket")[row])
        if ticket != NEVER:
            badges["ticket"] = ticket
        return badges

    def _took(self, call: int, row: int) -> int | None:
        """Returns the time of a call including its repetitions; None if not measured."""
        start, end = int(self.column("call_start")[row]), int(self.column("call_end")[row])
        if start == NEVER or end == NEVER:
            return None
        if self.rows.times is not None and self.rows.times[call] > 1:
            return int(self.column("flow_kept_took")[call])
        return end - start

    def _began(self, row: int) -> int:
        """Returns the start of the session of a call."""
        return int(self.column("session_earliest")[self.recording.session_of("call", row)])

    def remark(self, row: Row) -> str:
        """Returns what is unusual about a call, or the number of calls of a thread."""
        if row.kind == "thread":
            return counted(row.badges["calls"], "call")
        if row.kind != "call":
            return ""
        call = self.rows.place(row.node)[1]
        return ", ".join(self._oddities(call, self.call_row(call)))

    def _oddities(self, call: int, row: int) -> list[str]:
        flags = int(self.column("call_flags")[row])
        words = (
            (IS_RUNNING, "still running at the end"),
            (NO_EXIT, "no exit: one that called it was left"),
            (NO_ENTRY, "no entry: it began before the recording"),
        )
        found, count = [text for flag, text in words if flags & flag], np.count_nonzero(self._negative(call))
        if count:
            times = 1 if self.rows.times is None else int(self.rows.times[call])
            found.append("ends before it begins" if times == 1 else f"{count:,} of {times:,} end before they begin")
        return found

    def _negative(self, call: int) -> I64Array:
        """Returns the negative part of the time of a call and its repetitions, else 0: int64."""
        if not self._has_negative:
            return np.zeros(1, np.int64)
        times = 1 if self.rows.times is None else int(self.rows.times[call])
        # Equal calls in a row occupy equally many positions.
        place = self.rows.place_of(call)
        places = place + (int(self.column("flow_end")[place]) - place) * np.arange(times)
        rows = self.recording.numbers("call_of_thread", places)
        return np.minimum(differences(*(self.recording.numbers(name, rows) for name in ("call_start", "call_end"))), 0)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order."""
        if order == "name":
            return [self.row(node).label for node in nodes]
        if len(nodes) > 2 and order in ("took", "base") and self.rows.place(nodes[0])[1] >= 0:
            head, call = self.rows.place(nodes[0])
            calls = np.asarray(nodes) - (nodes[0] - call)
            if int(calls[-1]) < self.rows.calls and self.rows.place(nodes[-1])[0] is head:
                return self._numbers(order, calls)
        found = [self.row(node).badges.get(order) for node in nodes]
        return [value if isinstance(value, int) else NEVER for value in found]

    def _numbers(self, order: str, calls: I64Array) -> list[int]:
        """Returns the times of many calls."""
        if self.rows.times is not None:
            found: list[int] = self.recording.numbers(f"flow_kept_{order}", calls).tolist()
            return found
        rows = self.recording.numbers("call_of_thread", calls)
        if order == "base":
            found = self.recording.numbers("call_base", rows).tolist()
            return found
        start, end = (self.recording.numbers(name, rows) for name in ("call_start", "call_end"))
        found = np.where((start != NEVER) & (end != NEVER), end - start, NEVER).tolist()
        return found

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def node_of(self, row: int) -> int:
        """Returns the node of a row of calls: its own, or that of the call it repeats."""
        thread = int(self.column("call_thread")[row])
        places = self.recording.of_thread("call", thread)
        of_thread = self.recording.numbers("call_of_thread", places)
        place = places.start + int(np.searchsorted(of_thread, np.uint32(row)))
        return self.rows.node_of_call(self.rows.call_at(place))

    def resolve(self, ref: str) -> int:
        """Returns the node of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all of the file has been read")
        kind, _, value = ref.partition(":")
        number = ref_number(value)
        if kind == "node" and number is not None and number < self.rows.rows:
            return number
        if kind == "session" and number is not None:
            node = self.rows.head_of(True, number - 1)
        elif kind in ("method", "name"):
            node = self._first_of(value)
        else:
            found = self.names.find(ref)
            if found is None and kind not in ("thread", "call", "node", "run"):
                raise StrangeReference(f"{ref}: {self.name} has no such rows")
            node = None if found is None else self.find_key(found)
        if node is None:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return node

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a thread or session; for a call the key of its method, which other views have, too."""
        head, call = self.rows.place(node)
        if call >= 0:
            return ("method", self.names.method_label(self.column("call_method")[self.call_row(call)]))
        return ("session" if head.is_session else "thread", head.row)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a thread, session or call; for a method its first call."""
        if not self.is_ready:
            return None
        match key:
            case ("thread", int(row)):
                return self.rows.head_of(False, row)
            case ("session", int(row)):
                return self.rows.head_of(True, row)
            case ("call", int(row)):
                return self.node_of(row)
            case ("method", str(label)):
                return self._first_of(label)
        return None

    @cached_property
    def _groups(self) -> U32Array:
        """Number of the method label, by call with a row."""
        of_row = self.names.method_groups[1].astype(np.uint32)
        calls = self.recording.numbers("call_of_thread", slice(None) if self.rows.places is None else self.rows.places)
        methods = self.recording.numbers("call_method", calls)
        return of_row[methods] if len(of_row) else methods

    def _calls_of(self, label: str) -> I64Array:
        """Returns the calls of a method that have rows."""
        labels = self.names.method_groups[0]
        return np.flatnonzero(self._groups == labels.index(label)) if label in labels else np.empty(0, np.int64)

    def _first_of(self, label: str) -> int | None:
        calls = self._calls_of(label)
        return self.rows.node_of_call(int(calls[0])) if len(calls) else None

    def why(self, node: int) -> References:
        """Returns the callers of a call."""
        return References(f"the path to {self.row(node).label}", self.name, self.path(node))

    def references(self, node: int) -> References:
        """Returns all calls of the method, the longest first; for a thread its longest."""
        _head, call = self.rows.place(node)
        if call < 0:
            return References(f"calls of {self.row(node).label}", self.name, self.tree.children(node, "took"), True)
        label = self.row(node).label
        calls = self._calls_of(label)
        took = self._numbers("took", calls)
        ranked = calls[np.argsort(-np.array(took, np.int64), kind="stable")][:MOST_LISTED]
        return References(f"calls of {label}", self.name, [self.rows.node_of_call(each) for each in ranked.tolist()])

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the known facts of a call."""
        _head, call = self.rows.place(node)
        if call < 0:
            shown = self.row(node)
            facts = [SectionRow("calls", f"{shown.badges['calls']:,}")] if "calls" in shown.badges else []
            return (
                Section(
                    shown.label,
                    (*facts, SectionRow("rows", f"{shown.rows_below:,}, repetitions {self._repetitions()}")),
                ),
            )
        row = self.call_row(call)
        badges, column = self._badges(call, row), self.column
        facts = [SectionRow("odd", text) for text in self._oddities(call, row)]
        if "times" in badges:
            facts.append(SectionRow("in a row", f"{counted(badges['times'], 'time')}, equal in all that was called"))
        facts += [SectionRow(title, nanos_text(value)) for title, value in self._times(badges)]
        for title, name in (("from", "call_start"), ("to", "call_end")):
            moment = int(column(name)[row])
            if moment != NEVER:
                facts.append(SectionRow(title, time_text(moment), self._when(row, moment), "Time line"))
        overhead = int(column("call_overhead")[row])
        if overhead not in (0, NEVER):
            facts.append(SectionRow("overhead", f"{nanos_text(overhead)} by the agent, of one call"))
        facts += self._depth_facts(node, badges)
        if "ticket" in badges:
            facts.append(SectionRow("ticket", str(badges["ticket"])))
        return (Section("Call", tuple(facts)),)

    def _when(self, row: int, moment: int) -> str:
        """Returns the REF of a moment, in the lane of the call's thread."""
        ref = moment_ref(moment, self.recording.session_of("call", row))
        thread = int(self.column("call_thread")[row])
        return ref if thread == NONE else f"{ref}/{self.names.ref('thread', thread)}"

    def _repetitions(self) -> str:
        return "folded" if self.rows.times is not None else "each"

    def _times(self, badges: Mapping[str, Badge]) -> Iterator[tuple[str, int]]:
        for title, name in (("took", "took"), ("base", "base"), ("began after", "began")):
            value = badges.get(name)
            if isinstance(value, int):
                yield title, value

    def _depth_facts(self, node: int, badges: Mapping[str, Badge]) -> list[SectionRow]:
        """Returns the depth that the VM recorded, and the number of unrecorded levels."""
        depth = badges.get("depth")
        if not isinstance(depth, int):
            return []
        seen = self.rows.depth(node) - self.rows.levels + 1
        more = f": {depth - seen:,} above were not seen" if depth > seen else ""
        return [SectionRow("depth", f"{depth:,} on the stack{more}")]

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the thread, the method in other views, the start of the call and the element."""
        head, call = self.rows.place(node)
        names = self.names
        if call < 0:
            if head.is_session:
                return ()
            targets = (("thread", "Threads"), ("in Time line", "Time line"), ("its calls together", "Call tree"))
            return [Link(title, names.ref("thread", head.row), view) for title, view in targets]
        row = self.call_row(call)
        method = f"method:{names.method_label(self.column('call_method')[row])}"
        thread, found = int(self.column("call_thread")[row]), list[Link]()
        if self.column("call_node")[row] != NONE:
            found.append(Link("all calls of the method together", method, "Call tree"))
            found.append(Link("who calls it", method, "Callers"))
        found.append(Link("method", names.ref("method", int(self.column("call_method")[row])), "Methods"))
        if thread != NONE:
            found.append(Link("thread", names.ref("thread", thread), "Threads"))
            began = int(self.column("call_start")[row])
            if began != NEVER:
                found.append(Link("when it began", self._when(row, began), "Time line"))
        return [*found, *element_link(int(self.column("call_offset")[row]))]

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class."""
        call = self.rows.place(node)[1]
        holder = holder_of(self.row(node).label) if call >= 0 else ""
        return methods_pattern(holder)

    # -- bulk access --------------------------------------------------------------------------------------------------

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return [self._texts[1][number] for number in self._texts[0][start:stop].tolist()]

    @cached_property
    def _texts(self) -> tuple[I64Array, list[str]]:
        """Number of the label by row, and the labels."""
        labels = list(self.names.method_groups[0])
        heads = [head.node for head in self.rows.heads]
        numbers = np.empty(self.rows.rows, np.int64)
        is_call = np.ones(self.rows.rows, np.bool_)
        is_call[heads] = False
        numbers[is_call] = self._groups
        numbers[heads] = np.arange(len(heads)) + len(labels)
        return numbers, labels + [self._head_row(head.node, head).label for head in self.rows.heads]

    def row_filters(self) -> MethodFilters:
        """Returns the filter data of all rows."""
        return MethodFilters(self, *self._texts)

    # -- samples ------------------------------------------------------------------------------------------------------

    def sample_values(self) -> list[tuple[str, Unit]]:
        """Returns the self time of each call."""
        return [("base", "ns")]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields the calls in order as stacks, each with its self time."""
        from parsers.reporting.export.sample import Sample, SampleFrame

        numbers, labels = self._texts
        frames = [SampleFrame(number, label) for number, label in enumerate(labels)]
        start, stop = (0, self.rows.rows) if node is None else (node, self.rows.end(node))
        path = [frames[int(numbers[above])] for above in (() if node is None else self.path(node)[:-1])]
        for each in range(start, stop):
            _head, call = self.rows.place(each)
            del path[self.rows.depth(each) :]
            path.append(frames[int(numbers[each])])
            if call < 0:
                continue
            base = self._badges(call, self.call_row(call)).get("base")
            if isinstance(base, int) and base > 0:
                yield Sample(tuple(path), (float(base),))
