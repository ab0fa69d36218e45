"""An opened `java.prof`, or output of hprof's `cpu=old`: pairs of callee and caller with calls and time."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress, pairwise
from typing import Any

from parsers.formats.jdkprofilers.lines_report import LinesReport
from parsers.formats.jdkprofilers.pairs.reader import PairReader
from parsers.formats.jdkprofilers.pairs.recording import PairKind, PairRecording
from parsers.formats.jdkprofilers.pairs.table import PairTable
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN, UNKNOWN_CALLEE, method_of, text_of
from parsers.model.row import Badge, Kind, Section, SectionRow
from parsers.model.view import References

KINDS = (
    Kind("dump", "▤", "d", "table of pairs: the counters were reset"),
    Kind("pair", "→", ">", "a method called by another"),
    Kind("heap", "▦", "h", "the heap at its largest"),
    Kind("type", "[", "[", "arrays of a primitive type"),
    Kind("table", "·", ".", "entry of the VM's table of classes"),
    Kind("class", "○", "o", "class"),
    Kind("package", "▪", "p", "package"),
    Kind("method", "●", "*", "method"),
    Kind("callers", "←", "<", "all that call it"),
    Kind("callees", "→", ">", "all that it calls"),
    Kind("caller", "←", "<", "method that calls"),
    Kind("callee", "→", ">", "method that is called"),
    Kind("output", "▢", "w", "output of the program"),
    Kind("line", "·", ".", "line that is none of the profile's"),
)
SHOWN = 8
"""Maximum rows of a list in the side pane."""


class PairReport(LinesReport):
    """One opened profile: the data of its views."""

    format = "java-prof"
    format_title = "java.prof (caller pairs)"
    all_kinds = KINDS
    reader = PairReader
    recording: PairRecording

    @cached_property
    def table(self) -> PairTable:
        """Sums over the pairs."""
        return PairTable(self.recording)

    @property
    def format_version(self) -> str | None:
        """The JDK that wrote it, if its spelling shows that: `# ` is of 1.0, slashes of 1.x, dots of 5 to 8."""
        dumps = self.recording.dumps
        if dumps and dumps[0].header.startswith(b"# "):
            return "JDK 1.0"
        return {"/": "JDK 1.x", ".": "JDK 5 to 8"}.get(self.class_separator) if dumps else None

    @property
    def facts(self) -> Mapping[str, object]:
        """The header, the separator of packages, and the JDK that wrote it."""
        dumps, by = self.recording.dumps, self.format_version
        if not dumps:
            return {}
        facts = {"header": text_of(dumps[0].header), "class_separator": self.class_separator}
        return facts | ({"written_by": by} if by else {})

    @cached_property
    def class_separator(self) -> str:
        """The separator of packages: a slash or a dot; empty if no class is in a package."""
        for text in self.recording.methods.texts:
            front = text.partition(b"(")[0]
            if b"/" in front.partition(b"$$Lambda")[0]:
                return "/"
            if front.count(b".") > 1:
                return "."
        return ""

    def counts(self) -> dict[str, Any]:
        """Returns the totals, under the names that `info --json` prints."""
        return pair_totals(self.recording, self.class_separator)

    @cached_property
    def runs(self) -> Sequence[Mapping[str, object]]:
        """The dumps, if there are several."""
        dumps = self.recording.dumps if self.is_complete else []
        return [
            {
                "name": f"dump {number}",
                "totals": {"old_rows": dump.pairs, "old_calls": dump.calls, "old_time": dump.time},
                "offset": self.recording.rows.offsets[dump.row],
            }
            for number, dump in enumerate(dumps, 1)
            if len(dumps) > 1
        ]

    # -- names --------------------------------------------------------------------------------------------------------

    @cached_property
    def name_list(self) -> Sequence[tuple[str, Sequence[int]]]:
        """Labels of methods, and those methods."""
        return list(self.table.by_label.items())

    def name_count(self, name: int) -> int:
        """Returns the number of pairs in which a method is callee or caller."""
        table = self.table
        return sum(len(table.as_callee(each)) + len(table.as_caller(each)) for each in self.name_list[name][1])

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the first pair of a method, preferably as callee."""
        table = self.table
        found = (table.as_callee(each) or table.as_caller(each) for each in self.name_list[name][1])
        return [self.node_of_pair(pairs[0]) for pairs in found if len(pairs)][:1]

    # -- shared by the views ------------------------------------------------------------------------------------------

    def node_of_pair(self, pair: int) -> int:
        """Returns the row of a pair in the first view."""
        raise NotImplementedError

    def method_ref(self, method: int) -> str | None:
        """Returns the REF of a method; None if it is unknown."""
        return None if self.table.is_unknown(method) else f"method:{self.table.label(method)}"

    def method_row(self, label: str, method: int) -> SectionRow:
        """Returns a line of the side pane with a method."""
        return SectionRow(label, self.table.label(method), self.method_ref(method), "Methods")

    def pair_badges(self, pair: int) -> dict[str, Badge]:
        """Returns numbers of a pair as printed, and the true ones if they have overflowed."""
        recording = self.recording
        badges: dict[str, Badge] = {"count": recording.counts[pair], "time": recording.times[pair]}
        if recording.counts[pair] != recording.count(pair):
            badges["count_unwrapped"] = recording.count(pair)
        if recording.times[pair] != recording.time(pair):
            badges["time_unwrapped"] = recording.time(pair)
        return badges

    def list_section(self, title: str, pairs: Sequence[int], is_callers: bool, but: int = -1) -> Section:
        """Returns the pairs with the most calls in all dumps, as links to their callers or callees."""
        recording, table = self.recording, self.table
        left_out = table.in_all_dumps(but)[0] if but >= 0 else -1
        kept = [pair for pair in table.merged(pairs) if pair != left_out]
        rows = []
        for pair in kept[:SHOWN]:
            method = recording.callers[pair] if is_callers else recording.callees[pair]
            name = method_of(recording.methods.texts[method])
            numbers = f"{table.calls(pair):,} × {table.time(pair):,} ms"
            rows.append(SectionRow(name.short, numbers, self.method_ref(method), "Methods"))
        return Section(f"{title} ({len(kept):,})", tuple(rows), len(kept) - len(rows))

    def callers_of(self, method: int) -> References:
        """Returns the pairs in which a method is called."""
        return self.pair_references(f"callers of {self.table.label(method)}", self.table.as_callee(method))

    def pair_references(self, title: str, pairs: Sequence[int]) -> References:
        """Returns pairs as rows of the first view."""
        return References(title, self.views[0].name, [self.node_of_pair(pair) for pair in pairs], have_labels=True)

    def why(self, view: str, node: int) -> Sequence[int]:
        """Returns the shortest path to a method from one without known callers, as pairs; of other rows their path."""
        key = self.view(view).key(node)
        pairs: Sequence[int] = ()
        match key:
            case ("method", str(label)):
                methods = self.table.by_label.get(label, ())
                pairs = next((self.table.path_from_root(method) for method in methods), ())
        return [self.node_of_pair(pair) for pair in pairs] or super().why(view, node)


