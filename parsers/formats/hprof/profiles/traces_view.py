"""The view "Traces": all traces with their frames, the innermost first, and the references to each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, HAS_CUT, IS_EMPTY, NOWHERE, PHASES, SITES_KIND
from parsers.formats.hprof.data.names import decode, frame_label, method_label, method_spans
from parsers.formats.hprof.profiles.trace_uses import MILLIS, TraceUses
from parsers.heapdump.graph.columns import HEAP_DUMP, IS_MISSING
from parsers.model.capabilities import NamesTraces
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Column, Link, Section, SectionRow, SortKey, Span
from parsers.model.trees.grouped_preorder import TwoLevelPreorder
from parsers.model.view import References, UnknownReference
from parsers.views.base import LabelFiltered
from parsers.views.entry_view import EntryView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.report import HprofReport
    from parsers.model.view import View

FRAMES = Column("frames", "Frames", width=7, priority=1)
SAMPLES = Column("samples", "Samples", width=9, priority=4, adds_up=True)
TIME = Column("time_ms", "Time", "ms", width=10, priority=3, adds_up=True)
CALLS = Column("calls", "Calls", width=10, priority=3, adds_up=True)
LIVE = Column("live", "Live", "bytes", width=9, priority=2, adds_up=True)
OBJECTS = Column("objects", "Objects", width=9, priority=2, adds_up=True)
OF_TABLES = ((SAMPLES, CPU_SAMPLES), (TIME, CPU_TIME), (CALLS, CPU_TIME), (LIVE, SITES_KIND), (OBJECTS, HEAP_DUMP))
"""Columns, and their kinds of sections."""


class TraceRows(TwoLevelPreorder):
    """A `Preorder` of traces with their frames as leaves."""

    def __init__(self, recording: ProfileRecording) -> None:
        self._recording = recording

    @property
    def is_complete(self) -> bool:  # type: ignore[override]  # recordings grow
        """True if no more rows will be added."""
        return self._recording.is_complete

    @property
    def groups(self) -> int:
        """Number of traces."""
        return self._recording.rows("trace")

    def before(self, group: int) -> int:
        """Number of frames before those of a trace."""
        firsts = self._recording.column("trace_first")
        return firsts[group] if group < len(firsts) else self._recording.rows("stack")


class TracesView(LabelFiltered, EntryView):
    """A row for each trace; below it one for each frame."""

    name = "Traces"
    description = "Stack traces with their numbers"
    starts_closed = False
    orders: tuple[str, ...] = ("samples", "time_ms", "calls", "live", "objects", "frames", "name")

    def __init__(self, report: HprofReport) -> None:
        self._report = report
        self._recording = report.recording

    @property
    def columns(self) -> tuple[Column, ...]:
        """Numbers of the tables that the file has."""
        return (*(column for column, kind in OF_TABLES if kind in self._report.sections_there), FRAMES)

    @cached_property
    def rows(self) -> TraceRows:
        """Traces and frames."""
        return TraceRows(self._recording)

    @property
    def root_count(self) -> int | None:
        """Number of traces."""
        return self.rows.groups

    @cached_property
    def _uses(self) -> TraceUses:
        return TraceUses(self._recording)

    def entry_of(self, node: int) -> ListRow:
        """Returns the contents of the row of a trace or a frame."""
        trace, frame = self.rows.place(node)
        return self._trace(trace) if frame < 0 else self._frame(trace, frame)

    def _trace(self, trace: int) -> ListRow:
        column = self._recording.column
        serial, flags, frames = column("trace_serial")[trace], column("trace_flags")[trace], self._frames(trace)
        offset = column("trace_offset")[trace]
        label = f"trace {serial}"
        spans: tuple[Span, ...] = ()
        if flags & IS_MISSING:
            label += ": not in the file"
        elif not frames:
            label += ": no frames"
        else:
            start = len(label) + 2
            label += f": {self._method(trace, 0)}"
            spans = method_spans(label, start)
        marks = ("dangling",) if flags & IS_MISSING else ("truncated",) if flags & HAS_CUT else ()
        return ListRow(
            "trace",
            label,
            badges=self._badges(trace, frames),
            flags=(*marks, "empty") if flags & IS_EMPTY else marks,
            ref=self._ref(trace),
            offset=offset if offset != NOWHERE else None,
            spans=spans,
        )

    def _frame(self, trace: int, frame: int) -> ListRow:
        label = frame_label(self._recording.frame(self._recording.stack(trace)[frame]))
        spans = method_spans(label, 0, len(self._method(trace, frame)))
        return ListRow("frame", label, badges={"frame": frame}, spans=spans)

    def _frames(self, trace: int) -> int:
        return self._recording.column("trace_frames")[trace]

    def _method(self, trace: int, frame: int) -> str:
        """Returns `class.method` of a frame."""
        number = self._recording.stack(trace)[frame]
        methods = self._recording.column("frame_method")
        if number < len(methods):
            return method_label(self._recording.method(methods[number]))
        return frame_label(self._recording.frame(number)).partition("(")[0]

    def _view_of(self, trace: int) -> str | None:
        """Returns the view with the samples or calls of a trace's methods; None if neither has it."""
        if not self._recording.is_complete:
            return None
        if self._uses.samples[trace]:
            return "CPU samples"
        return "CPU time" if self._uses.calls[trace] else None

    def _ref(self, trace: int) -> str:
        """Returns the REF of a trace: its number, if that identifies this row."""
        ref = self._recording.trace_ref(trace)
        return ref if self._recording.trace_named(ref) == trace else f"node:{self.rows.node(trace)}"

    def _badges(self, trace: int, frames: int) -> Mapping[str, float]:
        badges: dict[str, float] = {"frames": frames}
        thread = self._recording.column("trace_thread")[trace]
        if thread != NONE:
            badges["thread"] = thread
        if self._recording.is_complete:
            uses = self._uses
            for name, counts in (
                ("samples", uses.samples),
                ("time_ms", uses.time),
                ("calls", uses.calls),
                ("live", uses.live),
                ("objects", uses.objects),
            ):
                count = counts[trace]
                if count:
                    badges[name] = round(count / MILLIS, 2) if name == "time_ms" else count
        return badges

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the keys of an order: numbers of a badge, -1 where there is none."""
        if order == "name":
            return self.labels_of(nodes)
        places = map(self.rows.place, nodes)
        return [
            -1 if frame >= 0 else self._badges(trace, self._frames(trace)).get(order, -1) for trace, frame in places
        ]

    def labels_of(self, nodes: Sequence[int]) -> list[str]:
        """Returns the labels of some nodes; of traces that of the innermost frame, as numbers are no names."""
        return [label.partition(": ")[2] or label for label in (self.entry_of(node).label for node in nodes)]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of a REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if kind in ("trace", "run"):
            trace = self._recording.trace_named(ref)
            if trace is None:
                raise UnknownReference(f"{ref}: no trace of this number in the file")
            return [self.rows.node(trace)]
        nodes = range(self.rows.rows) if kind in ("name", "method") else ()
        return next(([node] for node in nodes if self._name(node, kind) == value), [])

    def first_of_method(self, method: int) -> Sequence[int]:
        """Returns the first frame of a method in any trace, if there is one."""
        column = self._recording.column
        stack, first = np.asarray(column("stack")), np.asarray(column("trace_first"))
        places = np.flatnonzero(np.asarray(column("frame_method"))[stack] == method)[:1]
        return [trace + int(place) for place in places for trace in np.searchsorted(first, places, "right").tolist()]

    def _name(self, node: int, kind: str) -> str:
        trace, frame = self.rows.place(node)
        if kind == "method":
            return self._method(trace, frame) if frame >= 0 else ""
        return self.entry_of(node).label

    def key(self, node: int) -> Hashable | None:
        """Returns the key: of a trace the trace, of a frame its method."""
        trace, frame = self.rows.place(node)
        return ("trace", trace) if frame < 0 else ("method", self._method(trace, frame))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a trace."""
        match key:
            case ("trace", int(trace)) if 0 <= trace < self.rows.groups:
                return self.rows.node(trace)
        return None

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the references to a trace."""
        trace, _ = self.rows.place(node)
        column = self._recording.column
        facts = [SectionRow("trace", str(column("trace_serial")[trace]))]
        thread, phase = column("trace_thread")[trace], column("trace_phase")[trace]
        if thread != NONE:
            ref = f"thread:{thread}" if self._is_known(thread) else None
            facts.append(SectionRow("thread", self._thread(thread), ref, "Threads"))
        if phase:
            facts.append(SectionRow("phase of the JVM", decode(PHASES[phase])))
        sections = [Section("Trace", tuple(facts)), self.frames_section(trace)]
        return [*sections, *self._uses.sections(trace)] if self._recording.is_complete else sections

    def frames_section(self, trace: int) -> Section:
        """Returns the frames of a trace, each a link to its method in a profile, or else to its row."""
        start = self.rows.node(trace) + 1
        frames = self._recording.stack(trace)
        view = self._view_of(trace)
        rows = tuple(
            SectionRow(
                "",
                frame_label(self._recording.frame(frame)),
                f"node:{start + place}" if view is None else f"method:{self._method(trace, place)}",
                view or self.name,
            )
            for place, frame in enumerate(frames)
        )
        return Section("Frames", rows or (SectionRow("", "none"),))

    def _thread(self, id: int) -> str:
        name = self._report.thread_name(id)
        return f"{name} ({id})" if name else str(id)

    def links(self, node: int) -> Sequence[Link]:
        """Returns links from a trace to its thread."""
        trace, _ = self.rows.place(node)
        thread = self._recording.column("trace_thread")[trace]
        return (Link("thread", f"thread:{thread}", "Threads"),) if self._is_known(thread) else ()

    def _is_known(self, thread: int) -> bool:
        """True if a thread has a record of its own: a file that was cut may lack it."""
        return thread != NONE and thread in self._recording.column("thread_id")

    def references(self, node: int) -> References:
        """Returns the rows that name a trace, of the first view that has some."""
        trace, _ = self.rows.place(node)
        for view in self._report.views:
            nodes = self._naming(view, trace)
            if nodes:
                return References(f"rows of {self._trace(trace).label}", view.name, nodes)
        return References(f"references to {self.entry_of(node).label}", self.name, ())

    def _naming(self, view: View, trace: int) -> Sequence[int]:
        """Returns the rows of another view that name a trace."""
        if view.name == self.name or not view.is_ready:
            return ()
        if isinstance(view, NamesTraces):
            return view.nodes_of_trace(trace)
        node = view.find_key(("trace", trace))
        return () if node is None else (node,)
