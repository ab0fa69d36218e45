"""The view "Collections": freed and live objects of each garbage collection, as a chart and as a table.

Agents often report heap sizes as 0 or not at all; such points are left out. Counted bytes and objects are those of
objects whose allocation was recorded.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.objects.allocated import TIMELINE_VIEW
from parsers.formats.tptp.schema.columns import NEVER
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.recorded_view import RecordedView
from parsers.formats.tptp.views.typed_moment import moment_ref, typed_moment
from parsers.model.row import Column, Link, Row, Section, SectionRow, counted
from parsers.model.time_text import nanos_text, time_text
from parsers.model.view import Switch
from parsers.views.chart_view import ChartView
from parsers.views.timelines.timeline_view import SECOND, moment_text

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport

NOTHING = float("nan")
CLASSES_VIEW = "Classes"
TIME = Column("time_s", "Time", "s", badges=(("time_s", ""),), width=10)


def _line(name: str, title: str, is_bytes: bool, width: int, priority: int) -> Column:
    return Column(name, title, "bytes" if is_bytes else "count", ((name, ""),), width, priority)


LIVE_BYTES = _line("live_bytes", "Live bytes (counted)", True, 20, 9)
USED_BYTES = _line("used_bytes", "Used bytes (reported)", True, 22, 6)
TOTAL_BYTES = _line("total_bytes", "Heap (reported)", True, 16, 4)
FREED_BYTES = _line("freed_bytes", "Freed bytes", True, 14, 7)
LIVE = _line("live", "Live (counted)", False, 14, 8)
USED = _line("used_objects", "Used (reported)", False, 16, 3)
FREES = _line("frees", "Freed", False, 9, 8)
LATE = _line("late_frees", "Freed late", False, 10, 5)
REPORTED = (USED_BYTES, TOTAL_BYTES, USED)
"""Columns reported by the agent: 0 means the same as a missing value."""
BYTES, OBJECTS = "bytes", "objects"
SERIES = {
    BYTES: (LIVE_BYTES, FREED_BYTES, USED_BYTES, TOTAL_BYTES),
    OBJECTS: (LIVE, FREES, LATE, USED),
}
NUMBERS = Switch("numbers", "n", "numbers", (BYTES, OBJECTS))
TABLE = (LIVE_BYTES, LIVE, FREED_BYTES, FREES, LATE, USED_BYTES, TOTAL_BYTES, USED)


class CollectionsView(RecordedView, ChartView):
    """A point for each collection, in file order."""

    name = "Collections"
    description = "Garbage collections over time"
    kind = "collection"
    axis = TIME

    def __init__(self, report: TraceReport) -> None:
        ChartView.__init__(self)
        RecordedView.__init__(self, report)
        self._made: dict[str, Sequence[float]] = {}

    @property
    def points(self) -> int:
        """Number of collections, once all are known."""
        return self.recording.rows("collection") if self.is_ready else 0

    @property
    def is_complete(self) -> bool:
        """True: there are no points before."""
        return self.is_ready

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The switch for bytes or objects; the table shows both."""
        return (NUMBERS,)

    @property
    def series(self) -> tuple[Column, ...]:
        """Lines for the chosen unit; those without points are omitted."""
        wanted = TABLE if self.shape == "table" else SERIES[self.choice("numbers") or BYTES]
        return tuple(column for column in wanted if column not in REPORTED or self._is_reported(column))

    def _is_reported(self, column: Column) -> bool:
        return self.is_ready and any(value == value for value in self.numbers(column))

    # -- numbers ------------------------------------------------------------------------------------------------------

    def numbers(self, column: Column) -> Sequence[float]:
        """Returns the recorded numbers; a 0 from the agent is a missing value."""
        found = self._made.get(column.name)
        if found is None or len(found) != self.points:
            found = self._made[column.name] = self._seconds() if column == TIME else self._numbers(column)
        return found

    def _numbers(self, column: Column) -> Sequence[float]:
        if not self.points:
            return ()
        values = self.column(f"collection_{column.name}")
        nothing = (0, NEVER) if column in REPORTED else (NEVER,)
        return [NOTHING if value in nothing else int(value) for value in values]

    def _seconds(self) -> list[float]:
        """Returns end times in seconds since the first session began, made non-decreasing where clocks step back."""
        found, latest = list[float](), 0.0
        for row in range(self.points):
            latest = max(latest, (self._moment(row) - self._start) / SECOND)
            found.append(round(latest, 9))
        return found

    @cached_property
    def _start(self) -> int:
        start = int(self.column("session_first_moment")[0])
        return self._moment(0) if start == NEVER else start

    def _moment(self, row: int) -> int:
        """Returns the end of a collection, else its start."""
        finish, start = (int(self.column(f"collection_{name}")[row]) for name in ("finish", "start"))
        return finish if finish != NEVER else max(start, 0)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def label(self, node: int) -> str:
        """Returns the number of a collection, and its end since the first session began."""
        return f"collection {node + 1:,}, {moment_text(int(self.numbers(TIME)[node] * SECOND), 6)}"

    def row(self, node: int) -> Row:
        """Returns the row of a collection, identified by the offset of its element."""
        row = super().row(node)
        has_ended = int(self.column("collection_finish")[node]) != NEVER
        return replace(row, ref=self.names.ref("collection", node), flags=() if has_ended else ("truncated",))

    def offset(self, node: int) -> int | None:
        """Returns the offset of its first element."""
        return int(self.column("collection_offset")[node])

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """Returns the node of a collection; for a moment, the last one ended by then. Raises `UnknownReference`."""
        found = self.names.find(ref) if self.is_ready else None
        if found is not None and found[0] == "collection":
            return found[1]
        typed = typed_moment(self.recording, ref) if self.points and "moment:" in ref else None
        if typed is None:
            return super().resolve(ref)
        rows = self.recording.session_rows(typed.session, "collection")
        return max((row for row in rows if self._moment(row) <= typed.nanos), default=min(rows.start, self.points - 1))

    def key(self, node: int) -> Hashable | None:
        """Returns the same key as the time line."""
        return ("collection", node)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a collection."""
        match key:
            case ("collection", int(row)) if 0 <= row < self.points:
                return row
        return None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns all numbers of a collection, reported and counted; the extremes of the lines."""
        value = {
            name: int(self.column(f"collection_{name}")[node])
            for name in (
                "start", "finish", "frees", "freed_bytes", "late_frees", "live", "live_bytes", "used_objects",
                "used_bytes", "total_bytes",
            )
        }  # fmt: skip
        rows = [
            SectionRow(name, time_text(value[name]), self._moment_ref(value[name], node), TIMELINE_VIEW)
            if value[name] != NEVER
            else SectionRow(name, "not in the file")
            for name in ("start", "finish")
        ]
        if NEVER not in (value["start"], value["finish"]):
            rows.append(SectionRow("took", nanos_text(value["finish"] - value["start"])))
        rows.append(
            SectionRow("freed", f"{counted(value['frees'], 'object')}, {counted(value['freed_bytes'], 'byte')}")
        )
        if value["late_frees"]:
            rows.append(SectionRow("freed late", f"{counted(value['late_frees'], 'object')} after it had ended"))
        alive = f"{counted(value['live'], 'object')}, {counted(value['live_bytes'], 'byte')}"
        rows.append(SectionRow("alive after it", alive))
        rows.append(SectionRow("", "counted from objects in view: those allocated since monitoring began"))
        rows += [SectionRow("by class", link.label, link.ref, link.view) for link in self._classes_link(node)]
        reported = [value[name] for name in ("used_objects", "used_bytes", "total_bytes")]
        if any(each not in (0, NEVER) for each in reported):
            words = zip(("{:,} objects", "{:,} bytes used", "of a heap of {:,}"), reported, strict=True)
            reported_text = ", ".join(word.format(each) for word, each in words if each not in (0, NEVER))
            rows.append(SectionRow("reported", reported_text))
        else:
            rows.append(SectionRow("reported", "nothing: the agent did not know the contents of the heap"))
        return [Section(f"Collection {node + 1:,}", tuple(rows)), *self.extremes()]

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the collection on the time line, and to the live objects after it, by class."""
        return (
            Link("on the time line", self.names.ref("collection", node), TIMELINE_VIEW),
            Link("when it ended", self._moment_ref(self._moment(node), node), TIMELINE_VIEW),
            *self._classes_link(node),
            *element_link(int(self.recording.column("collection_offset")[node])),
        )

    def _moment_ref(self, nanos: int, node: int) -> str:
        return moment_ref(nanos, self.recording.session_of("collection", node))

    def _classes_link(self, node: int) -> list[Link]:
        """Returns the link to the live objects after a collection, if objects were recorded."""
        has_ended = int(self.column("collection_finish")[node]) != NEVER
        if not has_ended or not self.recording.session_rows(self.recording.session_of("collection", node), "object"):
            return []
        return [Link("what was alive then", self.names.ref("collection", node), CLASSES_VIEW)]
