"""The view "Caller pairs": the lines of a `java.prof` in their order, each pair a row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import RowPlaces, share
from parsers.formats.jdkprofilers.lines_view import Content, LinesView
from parsers.formats.jdkprofilers.pairs.recording import PairKind, PairRecording
from parsers.formats.jdkprofilers.texts import heap_class, method_of
from parsers.model.names.java_method import Method
from parsers.model.names.java_name import class_spans
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Column, Link, Row, Section, SectionRow, Span, counted
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.pairs.report import PairReport

ARROW = " <- "
"""Separator of a callee and its caller."""

UNWRAPPED_COUNT = (("count_unwrapped", "~"), ("count", ""))
CALLS = Column("count", "Calls", badges=UNWRAPPED_COUNT, width=17, priority=3, bar=6, heading="Calls ~unwrapped")
TIME = Column("time", "Time ms", "ms", badges=(("time_unwrapped", "~"), ("time", "")), width=9, priority=2)


class PairsView(LinesView[PairRecording]):
    """A `Document`: a row for each line of the profile; several dumps in the file are rows above their pairs.

    Places are (0, row of the recording).
    """

    name = "Caller pairs"
    sorted_by = "count"
    description = "Caller and callee pairs with their times"
    columns: tuple[Column, ...] = (CALLS, TIME)
    orders: tuple[str, ...] = ("count", "time", "name")
    searches_labels = True
    """True: the file has signatures, and in old ones slashes, where labels have types and dots."""
    kind_words = PairKind.words
    no_lines = (PairKind.OUTPUT,)
    report: PairReport

    def make(self) -> RowPlaces:
        """Returns all rows; the header of the only dump of a small file is none.

        For a large file the number of dumps is known too late, for a large archive the size.
        """
        rows = self.recording.rows
        if not self.report.is_complete and not self.report.source.is_whole:
            return RowPlaces()
        if len(self.recording.dumps) != 1 or not self.report.is_small:
            return RowPlaces(rows.depths, range(len(rows)))
        header = self.recording.dumps[0].row
        depths = chain(rows.depths[:header], (depth - 1 for depth in rows.depths[header + 1 :]))
        return RowPlaces(depths, chain(range(header), range(header + 1, len(rows))))

    def forget(self) -> None:
        """Clears the length of the longest bar."""
        self._most = 0

    @property
    def most(self) -> int:
        """Calls of the longest bar."""
        self._most = self._most or max(map(self.recording.unwrapped, self.recording.counts), default=0) or 1
        return self._most

    def content(self, kind: int, item: int, number: int) -> Content:
        """Returns label, badges and spans of a row."""
        recording = self.recording
        if kind == PairKind.PAIR:
            callee, caller = self.method(recording.callees[item]), self.method(recording.callers[item])
            return callee.label + ARROW + caller.label, self.report.pair_badges(item), pair_spans(callee, caller)
        if kind == PairKind.DUMP:
            dump = recording.dumps[item]
            return f"dump {item + 1}", {"count": dump.calls, "time": dump.time, "pairs": dump.pairs}, ()
        if kind == PairKind.HEAP:
            heap = recording.heaps[item]
            badges = {
                "handles_used": heap.handles_used,
                "handles_free": heap.handles_free,
                "heap_used": heap.used,
                "heap_free": heap.free,
            }
            return "heap at its largest", badges, ()
        if kind in (PairKind.ARRAYS, PairKind.INSTANCES):
            label, index = self.heap_class(item), recording.heap_indexes.get(item)
            badges = {"instances": recording.heap_counts[item], "bytes": recording.heap_sizes[item]}
            return label, badges if index is None else badges | {"index": index}, tuple(class_spans(label))
        offset = recording.rows.offsets[number]
        return "output of the program" if kind == PairKind.OUTPUT else self.report.line_text(offset), {}, ()

    def look(self, kind: int, item: int, content: Content) -> dict[str, object]:
        """Returns the link of a row, and the bar of a pair."""
        if kind in (PairKind.ARRAYS, PairKind.INSTANCES):
            return {"link": f"class:{content[0]}"}
        if kind != PairKind.PAIR:
            return {}
        link = self.report.method_ref(self.recording.callees[item])
        return {"link": link, "bars": {"count": self.recording.count(item) / self.most}}

    def remark(self, row: Row) -> str:
        """Returns the number of the dump, and the number of dumps."""
        if row.kind != "dump":
            return ""
        of = f"of {len(self.recording.dumps)}, " if self.report.is_complete else ""
        return f"{of}{counted(row.badges['pairs'], 'pair')}"

    def ref(self, node: int, kind: int, number: int) -> str:
        """Returns the REF: a dump is a run; all others are lines."""
        if kind == PairKind.DUMP:
            return f"run:{self.recording.rows.items[number] + 1}"
        return super().ref(node, kind, number)

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes, of pairs without making their rows."""
        recording, labels = self.recording, []
        rows = recording.rows
        for node in range(start, stop):
            row = self.places.numbers[node]
            if rows.kinds[row] == PairKind.PAIR:
                pair = rows.items[row]
                callee, caller = self.method(recording.callees[pair]), self.method(recording.callers[pair])
                labels.append(callee.label + ARROW + caller.label)
            else:
                labels.append(self.row(node).label)
        return labels

    def method(self, number: int) -> Method:
        """Returns a method by its number."""
        return method_of(self.recording.methods.texts[number])

    def heap_class(self, item: int) -> str:
        """Returns the class of a line of the heap part."""
        return heap_class(self.recording.signatures.texts[self.recording.heap_signatures[item]])

    def value(self, order: str, level: int, number: int) -> int:
        """Returns calls or time, unwrapped."""
        recording, kind, item = self.recording, self.recording.rows.kinds[number], self.recording.rows.items[number]
        if kind == PairKind.PAIR:
            return recording.count(item) if order == "count" else recording.time(item)
        if kind == PairKind.DUMP:
            return min(recording.dumps[item].calls if order == "count" else recording.dumps[item].time, 1 << 62)
        return -1

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the callee of a pair, the class of a line of the heap part."""
        kind, item = self.recording.rows.kinds[number], self.recording.rows.items[number]
        if kind == PairKind.PAIR:
            callee = self.method(self.recording.callees[item])
            return callee.label, callee.holder
        return ("", self.heap_class(item)) if kind in (PairKind.ARRAYS, PairKind.INSTANCES) else ("", "")

    def node_of_pair(self, pair: int) -> int:
        """Returns the node of a pair."""
        node = self.node(0, self.recording.pair_rows[pair])
        assert node is not None
        return node

    def pair_of(self, node: int) -> int | None:
        """Returns the pair of a node."""
        row = self.place(node)[1]
        return self.recording.rows.items[row] if self.recording.rows.kinds[row] == PairKind.PAIR else None

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `line:` and `run:`, and of a key; methods and classes belong to other views."""
        recording = self.recording
        if kind == "run":
            number, _, rest = value.partition("/")
            if run := ref_number(number, len(recording.dumps) + 1):
                if rest:
                    return self.named(*rest.partition(":")[::2])
                found = self.node(0, recording.dumps[run - 1].row)
                return [found if found is not None else 0]
        return super().named(kind, value)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the first pair in which a method is called."""
        match key:
            case ("method", str(label)):
                for method in self.report.table.by_label.get(label, ()):
                    table = self.report.table
                    for pair in [*table.as_callee(method)[:1], *table.as_caller(method)[:1]]:
                        return self.node_of_pair(pair)
        return None

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns sections: the pair, the other callers of its callee, the callees of its callee."""
        pair = self.pair_of(node)
        if pair is None:
            return super().sections(node)
        recording, table = self.recording, self.report.table
        callee, caller = recording.callees[pair], recording.callers[pair]
        cost = table.cost(callee)
        facts = [
            self.report.method_row("callee", callee),
            self.report.method_row("caller", caller),
            SectionRow(
                "calls", f"{recording.count(pair):,}, {share(recording.count(pair), cost.calls)} % of the callee's"
            ),
            SectionRow("time", f"{recording.time(pair):,} ms with all that was called"),
        ]
        if recording.count(pair) > 0:
            facts.append(SectionRow("a call", f"{1000 * recording.time(pair) / recording.count(pair):,.1f} µs"))
        for number, what in ((recording.counts[pair], "calls"), (recording.times[pair], "time")):
            if number < 0:
                facts.append(SectionRow(f"{what} as printed", f"{number:,}: gone beyond 31 bits"))
        if len(recording.dumps) > 1:
            facts.append(SectionRow("dump", f"{recording.pair_dumps[pair] + 1} of {len(recording.dumps)}"))
        lists = (
            self.report.list_section("Callers of the callee", table.as_callee(callee), is_callers=True, but=pair),
            self.report.list_section("Called by the callee", table.as_caller(callee), is_callers=False),
        )
        return (Section("Pair", tuple(facts)), *(section for section in lists if section.rows))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the two methods; of a line of the heap part to the class."""
        pair = self.pair_of(node)
        if pair is None:
            row = self.row(node)
            return (Link("the class", row.link, "Classes"),) if row.link else ()
        recording = self.recording
        both = (("the callee", recording.callees[pair]), ("the caller", recording.callers[pair]))
        refs = [(title, self.report.method_ref(method)) for title, method in both]
        return [Link(title, ref, "Methods") for title, ref in refs if ref is not None]

    def references(self, node: int) -> References:
        """Returns all pairs of the same callee: its callers."""
        pair = self.pair_of(node)
        if pair is None:
            return super().references(node)
        return self.report.callers_of(self.recording.callees[pair])


def pair_spans(callee: Method, caller: Method) -> tuple[Span, ...]:
    """Returns the spans of a pair: in a narrow column the caller keeps its name and loses its types first."""
    start = len(callee.label)
    spans = [*callee.spans, Span(start, start + len(ARROW), "place")]
    start += len(ARROW)
    front = [span for span in caller.spans if span.role in ("package", "class", "name")]
    spans += [Span(span.start + start, span.end + start, span.role) for span in front]
    end = max((span.end for span in front), default=0)
    if end < len(caller.label):
        spans.append(Span(start + end, start + len(caller.label), "argument package"))
    return tuple(spans)
