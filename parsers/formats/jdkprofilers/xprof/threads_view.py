"""The view "Threads" of `-Xprof`: the lines of the file in their order, blocks of threads, sections, rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import RowPlaces, share
from parsers.formats.jdkprofilers.lines_view import Content, LinesView
from parsers.formats.jdkprofilers.texts import method_of, text_of
from parsers.formats.jdkprofilers.xprof.allocation_row import class_of, class_row
from parsers.formats.jdkprofilers.xprof.recording import BLOCKED, SECTION_KINDS, OutputRecording, RowKind
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, Unit, counted
from parsers.model.view import References
from parsers.reporting.export.sample import Sample, SampleFrame

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.xprof.report import OutputReport

TICKS = Column("ticks", "Ticks", "ticks", width=16, priority=4, bar=8)
CODE = Column("code", "Code", "ticks", width=7, priority=1)
NATIVE = Column("native", "Native", "ticks", width=7, priority=1)
SHARE = Column("share", "Share", "percent", width=8, priority=3)
TITLES = {
    RowKind.LABELS: "ticks of no method",
    RowKind.BYTECODES: "ticks by bytecode",
    RowKind.OUTPUT: "output of the program",
}
"""Labels by kind of row."""


def lines_below(row: Row) -> str:
    """Returns the number of lines of the program below a row."""
    return counted(row.rows_below or 0, "line")


class TickThreadsView(LinesView[OutputRecording]):
    """A `Document`. Places are (0, row of the recording)."""

    name = "Threads"
    description = "Threads with their ticks"
    columns: tuple[Column, ...] = (TICKS, CODE, NATIVE, SHARE)
    orders: tuple[str, ...] = ("ticks", "name")
    starts_closed = True
    kind_words = RowKind.words
    no_lines = (RowKind.OUTPUT, RowKind.ELIDED, RowKind.UNLISTED)
    report: OutputReport

    def make(self) -> RowPlaces:
        """Returns all rows; while the file is being read without the last thread, whose rows may still change."""
        rows = self.recording.rows
        stop = len(rows)
        if not self.report.is_complete:
            stop = next((row for row in range(stop - 1, -1, -1) if not rows.depths[row]), 0)
        return RowPlaces(rows.depths[:stop], range(stop))

    def forget(self) -> None:
        """Clears the lengths of bars, as other threads have others."""
        self._most = max((block.ticks for block in self.recording.blocks), default=0) or 1

    def look(self, kind: int, item: int, content: Content) -> dict[str, object]:
        """Returns link, bar and look of a row."""
        label, badges, _ = content
        ticks = badges.get("ticks")
        link = f"method:{label}" if kind == RowKind.METHOD else f"class:{label}" if kind == RowKind.CLASS else None
        return {
            "link": link,
            "bars": {"ticks": min(1.0, ticks / self._longest(kind, item))} if isinstance(ticks, int) else {},
            "look": f"{SECTION_KINDS[self._section_kind(item)].lower()} code" if kind == RowKind.METHOD else "",
        }

    def _section_kind(self, item: int) -> int:
        return self.recording.sections[self.recording.method_sections[item]].kind

    def _longest(self, kind: int, item: int) -> int:
        """Returns the ticks of a whole bar: for threads of the largest thread, for all in a thread of that thread."""
        recording = self.recording
        if kind in (RowKind.SECTION, RowKind.TOTAL, RowKind.ELIDED, RowKind.METHOD):
            section = recording.sections[recording.method_sections[item] if kind == RowKind.METHOD else item]
            return recording.blocks[section.block].ticks or 1
        if kind == RowKind.LABEL:
            block = recording.labels[item].block
            if block >= 0:
                return recording.blocks[block].ticks or 1
            return max((label.ticks for label in recording.labels if label.block < 0), default=0) or 1
        return self._most

    def content(self, kind: int, item: int, number: int) -> Content:
        """Returns label, badges and spans of a row."""
        recording = self.recording
        if kind == RowKind.BLOCK:
            return self._thread(item)
        if kind in (RowKind.SECTION, RowKind.ELIDED, RowKind.TOTAL):
            return self._of_section(kind, item)
        if kind == RowKind.METHOD:
            method = method_of(recording.texts.texts[recording.method_texts[item]])
            return method.label, self.report.tick_badges(item), method.spans
        if kind == RowKind.LABEL:
            label = recording.labels[item]
            return text_of(label.name), {"ticks": label.ticks, "share": label.percent}, ()
        if kind == RowKind.BYTECODE:
            first, second, name = recording.bytecodes[item]
            return text_of(name), {"ticks": first, "second_count": second}, ()
        if kind == RowKind.GLOBAL:
            return "all threads", {"seconds": recording.summaries[item].seconds}, ()
        if kind in (RowKind.TABLE, RowKind.CLASS, RowKind.UNLISTED, RowKind.TABLE_TOTAL):
            return class_row(recording, kind, item)
        if kind == RowKind.LINE:
            return self.report.line_text(recording.rows.offsets[number]), {}, ()
        return TITLES[kind], {}, ()

    def _thread(self, item: int) -> Content:
        block = self.recording.blocks[item]
        sections = [self.recording.sections[number] for number in block.sections]
        badges: dict[str, Badge] = {
            "ticks": block.ticks,
            "code": sum(section.total[1] if section.total else section.code for section in sections),
            "native": sum(section.total[2] if section.total else section.native for section in sections),
            "share": share(block.ticks, sum(each.ticks for each in self.recording.blocks)),
            "seconds": block.seconds,
        }
        if block.blocked:
            badges["blocked"] = block.blocked
        return text_of(block.name) or f"thread {item + 1}", badges, ()

    def _of_section(self, kind: int, item: int) -> Content:
        section = self.recording.sections[item]
        active = self.recording.blocks[section.block].active
        if kind == RowKind.ELIDED:
            return "rows that were left out", {"ticks": section.elided, "share": share(section.elided, active)}, ()
        percent, code, native = section.total or (share(section.ticks, active), section.code, section.native)
        badges: dict[str, Badge] = {"ticks": code + native, "code": code, "native": native, "share": percent}
        if kind == RowKind.TOTAL:
            return f"total of {SECTION_KINDS[section.kind].lower()}", badges, ()
        badges["rows"] = section.rows
        return SECTION_KINDS[section.kind], badges, ()

    def remark(self, row: Row) -> str:
        """Returns seconds of a thread and its blocked share; for output the number of lines."""
        if row.kind == "thread":
            blocked = row.badges.get("blocked")
            return f"{row.badges['seconds']:.2f} s" + (f", {counted(blocked, 'tick')} blocked" if blocked else "")
        if row.kind == "global":
            return f"{row.badges['seconds']:.2f} s"
        if "bytes" in row.badges:
            return f"{counted(row.badges['bytes'], 'byte')}, {counted(row.badges['instances'], 'instance')}"
        return lines_below(row) if row.kind == "output" else ""

    def ref(self, node: int, kind: int, number: int) -> str:
        """Returns the REF of a row: its line, of a thread its position."""
        if kind == RowKind.BLOCK:
            return f"thread:{self.recording.rows.items[number] + 1}"
        return super().ref(node, kind, number)

    def value(self, order: str, level: int, number: int) -> int:
        """Returns ticks, or bytes of a class."""
        rows = self.recording.rows
        badges = self.content(rows.kinds[number], rows.items[number], number)[1]
        found = badges.get("ticks", badges.get("bytes"))
        return found if isinstance(found, int) else -1

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the method of a row, the class of an allocation."""
        recording, rows = self.recording, self.recording.rows
        kind, item = rows.kinds[number], rows.items[number]
        if kind == RowKind.METHOD:
            method = method_of(recording.texts.texts[recording.method_texts[item]])
            return method.label, method.holder
        return ("", class_of(recording.texts.texts[recording.class_texts[item]])) if kind == RowKind.CLASS else ("", "")

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `line:` and of `thread:` with the position or the name of a thread."""
        recording = self.recording
        if kind in ("thread", "name"):
            if kind == "thread" and (position := ref_number(value, len(recording.blocks) + 1)):
                return [recording.blocks[position - 1].row]
            return [block.row for block in recording.blocks if text_of(block.name) == value]
        return super().named(kind, value)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the first row of a method."""
        match key:
            case ("method", str(label)):
                return next(iter(self.report.rows_of(label)), None)
            case ("thread", str(name)):
                return next(iter(self.named("thread", name)), None)
        return None

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the ticks of a thread by use; a method's row and the rows beside it; else the numbers of the row."""
        rows, number = self.recording.rows, self.place(node)[1]
        if rows.kinds[number] == RowKind.BLOCK:
            return self._thread_sections(rows.items[number])
        if rows.kinds[number] == RowKind.METHOD:
            return (
                self.report.row_section(rows.items[number]),
                *self.report.method_sections(self.subject(0, number)[0]),
            )
        if rows.kinds[number] == RowKind.SECTION:
            return (self._section_section(rows.items[number]),)
        return super().sections(node)

    def _thread_sections(self, item: int) -> Sequence[Section]:
        recording, block = self.recording, self.recording.blocks[item]
        facts = [
            SectionRow("thread", f"{item + 1} of {len(recording.blocks)}, by the order in which they ended"),
            SectionRow("ended", f"after {block.seconds:.2f} s"),
            SectionRow("ticks", f"{block.ticks:,} of 10 ms"),
            SectionRow("blocked", f"{block.blocked:,}, {share(block.blocked, block.ticks)} % of all ticks"),
            SectionRow("active", f"{block.active:,}: what the percentages are of"),
        ]
        same = [each for each, other in enumerate(recording.blocks) if other.name == block.name and each != item]
        facts += [
            SectionRow("of the same name", f"thread {each + 1}", f"thread:{each + 1}", "Threads") for each in same[:8]
        ]
        parts = [
            SectionRow(
                SECTION_KINDS[section.kind],
                f"{counted(section.ticks, 'tick')}, {share(section.ticks, block.active)} %",
                f"line:{recording.rows.lines[section.row]}",
                "Threads",
            )
            for section in (recording.sections[number] for number in block.sections)
        ]
        for number in block.labels:
            label = recording.labels[number]
            base = "of all" if label.name == BLOCKED else "of the active"
            parts.append(SectionRow(text_of(label.name), f"{counted(label.ticks, 'tick')}, {label.percent} % {base}"))
        return Section("Thread", tuple(facts)), Section("Ticks", tuple(parts))

    def _section_section(self, item: int) -> Section:
        section = self.recording.sections[item]
        rows = [
            SectionRow("rows", f"{section.rows:,}"),
            SectionRow("in its code", f"{counted(section.code, 'tick')} in the rows"),
            SectionRow("native", f"{counted(section.native, 'tick')} in the rows"),
            SectionRow("total", "none" if section.total is None else counted(section.ticks, "tick")),
        ]
        if section.elided:
            words = "in rows that were left out: 25 are printed" if section.is_elided else "missing: rows were damaged"
            rows.append(SectionRow("left out", f"{counted(section.elided, 'tick')} {words}"))
        return Section(SECTION_KINDS[section.kind], tuple(rows))

    # -- samples ------------------------------------------------------------------------------------------------------

    def sample_values(self) -> list[tuple[str, Unit]]:
        """Returns ticks, the only values."""
        return [("ticks", "ticks")]

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """Yields thread, kind of code and method of each row, with its ticks: these profilers don't know callers."""
        recording, frames = self.recording, dict[str, SampleFrame]()
        nodes = range(len(self.places.depths)) if node is None else range(node, self.below(node) + node + 1)
        for each in nodes:
            number = self.place(each)[1]
            kind, item = recording.rows.kinds[number], recording.rows.items[number]
            if kind not in (RowKind.METHOD, RowKind.ELIDED):
                continue
            section = recording.sections[recording.method_sections[item] if kind == RowKind.METHOD else item]
            label, badges, _ = self.content(kind, item, number)
            ticks = badges.get("ticks")
            names = (text_of(recording.blocks[section.block].name), SECTION_KINDS[section.kind], label)
            stack = tuple(frames.setdefault(name, SampleFrame(len(frames), name)) for name in names)
            yield Sample(stack, (float(ticks) if isinstance(ticks, int) else 0.0,))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links: from a row of a method to the method, from an allocation to the class."""
        rows, number = self.recording.rows, self.place(node)[1]
        method, name = self.subject(0, number)
        if rows.kinds[number] == RowKind.METHOD:
            return (Link("all rows of the method", f"method:{method}", "Methods"),)
        return (Link("the class", f"class:{name}", "Classes"),) if name else ()

    def references(self, node: int) -> References:
        """Returns all rows of the method, as rows of this view."""
        method, _ = self.subject(*self.place(node))
        return References(f"rows of {method}", self.name, self.report.rows_of(method) if method else ())
