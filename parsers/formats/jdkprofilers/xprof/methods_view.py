"""The view "Methods" of `-Xprof`: the ticks of each method in all threads and kinds of code, its rows below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import ArrayView, RowPlaces
from parsers.formats.jdkprofilers.texts import method_of, text_of
from parsers.formats.jdkprofilers.xprof.recording import SECTION_KINDS, OutputRecording
from parsers.formats.jdkprofilers.xprof.threads_view import CODE, NATIVE, SHARE, TICKS
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Badge, Column, Link, Row, Section, counted
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.xprof.report import OutputReport

METHOD, LINE = range(2)


class TickMethodsView(ArrayView[OutputRecording]):
    """Places are (method, its number) and (line, number of the row). A method with one row has none below it.

    Rows are of methods without signature, so overloads, and classes that were loaded twice, have equal names: the added
    rows are below their sum.
    """

    name = "Methods"
    sorted_by = "ticks"
    description = "Methods by ticks of the profiler"
    columns: tuple[Column, ...] = (TICKS, CODE, NATIVE, SHARE)
    orders: tuple[str, ...] = ("ticks", "code", "native", "name")
    starts_closed = True
    report: OutputReport

    def make(self) -> RowPlaces:
        """Returns methods with the most ticks first; none before all are known, as the order would change."""
        places = RowPlaces()
        for method, rows in self.report.methods if self.report.is_complete else ():
            places.add(0, METHOD, method)
            if len(rows) > 1:
                for row in sorted(rows, key=lambda row: -self.recording.ticks(row)):
                    places.add(1, LINE, row)
        return places

    def show(self, node: int, level: int, number: int) -> Row:
        """Returns the row of a method, or of one of its lines."""
        recording = self.recording
        if level == LINE:
            return self._line(node, number)
        rows = self.report.rows_by_method[number]
        method = method_of(recording.texts.texts[number])
        code, native = sum(recording.codes[row] for row in rows), sum(recording.natives[row] for row in rows)
        badges: dict[str, Badge] = {
            "ticks": code + native,
            "code": code,
            "native": native,
            "share": self.report.share_of_active(code + native),
            "rows": len(rows),
            "threads": len({self.report.block_of(row) for row in rows}),
        }
        if len(rows) == 1:
            badges["section"] = SECTION_KINDS[recording.sections[recording.method_sections[rows[0]]].kind]
        flags = {flag for row in rows for flag in recording.rows.words(recording.method_rows[row])}
        first = recording.method_rows[rows[0]]
        return self.row_of(
            node,
            kind="method",
            label=method.label,
            badges=badges,
            flags=tuple(sorted(flags)),
            ref=f"method:{method.label}",
            line=recording.rows.lines[first] if len(rows) == 1 else None,
            offset=recording.rows.offsets[first] if len(rows) == 1 else None,
            spans=method.spans,
            bars={"ticks": (code + native) / self.report.most_ticks},
        )

    def _line(self, node: int, number: int) -> Row:
        recording = self.recording
        row, section = recording.method_rows[number], recording.sections[recording.method_sections[number]]
        thread = text_of(recording.blocks[section.block].name)
        line = recording.rows.lines[row]
        return self.row_of(
            node,
            kind="row",
            label=thread or f"thread {section.block + 1}",
            badges=self.report.tick_badges(number)
            | {
                "share": self.report.share_of_active(recording.ticks(number)),
                "percent_of_thread": recording.percents[number],
                "section": SECTION_KINDS[section.kind],
            },
            flags=recording.rows.words(row),
            ref=f"line:{line}",
            line=line,
            offset=recording.rows.offsets[row],
            link=f"line:{line}",
            bars={"ticks": recording.ticks(number) / self.report.most_ticks},
            look=f"{SECTION_KINDS[section.kind].lower()} code",
        )

    def remark(self, row: Row) -> str:
        """Returns the kind of code of a row; for a method its numbers of rows and threads."""
        if row.kind == "row":
            return str(row.badges["section"]).lower()
        rows, threads = row.badges["rows"], row.badges["threads"]
        if rows == 1:
            return str(row.badges.get("section", "")).lower()
        return counted(rows, "row") + (f", {counted(threads, 'thread')}" if threads != 1 else "")

    def value(self, order: str, level: int, number: int) -> int:
        """Returns the ticks."""
        recording = self.recording
        rows = [number] if level == LINE else self.report.rows_by_method[number]
        code, native = sum(recording.codes[row] for row in rows), sum(recording.natives[row] for row in rows)
        return min({"code": code, "native": native}.get(order, code + native), 1 << 62)

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the method."""
        recording = self.recording
        method = method_of(recording.texts.texts[recording.method_texts[number] if level == LINE else number])
        return method.label, method.holder

    def offset(self, level: int, number: int) -> int:
        """Returns the offset of the line of a row, or of the only one of a method."""
        rows = [number] if level == LINE else self.report.rows_by_method[number]
        return self.recording.rows.offsets[self.recording.method_rows[rows[0]]] if len(rows) == 1 else -1

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `method:` and of `line:` of a row."""
        if kind in ("method", "name"):
            method = self.report.method_named(value)
            node = None if method is None else self.node(METHOD, method)
            return [] if node is None else [node]
        if kind == "line" and (line := ref_number(value, 1 << 32)) is not None:
            row = self.report.tick_row_at(line)
            if row is None:
                return []
            node = self.node(LINE, row)
            node = self.node(METHOD, self.recording.method_texts[row]) if node is None else node
            return [] if node is None else [node]
        return []

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the ticks of a method by kind of code and by thread; of a row its own numbers first."""
        level, number = self.place(node)
        sections = self.report.method_sections(self.subject(level, number)[0])
        return (self.report.row_section(number), *sections) if level == LINE else sections

    def links(self, node: int) -> Sequence[Link]:
        """Returns links from a row, or the only row of a method, to its place in its thread."""
        level, number = self.place(node)
        rows = [number] if level == LINE else self.report.rows_by_method[number]
        line = self.recording.rows.lines[self.recording.method_rows[rows[0]]]
        links = [Link("in its thread", f"line:{line}", "Threads")]
        if level == LINE:
            links.append(Link("the method", f"method:{self.subject(level, number)[0]}", self.name))
        return links

    def references(self, node: int) -> References:
        """Returns all rows of the method, in their threads."""
        method = self.subject(*self.place(node))[0]
        return References(f"rows of {method}", "Threads", self.report.rows_of(method))