def pair_totals(recording: PairRecording, separator: str) -> dict[str, Any]:
    """Returns counts of the file, and below `java_prof` those of its pairs. Overflowed numbers are added as printed.

    Rows without a callee are counted as such and nowhere else.
    """
    methods, find = recording.methods.texts, recording.methods.find
    missing = find(NOT_RECORDED)
    callees, callers, counts, times = recording.callees, recording.callers, recording.counts, recording.times
    if missing is not None:
        recorded = [callee != missing for callee in callees]
        callees, callers, counts, times = (
            array(column.typecode, compress(column, recorded)) for column in (callees, callers, counts, times)
        )
    distinct_callees, distinct_callers = set(callees), set(callers)
    found: dict[str, Any] = {
        "rows": len(counts),
        "rows_without_callee": recording.without_callee,
        "unreadable_total": recording.unreadable,
        "calls": sum(counts),
        "calls_if_unwrapped": sum(map(recording.unwrapped, counts)),
        "time_ms_all_rows": sum(times),
        "negative_counts": sum(count < 0 for count in counts),
        "negative_times": sum(time < 0 for time in times),
        "sorted_by_count": all(before >= after for before, after in pairwise(counts)),
        "class_separator": separator,
        "unknown_callees": _count(callees, find(UNKNOWN_CALLEE)),
        "unknown_callers": sum(_count(callers, find(name)) for name in UNKNOWN),
        "distinct_callees": len(distinct_callees),
        "distinct_callers": len(distinct_callers),
        "distinct_methods": sum(b"(" in methods[method] for method in distinct_callees | distinct_callers),
    }
    if recording.heaps:
        heaps, kinds = recording.heaps, recording.rows.kinds
        found["heap"] = {
            "handles_used": heaps[0].handles_used,
            "handles_free": heaps[0].handles_free,
            "heap_used": heaps[0].used,
            "heap_free": heaps[0].free,
            "tables": sum(heap.tables for heap in heaps),
            "class_rows": kinds.count(PairKind.INSTANCES),
            "class_bytes": sum(
                size
                for row, size in zip(recording.heap_rows, recording.heap_sizes, strict=True)
                if kinds[row] == PairKind.INSTANCES
            ),
        }
    totals: dict[str, Any] = {
        "foreign_lines": recording.foreign_lines,
        "old_sections": len(recording.dumps),
        "old_rows": found["rows"],
        "old_calls": found["calls"],
        "old_time": found["time_ms_all_rows"],
    }
    if recording.cut_lines:
        totals["cut_lines"] = recording.cut_lines
    return totals | {"java_prof": found}


def _count(column: array[int], number: int | None) -> int:
    return 0 if number is None else column.count(number)
