"""The view "Classes" of `-Xaprof`: classes with their allocated bytes and instances."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.jdkprofilers.array_view import ArrayView, RowPlaces, number_in, share
from parsers.formats.jdkprofilers.xprof.allocation_row import bytes_of, class_of, class_row
from parsers.formats.jdkprofilers.xprof.recording import (
    CLASS,
    LINE,
    OUTPUT,
    TABLE,
    TABLE_TOTAL,
    UNLISTED,
    OutputRecording,
)
from parsers.formats.jdkprofilers.xprof.threads_view import KIND_WORDS, lines_below
from parsers.model.report import Badge, Column, Link, References, Row, Section, SectionRow, Span

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.xprof.report import OutputReport

BYTES = Column("bytes", "Bytes", "bytes", width=22, priority=4, bar=8, adds_up=True)
INSTANCES = Column("instances", "Instances", width=11, priority=2, adds_up=True)
AVERAGE = Column("average", "Average", "bytes", width=9, priority=1)
SHARE = Column("share", "Share", "percent", width=8, priority=3)

OF_TABLES = (TABLE, CLASS, UNLISTED, TABLE_TOTAL)


class AllocationView(ArrayView):
    """A `Document` if the file contains nothing else; then the program's lines are rows too.

    Places are (0, row of the recording). The only table of a file is no row: its classes are roots.
    """

    name = "Classes"
    columns: tuple[Column, ...] = (BYTES, INSTANCES, AVERAGE, SHARE)
    orders: tuple[str, ...] = ("bytes", "instances", "average", "name")
    report: OutputReport

    @property
    def recording(self) -> OutputRecording:
        """The recording."""
        return self.report.recording

    def make(self) -> RowPlaces:
        """Returns the rows of tables; with nothing else in the file the program's lines; none before all are known."""
        rows, places = self.recording.rows, RowPlaces()
        is_single = len(self.recording.tables) == 1
        has_output = not self.recording.blocks and not self.recording.summaries
        self._rows: list[int] = []
        table, in_table = -1, False
        for row in range(len(rows) if self.report.is_complete else 0):
            kind, depth = rows.kinds[row], rows.depths[row]
            if not depth:
                in_table = kind == TABLE
            if kind == TABLE:
                table = row
                if is_single:
                    continue
            if kind in OF_TABLES or (kind in (OUTPUT, LINE) and (has_output or (in_table and table >= 0))):
                places.add(max(0, depth - (is_single and in_table)), 0, row)
                self._rows.append(row)
        return places

    def forget(self) -> None:
        """Clears the lengths of bars, as other classes have others."""
        self._most = max(self.recording.sizes, default=0) or 1

    def show(self, node: int, level: int, number: int) -> Row:
        """Returns the row of a line."""
        recording, rows = self.recording, self.recording.rows
        kind, item = rows.kinds[number], rows.items[number]
        badges: dict[str, Badge] = {}
        spans: tuple[Span, ...] = ()
        if kind in OF_TABLES:
            label, badges, spans = class_row(recording, kind, item)
        else:
            label = "output of the program" if kind == OUTPUT else self.report.line_text(rows.offsets[number])
        below = self.below(node)
        is_line = kind not in (OUTPUT, UNLISTED)
        return Row(
            node=node,
            kind=KIND_WORDS[kind],
            label=label,
            depth=self._places.depths[node],
            badges=badges,
            flags=rows.words(number),
            ref=f"class:{label}" if kind == CLASS else f"line:{rows.lines[number]}" if is_line else f"node:{node}",
            line=rows.lines[number],
            offset=rows.offsets[number],
            rows_below=below,
            has_children=below > 0,
            spans=spans,
            bars={"bytes": recording.sizes[item] / self._most} if kind == CLASS else {},
        )

    def remark(self, row: Row) -> str:
        """Returns the number of lines of the program; for a table the unlisted rest."""
        if row.kind == "table" and "cutoff" in row.badges:
            return f"{row.badges['rows']:,} classes"
        return lines_below(row) if row.kind == "output" else ""

    def value(self, order: str, level: int, number: int) -> Any:
        """Returns a number of the row; its share as tenths."""
        rows = self.recording.rows
        if rows.kinds[number] not in OF_TABLES:
            return -1
        return class_row(self.recording, rows.kinds[number], rows.items[number])[1].get(order, -1)

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the class."""
        recording, rows = self.recording, self.recording.rows
        if rows.kinds[number] != CLASS:
            return "", ""
        return "", class_of(recording.texts.texts[recording.class_texts[rows.items[number]]])

    def offset(self, level: int, number: int) -> int:
        """Returns the offset of the line; -1 for a row that is no line of its own."""
        rows = self.recording.rows
        return -1 if rows.kinds[number] in (OUTPUT, UNLISTED) else rows.offsets[number]

    def node_at(self, offset: int) -> int | None:
        """Returns the row whose line contains this byte; None before the first row."""
        assert self.places is not None
        row = bisect_right(self.recording.rows.offsets, offset) - 1
        node = bisect_right(self._rows, row) - 1
        return None if node < 0 else node

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `class:` and `line:`."""
        places, rows = self.places, self.recording.rows
        if kind == "line" and (line := number_in(value, 1, 1 << 32)) is not None:
            row = bisect_right(rows.lines, line) - 1
            node = bisect_right(self._rows, row) - 1
            return [node] if node >= 0 and rows.lines[self._rows[node]] == line else []
        if kind in ("class", "name", "package"):
            return [node for node in range(len(places.depths)) if self.subject(0, places.numbers[node])[1] == value]
        return []

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the allocations of a class, and its arrays or elements."""
        recording, rows, number = self.recording, self.recording.rows, self.place(node)[1]
        if rows.kinds[number] != CLASS:
            return super().sections(node)
        item, name = rows.items[number], self.subject(0, number)[1]
        table = recording.tables[recording.class_tables[item]]
        facts = [
            SectionRow("bytes", f"{recording.sizes[item]:,}, {share(recording.sizes[item], bytes_of(table))} % of all"),
            SectionRow("instances", f"{recording.instances[item]:,}"),
            SectionRow("average", f"{recording.averages[item]:,} bytes"),
        ]
        if table.cutoff is not None:
            facts.append(SectionRow("cutoff", f"classes below {table.cutoff:,} bytes aren't listed"))
        element = name.removesuffix("[]")
        others = [each for each in (element, f"{name}[]") if each != name and self.named("class", each)]
        found = tuple(SectionRow(each, "", f"class:{each}", self.name) for each in others)
        return (Section("Class", tuple(facts)), *((Section("Arrays and elements", found),) if found else ()))

    def links(self, node: int) -> Sequence[Link]:
        """Returns a link to its line, if the file also has a view of its lines."""
        rows, number = self.recording.rows, self.place(node)[1]
        if self.report.views[0].name == self.name or rows.kinds[number] != CLASS:
            return ()
        return (Link("the line", f"line:{rows.lines[number]}", "Threads"),)

    def references(self, node: int) -> References:
        """Returns the lines of the same class: one in each table."""
        name = self.subject(*self.place(node))[1]
        return References(f"lines of {name}", self.name, self.named("class", name) if name else ())
