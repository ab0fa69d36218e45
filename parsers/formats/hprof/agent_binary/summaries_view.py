"""The view "Heap summaries": live and allocated memory at each HEAP_SUMMARY of a binary file.

The agent writes one when requested over its socket. Allocated bytes and objects count from the start of the JVM, so
their rates are the interesting part.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from parsers.formats.hprof.report import SUMMARY_KIND
from parsers.model.row import Column, Section, SectionRow, Unit
from parsers.model.view import Switch
from parsers.views.chart_view import ChartView

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording

TIME = Column("time_s", "Time", "s", width=10)
TOTALS = (
    Column("live_bytes", "Live bytes", "bytes", width=15, priority=5),
    Column("allocated_bytes", "Allocated bytes", "bytes", width=17, priority=4),
    Column("live_objects", "Live objects", width=13, priority=3),
    Column("allocated_objects", "Allocated objects", width=17, priority=2),
)
"""Lines of counts; each has a column of the recording with the prefix `summary_`."""
PER_SECOND: tuple[Unit, ...] = ("bytes/s", "bytes/s", "count/s", "count/s")
RATES = tuple(
    Column(f"{each.name}_rate", f"{each.title}/s", unit, width=each.width, priority=each.priority)
    for each, unit in zip(TOTALS, PER_SECOND, strict=True)
)
"""Lines of the rates since the point before."""

NUMBERS = Switch("numbers", "n", "numbers", ("totals", "per second"))


NOTHING = float("nan")
"""The rate of the first point."""


class SummariesView(ChartView):
    """A point for each record."""

    name = "Heap summaries"
    description = "Live and allocated memory over time"
    kind = SUMMARY_KIND.name
    axis = TIME

    def __init__(self, recording: ProfileRecording, created_ms: int) -> None:
        super().__init__()
        self._recording, self._created_ms = recording, created_ms
        self._made: dict[str, tuple[int, list[float]]] = {}
        """Number of points, and the values, by column."""

    @property
    def points(self) -> int:
        """Number of records so far."""
        return self._recording.rows("summary")

    @property
    def is_complete(self) -> bool:
        """True if all are known."""
        return self._recording.is_complete

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The switch for totals or rates."""
        return (NUMBERS,)

    @property
    def series(self) -> tuple[Column, ...]:
        """Lines for the choice."""
        return TOTALS if self.choice(NUMBERS.name) == "totals" else RATES

    def numbers(self, column: Column) -> Sequence[float]:
        """Returns recorded or derived numbers."""
        if column in TOTALS:
            return self._recording.column(f"summary_{column.name}")
        points, made = self._made.get(column.name, (-1, []))
        if points != self.points:
            points = self.points
            made = self._seconds() if column == TIME else self._rates(TOTALS[RATES.index(column)])
            self._made[column.name] = points, made
        return made

    def _seconds(self) -> list[float]:
        return [micros / 1e6 for micros in self._recording.column("summary_micros")]

    def _rates(self, total: Column) -> list[float]:
        """Returns, by point, the change of a total per second since the point before."""
        values, seconds = self.numbers(total), self.numbers(TIME)
        rates = [NOTHING] * len(values)
        before, start = 0.0, float("inf")
        for node, (after, end) in enumerate(zip(values, seconds, strict=True)):
            if end > start:
                rates[node] = round((after - before) / (end - start), 1)
            before, start = after, end
        return rates

    def label(self, node: int) -> str:
        """Returns the time of the record, since the start of the recording."""
        return since_start(self.numbers(TIME)[node])

    def offset(self, node: int) -> int | None:
        """Returns the offset of its record."""
        return self._recording.column("summary_offset")[node]

    def sections(self, node: int) -> Sequence[Section]:
        """Returns all numbers of the point, rates since the point before, extremes of the lines."""
        written = self._created_ms / 1000 + self.numbers(TIME)[node]
        date = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(written % 1e11))
        facts = [SectionRow("written", date)]
        facts += [SectionRow(each.title.lower(), f"{self.numbers(each)[node]:,}") for each in TOTALS]
        found = [Section(f"Heap at {self.label(node)}", tuple(facts))]
        if node:
            found.append(self._changes(node))
        return [*found, *self.extremes()]

    def _changes(self, node: int) -> Section:
        """Returns the changes since the point before, and their rates."""
        seconds = self.numbers(TIME)
        rows = [SectionRow("time", f"{seconds[node] - seconds[node - 1]:,.3f} s")]
        for total, rate in zip(TOTALS, RATES, strict=True):
            values, speed = self.numbers(total), self.numbers(rate)[node]
            per_second = "" if isnan(speed) else f", {speed:+,.0f}/s"
            rows.append(SectionRow(total.title.lower(), f"{int(values[node] - values[node - 1]):+,}{per_second}"))
        return Section("Since the one before", tuple(rows))


def since_start(seconds: float) -> str:
    """Formats a time since the start of a recording: `3.402 s`, `12:05.3`, `1:02:05`."""
    if seconds < 60:
        return f"{seconds:.3f} s"
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes:.0f}:{rest:04.1f}"
    return f"{minutes // 60:.0f}:{minutes % 60:02.0f}:{int(rest):02}"
