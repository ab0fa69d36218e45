"""Opened output of `-Xprof` and `-Xaprof`, alone or together, mixed with other output of the program."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from parsers.formats.jdkprofilers.array_view import share
from parsers.formats.jdkprofilers.lines_report import LinesReport
from parsers.formats.jdkprofilers.texts import method_of, text_of
from parsers.formats.jdkprofilers.xprof.reader import OutputReader
from parsers.formats.jdkprofilers.xprof.recording import SECTION_KINDS, OutputRecording, RowKind
from parsers.model.lookup import places_by
from parsers.model.row import Badge, Kind, Section, SectionRow, counted
from parsers.model.view import UnknownReference, View

KINDS = (
    Kind("thread", "▤", "t", "thread"),
    Kind("section", "≡", "-", "kind of code"),
    Kind("method", "●", "*", "method"),
    Kind("row", "·", ".", "row of a method in a thread"),
    Kind("interpreted code", "i", "i", "row of interpreted code"),
    Kind("compiled code", "c", "c", "row of compiled code"),
    Kind("stub code", "s", "s", "row of a stub of native code"),
    Kind("runtime stub code", "r", "r", "row of a stub of the VM"),
    Kind("unknown code", "?", "?", "row of a section without title"),
    Kind("elided", "…", "~", "what was left out of a table"),
    Kind("total", "Σ", "=", "total"),
    Kind("group", "≡", "-", "ticks that are no method's"),
    Kind("ticks", "·", ".", "ticks that are no method's"),
    Kind("bytecode", "·", ".", "ticks of a bytecode"),
    Kind("global", "▦", "g", "summary of all threads"),
    Kind("table", "▤", "t", "allocation profile"),
    Kind("class", "○", "o", "class"),
    Kind("output", "▢", "w", "output of the program"),
    Kind("line", "·", ".", "line of the program"),
)
SHOWN = 12
"""Maximum rows of a list in the side pane."""


class OutputReport(LinesReport):
    """Base class of both reports: one reader, and views for the parts that are present."""

    all_kinds = KINDS
    reader = OutputReader
    recording: OutputRecording

    @property
    def facts(self) -> Mapping[str, object]:
        """Contents of the file, and the running time of the program as printed."""
        recording, facts = self.recording, dict[str, object]()
        if recording.blocks:
            last = max(recording.blocks, key=lambda block: block.seconds)
            seconds = recording.summaries[-1].seconds if recording.summaries else last.seconds
            facts |= {"seconds": seconds, "has_global_summary": bool(recording.summaries)}
        if recording.tables and recording.tables[0].cutoff is not None:
            facts["cutoff_bytes"] = recording.tables[0].cutoff
        return facts

    def counts(self) -> dict[str, object]:
        """Returns the totals, under the names that `info --json` prints."""
        return output_totals(self.recording)

    # -- methods ------------------------------------------------------------------------------------------------------

    @cached_property
    def rows_by_method(self) -> Mapping[int, list[int]]:
        """Rows by the number of their method's name."""
        return places_by(self.recording.method_texts)

    @cached_property
    def methods(self) -> Sequence[tuple[int, Sequence[int]]]:
        """Methods with their rows, those with the most ticks first."""
        ticks = self.recording.ticks
        return sorted(self.rows_by_method.items(), key=lambda method: -sum(map(ticks, method[1])))

    @cached_property
    def most_ticks(self) -> int:
        """Ticks of the method with the most, at least 1."""
        return max((sum(map(self.recording.ticks, rows)) for _, rows in self.methods), default=0) or 1

    @cached_property
    def _active(self) -> int:
        return sum(block.active for block in self.recording.blocks)

    def share_of_active(self, ticks: int) -> float:
        """Returns percent of the ticks in which any thread was not blocked."""
        return share(ticks, self._active)

    @cached_property
    def _labels(self) -> Mapping[str, int]:
        texts = self.recording.texts.texts
        return {method_of(texts[method]).label: method for method in reversed(list(self.rows_by_method))}

    def method_named(self, label: str) -> int | None:
        """Returns the number of a method's name; None if there is none."""
        return self._labels.get(label)

    def rows_of(self, label: str) -> Sequence[int]:
        """Returns the rows of a method as nodes of "Threads"."""
        method = self.method_named(label)
        return () if method is None else [self.recording.method_rows[row] for row in self.rows_by_method[method]]

    def tick_row_at(self, line: int) -> int | None:
        """Returns the row of a method on a line of the file."""
        rows = self.recording.rows
        place = bisect_right(rows.lines, line) - 1
        if place >= 0 and rows.lines[place] == line and rows.kinds[place] == RowKind.METHOD:
            return rows.items[place]
        return None

    def block_of(self, row: int) -> int:
        """Returns the number of a row's thread."""
        return self.recording.sections[self.recording.method_sections[row]].block

    def tick_badges(self, row: int) -> dict[str, Badge]:
        """Returns the numbers of a row; its percentage of the active ticks of its thread is as printed."""
        recording = self.recording
        badges: dict[str, Badge] = {
            "ticks": recording.ticks(row),
            "code": recording.codes[row],
            "native": recording.natives[row],
            "share": recording.percents[row],
        }
        note = recording.notes.get(row)
        return badges | ({"note": text_of(note)} if note is not None else {})

    def row_section(self, row: int) -> Section:
        """Returns one row as it is printed, and the base of its percentage."""
        recording = self.recording
        section = recording.sections[recording.method_sections[row]]
        block = recording.blocks[section.block]
        thread = SectionRow("thread", text_of(block.name), f"thread:{section.block + 1}", "Threads")
        return Section(
            "Row",
            (
                thread,
                SectionRow("code", SECTION_KINDS[section.kind].lower()),
                SectionRow("ticks", f"{recording.codes[row]:,} in its code, {recording.natives[row]:,} in native code"),
                SectionRow("share", f"{recording.percents[row]} % of {block.active:,} active ticks of the thread"),
            ),
        )

    def method_sections(self, label: str) -> Sequence[Section]:
        """Returns the ticks of a method, by kind of code and by thread."""
        method = self.method_named(label)
        if method is None:
            return ()
        recording, rows = self.recording, self.rows_by_method[method]
        kinds, threads = Counter[int](), Counter[int]()
        seen = Counter(recording.method_sections[row] for row in rows)
        for row in rows:
            kinds[recording.sections[recording.method_sections[row]].kind] += recording.ticks(row)
            threads[self.block_of(row)] += recording.ticks(row)
        ticks = kinds.total()
        facts = [SectionRow("ticks", f"{ticks:,}, {self.share_of_active(ticks)} % of {self._active:,} active ones")]
        facts += [
            SectionRow(SECTION_KINDS[kind].lower(), counted(count, "tick")) for kind, count in kinds.most_common()
        ]
        if seen and max(seen.values()) > 1:
            facts.append(SectionRow("several rows", "in one section: overloads, or classes loaded twice"))
        found = [
            SectionRow(
                text_of(recording.blocks[block].name) or f"thread {block + 1}",
                f"{counted(count, 'tick')}, {share(count, recording.blocks[block].active)} % of its active ones",
                f"thread:{block + 1}",
                "Threads",
            )
            for block, count in threads.most_common(SHOWN)
        ]
        return Section("Method", tuple(facts)), Section("Threads", tuple(found), len(threads) - len(found))

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """Returns the view and node of a REF; a line is a row of the view of lines, even if another view has it too.

        Raises `UnknownReference`, with the message of the first view.
        """
        if view is None and ref.startswith("line:") and self.has("Threads"):
            with suppress(UnknownReference):
                return super().locate(ref, "Threads")
        return super().locate(ref, view)

    # -- names --------------------------------------------------------------------------------------------------------

    def name_count(self, name: int) -> int:
        """Returns the number of rows of a method, or of a class."""
        label, nodes = self.name_list[name]
        return len(self.rows_of(label)) or len(nodes)

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the node of the method, or the rows of the class."""
        return self.name_list[name][1]


def output_totals(recording: OutputRecording) -> dict[str, object]:
    """Returns counts of the file; in `xprof` those of the flat profiles, in `xaprof` each table of allocations."""
    totals: dict[str, object] = {"lines_of_program_output": recording.output_lines}
    if recording.blocks or recording.summaries:
        totals["xprof"] = _of_profiles(recording)
    if recording.tables:
        totals["xaprof"] = {
            "tables": [
                {
                    "cutoff": table.cutoff,
                    "rows": table.rows,
                    "bytes": table.size,
                    "instances": table.instances,
                    "total_row": list(table.total) if table.total is not None else None,
                }
                for table in recording.tables
            ]
        }
    return totals


def _of_profiles(recording: OutputRecording) -> dict[str, object]:
    names = Counter(text_of(block.name) for block in recording.blocks)
    summary = recording.summaries[-1] if recording.summaries else None
    labels = [recording.labels[number] for number in summary.labels] if summary is not None else []
    return {
        "blocks_total": len(recording.blocks),
        "thread_names_that_repeat": {name: count for name, count in names.items() if count > 1},
        "rows_total": len(recording.codes),
        "ticks_total": sum(block.ticks for block in recording.blocks),
        "elided_sections": sum(section.is_elided for section in recording.sections),
        "global_summary": summary
        and {
            "secs": summary.seconds,
            "rows": [[label.percent, label.ticks, text_of(label.name)] for label in labels],
        },
        "bytecode_ticks": [[first, second, text_of(name)] for first, second, name in recording.bytecodes] or None,
    }
