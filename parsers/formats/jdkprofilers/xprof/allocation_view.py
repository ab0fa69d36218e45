"""The view "Classes" of `-Xaprof`: classes with their allocated bytes and instances."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import RowPlaces, share
from parsers.formats.jdkprofilers.lines_view import Content, LinesView
from parsers.formats.jdkprofilers.xprof.allocation_row import bytes_of, class_of, class_row
from parsers.formats.jdkprofilers.xprof.recording import OutputRecording, RowKind
from parsers.formats.jdkprofilers.xprof.threads_view import lines_below
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, counted
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.xprof.report import OutputReport

BYTES = Column("bytes", "Bytes", "bytes", width=22, priority=4, bar=8, adds_up=True)
INSTANCES = Column("instances", "Instances", width=11, priority=2, adds_up=True)
AVERAGE = Column("average", "Average", "bytes", width=9, priority=1)
SHARE = Column("share", "Share", "percent", width=8, priority=3)

OF_TABLES = (RowKind.TABLE, RowKind.CLASS, RowKind.UNLISTED, RowKind.TABLE_TOTAL)


class AllocationView(LinesView[OutputRecording]):
    """A `Document` if the file contains nothing else; then the program's lines are rows too.

    Places are (0, row of the recording). The only table of a file is no row: its classes are roots.
    """

    name = "Classes"
    description = "Classes by allocated bytes"
    columns: tuple[Column, ...] = (BYTES, INSTANCES, AVERAGE, SHARE)
    orders: tuple[str, ...] = ("bytes", "instances", "average", "name")
    kind_words = RowKind.words
    no_lines = (RowKind.OUTPUT, RowKind.UNLISTED)
    report: OutputReport

    def make(self) -> RowPlaces:
        """Returns the rows of tables; with nothing else in the file the program's lines; none before all are known."""
        rows, places = self.recording.rows, RowPlaces()
        is_single = len(self.recording.tables) == 1
        has_output = not self.recording.blocks and not self.recording.summaries
        table, in_table = -1, False
        for row in range(len(rows) if self.report.is_complete else 0):
            kind, depth = rows.kinds[row], rows.depths[row]
            if not depth:
                in_table = kind == RowKind.TABLE
            if kind == RowKind.TABLE:
                table = row
                if is_single:
                    continue
            is_output = kind in (RowKind.OUTPUT, RowKind.LINE)
            if kind in OF_TABLES or (is_output and (has_output or (in_table and table >= 0))):
                places.add(max(0, depth - (is_single and in_table)), 0, row)
        return places

    def forget(self) -> None:
        """Clears the lengths of bars, as other classes have others."""
        self._most = max(self.recording.sizes, default=0) or 1

    def content(self, kind: int, item: int, number: int) -> Content:
        """Returns label, badges and spans of a row."""
        if kind in OF_TABLES:
            return class_row(self.recording, kind, item)
        offset = self.recording.rows.offsets[number]
        return "output of the program" if kind == RowKind.OUTPUT else self.report.line_text(offset), {}, ()

    def look(self, kind: int, item: int, content: Content) -> dict[str, object]:
        """Returns the bar of a class."""
        return {"bars": {"bytes": self.recording.sizes[item] / self._most}} if kind == RowKind.CLASS else {}

    def ref(self, node: int, kind: int, number: int) -> str:
        """Returns the REF of a row: a class, or a line."""
        if kind == RowKind.CLASS:
            return f"class:{self.subject(0, number)[1]}"
        return f"node:{node}" if kind in self.no_lines else f"line:{self.recording.rows.lines[number]}"

    def remark(self, row: Row) -> str:
        """Returns the number of lines of the program; for a table the unlisted rest."""
        if row.kind == "table" and "cutoff" in row.badges:
            return counted(row.badges["rows"], "class")
        return lines_below(row) if row.kind == "output" else ""

    def value(self, order: str, level: int, number: int) -> SortKey:
        """Returns a number of the row; -1 if it has none."""
        rows = self.recording.rows
        if rows.kinds[number] not in OF_TABLES:
            return -1
        return class_row(self.recording, rows.kinds[number], rows.items[number])[1].get(order, -1)

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the class."""
        recording, rows = self.recording, self.recording.rows
        if rows.kinds[number] != RowKind.CLASS:
            return "", ""
        return "", class_of(recording.texts.texts[recording.class_texts[rows.items[number]]])

    def node_at(self, offset: int) -> int | None:
        """Returns the row whose line contains this byte, or the last one before it; None before the first row."""
        row = bisect_right(self.recording.rows.offsets, offset) - 1
        node = bisect_right(self.places.numbers, row) - 1
        return None if node < 0 else node

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `class:` and `line:`."""
        if kind in ("class", "name", "package"):
            numbers = self.places.numbers
            return [node for node, number in enumerate(numbers) if self.subject(0, number)[1] == value]
        return super().named(kind, value)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the allocations of a class, and its arrays or elements."""
        recording, rows, number = self.recording, self.recording.rows, self.place(node)[1]
        if rows.kinds[number] != RowKind.CLASS:
            return super().sections(node)
        item, name = rows.items[number], self.subject(0, number)[1]
        table = recording.tables[recording.class_tables[item]]
        facts = [
            SectionRow("bytes", f"{recording.sizes[item]:,}, {share(recording.sizes[item], bytes_of(table))} % of all"),
            SectionRow("instances", f"{recording.instances[item]:,}"),
            SectionRow("average", counted(recording.averages[item], "byte")),
        ]
        if table.cutoff is not None:
            facts.append(SectionRow("cutoff", f"classes below {counted(table.cutoff, 'byte')} aren't listed"))
        element = name.removesuffix("[]")
        others = [each for each in (element, f"{name}[]") if each != name and self.named("class", each)]
        found = tuple(SectionRow(each, "", f"class:{each}", self.name) for each in others)
        return (Section("Class", tuple(facts)), *((Section("Arrays and elements", found),) if found else ()))

    def links(self, node: int) -> Sequence[Link]:
        """Returns a link to its line, if the file also has a view of its lines."""
        rows, number = self.recording.rows, self.place(node)[1]
        if self.report.views[0].name == self.name or rows.kinds[number] != RowKind.CLASS:
            return ()
        return (Link("the line", f"line:{rows.lines[number]}", "Threads"),)

    def references(self, node: int) -> References:
        """Returns the lines of the same class: one in each table."""
        name = self.subject(*self.place(node))[1]
        return References(f"lines of {name}", self.name, self.named("class", name) if name else ())
