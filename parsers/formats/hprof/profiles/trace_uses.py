"""References to each trace: rows of tables, objects, roots, threads of monitor dumps."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, MONITOR_TIME, SECTION_KINDS, SITES_KIND
from parsers.formats.hprof.data.names import decode
from parsers.formats.hprof.profiles.cumulative_sections import cumulative_sections
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.index.bitpacked.columns import numbers
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Section, SectionRow, counted

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.model.arrays import I64Array

SHOWN = 20
"""Maximum rows of a section in the side pane."""

MILLIS = 10_000
"""Parts of a millisecond: a share in 1/100 % times a total in milliseconds is in this unit."""

TABLES = {CPU_SAMPLES: ("samples", "CPU samples"), CPU_TIME: ("calls", "CPU time")}
"""By kind of section: the noun of its counts, and the view of its rows."""


class TraceUses:
    """The references of a complete profile. Each kind is counted on first use."""

    def __init__(self, recording: ProfileRecording) -> None:
        self._recording = recording

    @cached_property
    def samples(self) -> memoryview:
        """Counts of all CPU SAMPLES by trace, without sections that are known to be included in the next one."""
        return self._sums("rank_count", "rank_trace", CPU_SAMPLES)

    @cached_property
    def calls(self) -> memoryview:
        """Counts of all CPU TIME by trace."""
        return self._sums("rank_count", "rank_trace", CPU_TIME)

    @cached_property
    def time(self) -> memoryview:
        """Milliseconds of all CPU TIME by trace, in parts of `MILLIS`."""
        totals = np.abs(np.asarray(self._recording.column("section_total")).astype(np.int64))
        return self._sums("rank_self", "rank_trace", CPU_TIME, totals)

    @cached_property
    def live(self) -> memoryview:
        """Live bytes by trace, of the last SITES: they are cumulative over dumps."""
        return self._sums("site_live_bytes", "site_trace", SITES_KIND, last=True)

    @cached_property
    def objects(self) -> memoryview:
        """Objects of the last heap dump by trace."""
        counts = np.zeros(self._recording.rows("trace"), np.int64)
        for section in self._recording.sections(HEAP_DUMP)[-1:]:
            rows = self._recording.section_range(section)
            traces = numbers(self._recording.packed("object_trace"), slice(rows.start, rows.stop))
            found = np.bincount(traces[traces < len(counts)], minlength=len(counts))
            counts += found
        return counts.data

    @cached_property
    def _rows(self) -> tuple[I64Array, I64Array, I64Array]:
        """All rows that name a trace: traces, ascending, and section and row of each."""
        recording = self._recording
        every = np.array(recording.sections(CPU_SAMPLES, CPU_TIME, MONITOR_TIME, SITES_KIND), np.int64)
        rows, places = recording.rows_of(every)
        sections, traces = every[places], np.zeros(len(rows), np.int64)
        are_sites = np.asarray(recording.column("section_kind"))[sections] == SITES_KIND
        for table, there in (("site", are_sites), ("rank", ~are_sites)):
            traces[there] = np.asarray(recording.column(f"{table}_trace"))[rows[there]]
        order = np.argsort(traces, kind="stable")
        return traces[order], sections[order], rows[order]

    def _naming(self, trace: int) -> list[tuple[int, int]]:
        """Returns section and row of those that name one trace, in file order."""
        traces, sections, rows = self._rows
        start, stop = (int(np.searchsorted(traces, trace, side)) for side in ("left", "right"))
        return list(zip(sections[start:stop].tolist(), rows[start:stop].tolist(), strict=True))

    def _sums(
        self, column: str, traces: str, kind: int, factors: I64Array | None = None, last: bool = False
    ) -> memoryview:
        """Returns exact sums of a column by trace. factors: by section, a factor for its numbers"""
        recording = self._recording
        sums = np.zeros(recording.rows("trace"), np.int64)
        sections = recording.sections(kind)
        if kind == CPU_SAMPLES:
            cumulative = cumulative_sections(recording).known
            sections = [section for section in sections if section not in cumulative]
        of_rows = np.array(sections[-1:] if last else sections, np.int64)
        rows, places = recording.rows_of(of_rows)
        values = np.asarray(recording.column(column))[rows].astype(np.int64)
        if factors is not None:
            values *= factors[of_rows[places]]
        of = np.asarray(recording.column(traces))[rows]
        np.add.at(sums, of[of != NONE], values[of != NONE])
        return sums.data

    def sections(self, trace: int) -> list[Section]:
        """Returns the references to a trace as sections of the side pane."""
        found = []
        named = self._naming(trace)
        if named:
            rows = tuple(self._row(section, row) for section, row in named[:SHOWN])
            found.append(Section("In the tables", rows, max(len(named) - SHOWN, 0)))
        if self.objects[trace]:
            found.append(self._objects(trace))
        return found

    def _row(self, section: int, row: int) -> SectionRow:
        recording = self._recording
        kind = recording.column("section_kind")[section]
        title = self._titles[section]
        trace = recording.column("site_trace" if kind == SITES_KIND else "rank_trace")[row]
        ref = recording.trace_ref(trace)
        if kind == SITES_KIND:
            name = decode(recording.word(recording.column("site_class")[row]))
            live, objects = recording.column("site_live_bytes")[row], recording.column("site_live_objects")[row]
            text = f"{name}: {counted(live, 'byte')} live in {counted(objects, 'object')}"
            # The view shows the last of several dumps, as its numbers are those of the whole run.
            is_shown = section == recording.sections(SITES_KIND)[-1]
            return SectionRow(title, text, ref if is_shown else None, "Allocation sites")
        count, share = recording.column("rank_count")[row], recording.column("rank_self")[row]
        what, view = TABLES.get(kind, ("times contended", "Monitors"))
        return SectionRow(title, f"{count:,} {what}, {share / 100:.2f} %", ref, view)

    @cached_property
    def _titles(self) -> list[str]:
        """Titles of the sections: kind, and number of the dump if there are several."""
        column = self._recording.column
        snapshots = column("section_snapshot")
        several = len(set(snapshots)) > 1
        return [
            SECTION_KINDS[kind] + (f", dump {snapshot + 1}" if several else "")
            for kind, snapshot in zip(column("section_kind"), snapshots, strict=True)
        ]

    def _objects(self, trace: int) -> Section:
        """Returns the objects of the last heap dump that were allocated here, by class."""
        recording = self._recording
        rows = recording.section_range(recording.sections(HEAP_DUMP)[-1])
        here = slice(rows.start, rows.stop)
        made = rows.start + np.flatnonzero(numbers(recording.packed("object_trace"), here) == trace)
        classes, sizes = (numbers(recording.packed(name), made) for name in ("object_class", "object_size"))
        types, places, found = np.unique(classes, return_inverse=True, return_counts=True)
        sums = np.bincount(places, sizes, len(types)).astype(np.int64)
        order = np.argsort(-found, kind="stable")[:SHOWN]
        shown = tuple(
            SectionRow(decode(recording.class_name(type)), f"{counted(count, 'object')}, {counted(bytes, 'byte')}")
            for type, count, bytes in zip(*(each[order].tolist() for each in (types, found, sums)), strict=True)
        )
        return Section("Objects made here", shown, max(len(types) - SHOWN, 0))
