"""What refers to each trace: rows of tables, objects, roots, threads of monitor dumps."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.hprof.columns import CPU_SAMPLES, CPU_TIME, HEAP_DUMP, MONITOR_TIME, SITES_KIND
from parsers.hprof.names import decode
from parsers.index.packed import numbers
from parsers.report import Section, SectionRow

if TYPE_CHECKING:
    from parsers.hprof.recording import Recording

SHOWN = 20
"""Rows of a section in the side pane."""


class TraceUses:
    """Of a complete profile. Everything is counted when it is first asked for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    @cached_property
    def samples(self) -> Counter[int]:
        """Counts of all CPU SAMPLES by trace."""
        return self._sums("rank_count", "rank_trace", CPU_SAMPLES)

    @cached_property
    def calls(self) -> Counter[int]:
        """Counts of all CPU TIME by trace."""
        return self._sums("rank_count", "rank_trace", CPU_TIME)

    @cached_property
    def live(self) -> Counter[int]:
        """Live bytes by trace, of the last SITES: they go on from dump to dump."""
        return self._sums("site_live_bytes", "site_trace", SITES_KIND, last=True)

    @cached_property
    def objects(self) -> Counter[int]:
        """Objects of the last heap dump by trace."""
        counts: Counter[int] = Counter()
        for section in self._recording.sections(HEAP_DUMP)[-1:]:
            rows = self._recording.section_range(section)
            counts.update(self._recording.packed("object_trace")[rows.start : rows.stop])
        return counts

    @cached_property
    def _rows(self) -> dict[int, list[tuple[int, int]]]:
        """Section and row of all rows that name a trace."""
        recording = self._recording
        rows: dict[int, list[tuple[int, int]]] = {}
        for section in recording.sections(CPU_SAMPLES, CPU_TIME, MONITOR_TIME, SITES_KIND):
            is_site = recording.column("section_kind")[section] == SITES_KIND
            traces = recording.column("site_trace" if is_site else "rank_trace")
            for row in recording.section_range(section):
                rows.setdefault(traces[row], []).append((section, row))
        return rows

    def _sums(self, column: str, traces: str, kind: int, last: bool = False) -> Counter[int]:
        recording = self._recording
        sums: Counter[int] = Counter()
        sections = recording.sections(kind)
        for section in sections[-1:] if last else sections:
            rows = recording.section_range(section)
            values = recording.column(column)[rows.start : rows.stop]
            for trace, value in zip(recording.column(traces)[rows.start : rows.stop], values, strict=True):
                sums[trace] += value
        return sums

    def sections(self, trace: int) -> list[Section]:
        """What the side pane says of who refers to a trace."""
        found = []
        named = self._rows.get(trace, ())
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
        if kind == SITES_KIND:
            name = decode(recording.word(recording.column("site_class")[row]))
            live, objects = recording.column("site_live_bytes")[row], recording.column("site_live_objects")[row]
            return SectionRow(title, f"{name}: {live:,} bytes live in {objects:,} objects")
        count, share = recording.column("rank_count")[row], recording.column("rank_self")[row]
        what = {CPU_SAMPLES: "samples", CPU_TIME: "calls"}.get(kind, "times contended")
        return SectionRow(title, f"{count:,} {what}, {share / 100:.2f} %")

    @cached_property
    def _titles(self) -> list[str]:
        """The sections by their kind, and which dump they are of where there are several."""
        from parsers.hprof.columns import SECTION_KINDS

        column = self._recording.column
        snapshots = column("section_snapshot")
        several = len(set(snapshots)) > 1
        return [
            SECTION_KINDS[kind] + (f", dump {snapshot + 1}" if several else "")
            for kind, snapshot in zip(column("section_kind"), snapshots, strict=True)
        ]

    def _objects(self, trace: int) -> Section:
        """Objects of the last heap dump that were made here, by class."""
        import numpy as np

        recording = self._recording
        rows = recording.section_range(recording.sections(HEAP_DUMP)[-1])
        here = slice(rows.start, rows.stop)
        made = rows.start + np.flatnonzero(numbers(recording.packed("object_trace"), here) == trace)
        classes, sizes = (numbers(recording.packed(name), made) for name in ("object_class", "object_size"))
        types, places, found = np.unique(classes, return_inverse=True, return_counts=True)
        sums = np.bincount(places, sizes, len(types)).astype(np.int64)
        counts: Counter[int] = Counter(dict(zip(types.tolist(), found.tolist(), strict=True)))
        total: dict[int, int] = dict(zip(types.tolist(), sums.tolist(), strict=True))
        shown = tuple(
            SectionRow(decode(recording.class_name(number)), f"{count:,} objects, {total[number]:,} bytes")
            for number, count in counts.most_common(SHOWN)
        )
        return Section("Objects made here", shown, max(len(counts) - SHOWN, 0))
