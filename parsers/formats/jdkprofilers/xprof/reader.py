"""Reads the tables that `-Xprof` and `-Xaprof` print to the terminal, between and inside lines of the program.

The program's threads print while the profiler does, so a line may have text of the program before it, in it or behind
it, and a line end where none belongs. Every piece is searched for in its line, and rows are checked against the total
of their section. Unmatched text is output of the program. Sources: `fprofiler.cpp`, `aprofiler.cpp` of HotSpot; output
of JDK 8 with 24 threads that print all the time.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from parsers.formats.jdkprofilers.line_rows import DAMAGED, REPAIRED, TRUNCATED
from parsers.formats.jdkprofilers.lines import BLANK_LINES, MOST, LineReader
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, text_of
from parsers.formats.jdkprofilers.xprof.expression import (
    BYTECODE_ROW,
    CLASS_ROW,
    HEAD,
    KEYWORD,
    KEYWORD_OF_PART,
    LABEL_BLANKS,
    LABEL_LAST,
    LABEL_NAMES,
    LABEL_ROW,
    LEGAL_CLASS,
    LEGAL_METHOD,
    METHOD_ROW,
    MOST_BLANKS,
    NATIVE,
    NOTE,
    PART_OF_HEAD,
    PIECE,
    ROW,
    SPLIT_ROW,
    START,
    SUMMARY,
    TABLE_END,
    TABLE_HEAD,
    TABLE_TITLE,
    TICKS_WIDTH,
    TITLE,
    TITLE_OR_TOTAL,
    TOTAL_KINDS,
    TOTAL_NAME,
    TOTAL_NAMES,
)
from parsers.formats.jdkprofilers.xprof.recording import (
    BLOCKED,
    SECTION_KINDS,
    UNTITLED,
    AllocationTable,
    CodeSection,
    GlobalSummary,
    OutputRecording,
    RowKind,
    ThreadProfile,
    TickLabel,
)
from parsers.formats.jdkprofilers.xprof.split_names import (
    LONGEST,
    MOST_DOUBTS,
    MOST_OUTPUT,
    MOST_TAILS,
    Doubt,
    SplitNames,
    Unnamed,
    is_name,
    name_split_in,
    split_output,
)
from parsers.io.adjacent_matches import adjacent_matches
from parsers.model.report import Problem
from parsers.model.row import counted

LEAST_RUN = 512
"""Minimum bytes of lines of the program that are read at once."""
OUTPUT_BEFORE = "output of the program before a line of the profile"
SPLIT_ROW_PROBLEM = "output of the program parts a row"
MOST_SHOWN = 120
"""Maximum bytes of the program's output that a problem shows."""


class OutputReader(LineReader[OutputRecording]):
    """Reads the output of a program that was run with -Xprof into `recording`, line by line."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        self.recording = OutputRecording()
        self._offset = 0
        self._block: ThreadProfile | None = None
        self._section: CodeSection | None = None
        self._summary: GlobalSummary | None = None
        self._table: AllocationTable | None = None
        self._has_bytecodes = False
        self._output: int | None = None
        """The group row of the program's lines to which the last line belongs."""
        self._line = 0
        """Number of the current line, from 1."""
        self._half: tuple[float, int] | None = None
        """Percent and ticks of a row or label whose other pieces are expected in a later line."""
        self._unnamed: Unnamed | None = None
        """A row or label of the previous line, whose name may be in this one."""
        self._doubts: list[Doubt] = []
        self._doubt: Doubt | None = None
        """The last one, as long as only lines of the program are read behind it."""
        self._output_lines: list[bytes] = []
        """Lines of the program since the first profile, as evidence of what it prints."""

    def run(self, block: bytes, begin: int, offset: int) -> int:
        """Reads a run of lines of one kind: blank ones, those of a profile, or further ones of the program's output.

        Lines of the output are only counted as rows. Returns the position behind the run.

        begin    position in the block where a line begins
        offset   byte offset of that line in the file
        """
        recording = self.recording
        if blank := BLANK_LINES.match(block, begin):
            recording.lines += block.count(b"\n", begin, blank.end())
            begin, offset = blank.end(), offset + blank.end() - begin
        is_open = self._half is not None or self._table is not None or self._has_bytecodes
        if self._block is not None and self._unnamed is None and not is_open:
            end = self._run_of_profile(block, begin, offset)
            if end > begin:
                return end
        if (
            self._output is None
            or self._unnamed is not None
            or (self._doubt is not None and len(self._doubt.tails) < MOST_TAILS)
            or (self._block is not None and len(self._output_lines) < MOST_OUTPUT)
        ):
            return begin
        found = (PIECE if is_open else KEYWORD).search(block, begin)
        end = block.rfind(b"\n", begin, found.start() if found is not None else len(block)) + 1
        if end - begin < LEAST_RUN:
            return begin
        depth = recording.rows.depths[self._output] + 1
        run = block[begin:end]
        lines, rows = recording.rows.add_lines(RowKind.LINE, depth, run, offset, recording.lines + 1)
        recording.lines += lines
        recording.output_lines += rows
        return end

    def _run_of_profile(self, block: bytes, begin: int, offset: int) -> int:
        """Reads rows of methods, or one line of another kind, inside of the profile of a thread, as `run` does."""
        if found := TITLE_OR_TOTAL.match(block, begin):
            self.recording.lines += 1
            self._line, self._offset = self.recording.lines, offset
            if found[1] is not None:
                self._begin_section(SECTION_KINDS.index(found[1].decode()))
            else:
                self._take(float(found[2]), int(found[3]), int(found[4]), found[5], 0, found[5])
            return found.end()
        methods = [*adjacent_matches(METHOD_ROW, block, begin)]
        if methods and (self._section is not None or not methods[0][1].strip()):
            self._line, self._offset = self.recording.lines + 1, offset
            self._add_methods(self._section or self._begin_untitled(UNTITLED), methods, offset - begin)
            return methods[-1].end()
        # Output of the program is evidence for names, as far as that is kept.
        is_new = self._output is None and self._doubt is None
        is_evidence = len(self._doubts) < MOST_DOUBTS or len(self._output_lines) < MOST_OUTPUT
        section = self._section if is_new and not is_evidence else None
        if section is not None and (split_rows := [*adjacent_matches(SPLIT_ROW, block, begin)]):
            self._add_split_rows(section, split_rows, offset - begin)
            return split_rows[-1].end()
        end = block.find(b"\n", begin)
        if 0 < end - begin < MOST and KEYWORD_OF_PART.search(block, begin, end):
            self.feed(offset, block[begin:end].removesuffix(b"\r"))
            return end + 1
        return begin

    def feed(self, offset: int, text: bytes, has_end: bool = True) -> None:
        """Reads one line without its end."""
        recording = self.recording
        recording.lines += 1
        self._line, self._offset = recording.lines, offset
        if not text or text.isspace():
            return
        if self._unnamed is not None and self._finish_unnamed(b"" if KEYWORD.search(text) else text.rstrip()):
            return
        if self._half is not None and self._other_half(text):
            return
        if self._table is not None and self._class(text):
            return
        if self._has_bytecodes and self._bytecode(text):
            return
        if not (self._piece(text) if KEYWORD_OF_PART.search(text) else b"%" in text and self._numbers(text)):
            self._foreign(text)

    def finish(self, is_all: bool) -> None:
        """Ends the file."""
        if self._unnamed is not None:
            self._finish_unnamed(b"")
        self._close_block(is_all)
        self._join_split_names()
        super().finish(is_all)

    # -- pieces of a flat profile -------------------------------------------------------------------------------------

    def _piece(self, text: bytes) -> bool:
        """Reads a line with a piece of a profile; False if it has none."""
        if found := HEAD.search(text):
            self._begin_block(found, text)
        elif found := SUMMARY.search(text):
            self._close_block()
            row = self._add(RowKind.GLOBAL, 0, len(self.recording.summaries), self._mixed(text, found))
            self._summary = GlobalSummary(row, float(found[1]))
            self.recording.summaries.append(self._summary)
        elif found := TABLE_HEAD.search(text):
            self._begin_table(found, text)
        elif found := PART_OF_HEAD.search(text):
            block = self._block
            if block is None or block.has_head or block.sections or block.name != NOT_RECORDED:
                block = self._begin_block_without_head("a part of a head", "what follows is of a thread of its own")
            block.name = found[1].rstrip() if found[1] else block.name
        elif self._block is None and self._summary is None:
            return False
        elif self._block is not None and (found := TITLE.search(text)):
            self._begin_section(SECTION_KINDS.index(found[1].decode()), self._mixed(text, found) or self._split(found))
        elif (at := text.find(b"Thread-local ticks:")) >= 0:
            self._close_section()
            self._add(RowKind.LABELS, 1, 0, REPAIRED if text[:at].strip() else 0)
        elif (at := text.find(b"Bytecode ticks:")) >= 0:
            self._close_section()
            self._add(RowKind.BYTECODES, 1, 0, REPAIRED if text[:at].strip() else 0)
            self._has_bytecodes = True
        else:
            return self._numbers(text)
        return True

    def _numbers(self, text: bytes) -> bool:
        """Reads a row, a total or a label; False if the line is none, or before any profile."""
        return (self._block is not None or self._summary is not None) and (self._row(text) or self._label(text))

    def _begin_block(self, found: re.Match[bytes], text: bytes) -> None:
        self._close_block()
        recording = self.recording
        row = self._add(RowKind.BLOCK, 0, len(recording.blocks), self._mixed(text, found))
        self._block = ThreadProfile(row, found[3].rstrip(), float(found[1]), int(found[2]))
        recording.blocks.append(self._block)

    def _begin_block_without_head(self, what: str, done: str) -> ThreadProfile:
        """Begins the block of a thread whose head was lost."""
        self._close_block()
        recording = self.recording
        row = self._add(RowKind.BLOCK, 0, len(recording.blocks), DAMAGED)
        self._problem("damaged head", what, done)
        block = self._block = ThreadProfile(row, NOT_RECORDED, 0.0, 0, has_head=False)
        recording.blocks.append(block)
        return block

    def _close_block(self, is_all: bool = True) -> None:
        """Ends the block, before another one or unrelated lines. The program's lines at its end are not part of it."""
        self._close_section(is_all)
        if self._output is not None:
            depths = self.recording.rows.depths
            depths[self._output :] = array("H", (0,)) + array("H", (1,)) * (len(depths) - self._output - 1)
        self._end_table(is_all)
        if self._block is not None and not self._block.has_head:
            sections, labels = self.recording.sections, self.recording.labels
            of_sections = sum(sections[number].ticks for number in self._block.sections)
            self._block.ticks = of_sections + sum(labels[number].ticks for number in self._block.labels)
        self._block = self._summary = self._output = None
        self._has_bytecodes = False

    def _begin_untitled(self, kind: int) -> CodeSection:
        """Begins the section of a row without a title."""
        section = self._begin_section(kind, DAMAGED)
        self._problem("damaged title", "a row without a title", "put into a section of its own")
        return section

    def _begin_section(self, kind: int, flags: int = 0) -> CodeSection:
        self._close_section()
        self._has_bytecodes = False
        recording, block = self.recording, self._block
        assert block is not None
        # A thread has at most one section of a kind, in the order of kinds, and ticks outside of methods after them.
        last = recording.sections[block.sections[-1]].kind if block.sections else -1
        if block.labels or kind <= last < UNTITLED:
            where = "whose kind the thread already has" if kind <= last else "after the ticks of the thread"
            block = self._begin_block_without_head(f"a section {where}", "put into a thread without name")
        row = self._add(RowKind.SECTION, 1, len(recording.sections), flags)
        section = self._section = CodeSection(row, len(recording.blocks) - 1, kind)
        block.sections.append(len(recording.sections))
        recording.sections.append(section)
        return section

    def _close_section(self, is_all: bool = True) -> None:
        section, recording = self._section, self.recording
        self._section = self._half = None
        if section is None:
            return
        if section.total is None:
            if is_all:
                recording.rows.flags[section.row] |= TRUNCATED
                self._problem("cut", "a section has no total", "its rows are kept", section.row)
        elif section.elided and not section.is_elided:
            recording.rows.flags[section.row] |= DAMAGED
            self._problem(
                "wrong total",
                f"the rows of a section hold {counted(section.elided, 'tick')} less than its total",
                "the total counts",
                section.row,
            )

    def _row(self, text: bytes) -> bool:
        """Reads a row of a section or its total, or a half of one."""
        if self._block is None:
            return False
        if b"+" in text and (found := ROW.search(text)):
            self._half = None
            numbers = float(found[1]), int(found[2]), int(found[3])
            self._name(numbers, found[4].rstrip(), self._mixed(text, found))
            return True
        if self._section is None or not (found := START.search(text)):
            return False
        self._half = float(found[1]), int(found[2])
        return self._native(text[found.end() :]) or not text[found.end() :].strip()

    def _other_half(self, text: bytes) -> bool:
        """Reads the missing half of a row or label, after output of the program."""
        assert self._half is not None
        if b"%" in text and START.search(text):
            return False
        if self._section is not None:
            return self._native(text)
        known = LABEL_LAST.fullmatch(text)
        # The blanks up to the column of names are there, after any output of the program.
        if known is None or (known[1].strip() and known[1].count(b" ") < MOST_BLANKS):
            return False
        percent, ticks = self._half
        self._half = None
        self._problem("damaged row", "output of the program parts a label", "both halves are joined")
        self._add_label(percent, ticks, known[2], REPAIRED)
        return True

    def _native(self, text: bytes) -> bool:
        """Reads the native ticks and the name of a row whose first piece is known; False if they are not there."""
        found = NATIVE.search(text) if b"+ " in text else None
        if found is None:
            return False
        assert self._half is not None
        percent, code = self._half
        self._half = None
        name = text[found.end() :].strip()
        if is_name(name):
            self._problem("damaged row", SPLIT_ROW_PROBLEM, "both halves are joined")
        self._name((percent, code, int(found[1])), name, REPAIRED)
        return True

    def _name(self, numbers: tuple[float, int, int], text: bytes, flags: int) -> None:
        """Reads a row with a name, before which the program may have printed. That may end the line, so the name may
        be in the next one.
        """
        if LEGAL_METHOD.fullmatch(text) is not None:
            self._take(*numbers, text, flags, text)
            return
        before, name = split_output(text)
        if before:
            self._left_out(before)
            flags |= REPAIRED
        if is_name(name):
            self._take(*numbers, name, flags, text)
        else:
            self._unnamed = Unnamed(numbers, text, flags, self._offset, self._line)

    def _left_out(self, output: bytes) -> None:
        text = text_of(output[:MOST_SHOWN])
        self._problem("mixed line", f"output of the program before a name: {text}", "left out")

    def _finish_unnamed(self, text: bytes) -> bool:
        """Completes the row or label of the previous line if this line is its name; False if not."""
        unnamed, here = self._unnamed, (self._offset, self._line)
        assert unnamed is not None
        self._unnamed = None
        self._offset, self._line = unnamed.offset, unnamed.line
        is_row, line, text = len(unnamed.numbers) == 3, text, text.lstrip()
        if is_row:
            text = split_output(text)[1]
        elif (known := LABEL_LAST.fullmatch(text)) is not None:
            text = known[2]
        # A text with a dot is the beginning of a name, whose rest is after the program's output.
        is_next = b"." not in unnamed.text.partition(b" ")[0] and (is_name(text) if is_row else text in LABEL_NAMES)
        name, names = text, TOTAL_NAMES if is_row else LABEL_NAMES
        if not is_next:
            here_alone = name_split_in(unnamed.text, names)
            both = name_split_in(b"%b\n%b" % (unnamed.text, line), names) if here_alone is None and line else None
            name, is_next = here_alone or both or unnamed.text or NOT_RECORDED, both is not None
        flags = unnamed.flags
        if name not in (unnamed.text, NOT_RECORDED):
            self._problem("damaged row", "output of the program before or in a name", "the name is joined")
            flags |= REPAIRED
        if is_row:
            percent, code, native = unnamed.numbers
            behind = b"%b\n%b" % (unnamed.text, line) if is_next else unnamed.text
            self._take(percent, int(code), int(native), name, flags, behind)
        else:
            self._add_label(unnamed.numbers[0], int(unnamed.numbers[1]), name, flags)
        self._offset, self._line = here
        return is_next

    def _take(self, percent: float, code: int, native: int, name: bytes, flags: int, text: bytes) -> None:
        """Adds a row of a method, or a total. `text`: all behind its numbers."""
        recording, name = self.recording, name.rstrip()
        total = TOTAL_NAME.match(name) if name.startswith(b"Total ") else None
        section = self._section or self._begin_untitled(TOTAL_KINDS[total[1]] if total else UNTITLED)
        if total is not None:
            self._total(section, (percent, code, native), total[2] is not None)
            recording.rows.flags[-1] |= flags
            return
        note = NOTE.search(name) if name.endswith(b")") else None
        if note is not None:
            name = name[: note.start()]
            recording.notes[len(recording.codes)] = note[1]
        is_legal = LEGAL_METHOD.fullmatch(name) is not None
        if not is_legal:
            flags |= DAMAGED
            self._problem("damaged row", "the name is no method", "shown as written")
        row = self._add(RowKind.METHOD, 2, len(recording.codes), flags)
        self._add_numbers(section, [row], [percent], [code], [native], [name])
        if note is None and (not is_legal or text != name):
            self._add_doubt(text)

    def _add_methods(self, section: CodeSection, found: Sequence[re.Match[bytes]], base: int) -> None:
        """Adds the rows of further lines to a section, by their matches. base: offset of the block"""
        recording, count, first = self.recording, len(found), len(self.recording.rows)
        outputs, *columns = zip(*map(re.Match.groups, found), strict=True)
        offsets = [base + row.start() for row in found]
        recording.rows.add_each(RowKind.METHOD, 2, offsets, recording.lines + 1, len(recording.codes))
        for place, output in enumerate(map(bytes.strip, outputs)):
            if output:
                recording.rows.flags[first + place] = REPAIRED
                self._problem("mixed line", OUTPUT_BEFORE, "left out", first + place)
        recording.lines += count
        self._add_numbers(section, range(first, first + count), *columns)
        self._output = self._doubt = None

    def _add_split_rows(self, section: CodeSection, found: Sequence[re.Match[bytes]], base: int) -> None:
        """Adds rows of methods in two lines, and the output of the program between them, as `_add_methods`."""
        recording, count, first = self.recording, len(found), len(self.recording.rows)
        percents, codes, outputs, _, natives, names = zip(*map(re.Match.groups, found), strict=True)
        line, item = recording.lines + 1, len(recording.codes)
        rows = list[tuple[int, int, int, int, int]]()
        methods = []
        for place, (row, output) in enumerate(zip(found, map(bytes.strip, outputs), strict=True)):
            upper, offset = line + 2 * place, base + row.start()
            if output:
                rows += (RowKind.OUTPUT, 2, offset, upper, 0), (RowKind.LINE, 3, offset, upper, 0)
            methods.append(first + len(rows))
            rows.append((RowKind.METHOD, 2, base + row.start(4), upper + 1, item + place))
        kinds, depths, offsets, lines, items = map(list, zip(*rows, strict=True))
        recording.rows.add_each(kinds, depths, offsets, lines, items)
        for number in methods:
            recording.rows.flags[number] = REPAIRED
            self._problem("damaged row", SPLIT_ROW_PROBLEM, "both halves are joined", number)
        recording.lines += 2 * count
        recording.output_lines += len(rows) - count >> 1
        self._add_numbers(section, methods, percents, codes, natives, names)

    def _add_numbers(
        self,
        section: CodeSection,
        rows: Sequence[int],
        percents: Iterable[bytes | float],
        codes: Iterable[bytes | int],
        natives: Iterable[bytes | int],
        names: Iterable[bytes],
    ) -> None:
        """Adds the columns of rows of methods: percent, ticks in code and in native code, name."""
        recording = self.recording
        code, native = array("q", map(int, codes)), array("q", map(int, natives))
        recording.method_rows.extend(rows)
        recording.method_texts.extend(recording.texts.numbers(names))
        recording.method_sections.extend(array("I", (len(recording.sections) - 1,)) * len(rows))
        recording.codes.extend(code)
        recording.natives.extend(native)
        recording.percents.extend(map(float, percents))
        section.rows += len(rows)
        section.code += sum(code)
        section.native += sum(native)

    def _add_doubt(self, text: bytes) -> None:
        """Adds the last row to those whose names are examined at the end."""
        if len(self._doubts) < MOST_DOUBTS:
            self._doubt = Doubt(len(self.recording.codes) - 1, text[:LONGEST])
            self._doubts.append(self._doubt)

    def _join_split_names(self) -> None:
        """Joins split names by the evidence of the whole file; what stays uncertain is flagged."""
        recording, flags = self.recording, self.recording.rows.flags
        if not self._doubts:
            return
        counts = Counter(recording.method_texts)
        counts.subtract(recording.method_texts[doubt.number] for doubt in self._doubts)
        names = {recording.texts.texts[number] for number, count in counts.items() if count > 0}
        split_names = SplitNames(names, self._output_lines)
        for doubt in self._doubts:
            row, old = recording.method_rows[doubt.number], recording.texts.texts[recording.method_texts[doubt.number]]
            name = split_names.name(doubt)
            if name is not None and name != old:
                recording.method_texts[doubt.number] = recording.texts.number(name)
                flags[row] = flags[row] & ~DAMAGED | REPAIRED
                self._problem(
                    "damaged row",
                    f"output of the program in a name: {text_of(doubt.text[:MOST_SHOWN])}",
                    f"joined to {text_of(name[:MOST_SHOWN])}, by other rows or output",
                    row,
                )
            elif name is None and not flags[row] & DAMAGED and split_names.is_doubtful(doubt, old):
                flags[row] = flags[row] & ~REPAIRED | DAMAGED
                self._problem(
                    "damaged row", "output of the program before or in the name", "a part may be missing", row
                )

    def _total(self, section: CodeSection, total: tuple[float, int, int], is_elided: bool) -> None:
        section.total, section.is_elided = total, is_elided
        number = len(self.recording.sections) - 1
        if is_elided and section.elided > 0:
            self._add(RowKind.ELIDED, 2, number)
        self._add(RowKind.TOTAL, 2, number)
        self._close_section()

    def _label(self, text: bytes) -> bool:
        """Reads ticks outside of methods, of a thread or of all."""
        if self._section is not None:
            return False
        found = LABEL_ROW.search(text)
        if found is not None and (known := LABEL_LAST.fullmatch(found[4])) is not None and not known[1]:
            flags = self._mixed(text, found)
            if known[3].strip():
                flags = REPAIRED
                self._problem("mixed line", "output of the program behind a label", "left out")
            self._add_label(float(found[1]), int(found[2]), known[2], flags)
            return True
        start = START.search(text)
        if start is not None:
            known = LABEL_LAST.fullmatch(text, start.end())
            # The blanks up to the column of names are there, with or without text between them.
            if known is not None and known[1].count(b" ") >= MOST_BLANKS + TICKS_WIDTH - len(start[2]):
                self._left_out(known[1].strip())
                self._add_label(float(start[1]), int(start[2]), known[2], REPAIRED)
                return True
        if found is not None and len(found[3]) >= LABEL_BLANKS:
            numbers = float(found[1]), int(found[2])
            self._unnamed = Unnamed(numbers, found[4].rstrip(), self._mixed(text, found), self._offset, self._line)
            return True
        if start is not None:
            self._half = float(start[1]), int(start[2])
            return not text[start.end() :].strip()
        return False

    def _add_label(self, percent: float, ticks: int, name: bytes, flags: int) -> None:
        self._half = None
        recording = self.recording
        depth = 1 if self._summary is not None or name == b"Lost ticks" else 2
        row = self._add(RowKind.LABEL, depth, len(recording.labels), flags)
        label = TickLabel(row, len(recording.blocks) - 1 if self._block is not None else -1, name, percent, ticks)
        if self._block is not None:
            self._block.labels.append(len(recording.labels))
            self._block.blocked += label.ticks if name == BLOCKED else 0
        elif self._summary is not None:
            self._summary.labels.append(len(recording.labels))
        recording.labels.append(label)

    def _bytecode(self, text: bytes) -> bool:
        found = BYTECODE_ROW.search(text)
        if found is None:
            return False
        self._add(RowKind.BYTECODE, 2, len(self.recording.bytecodes), REPAIRED if text[: found.start()].strip() else 0)
        self.recording.bytecodes.append((int(found[1]), int(found[2]), found[3]))
        return True

    # -- allocations --------------------------------------------------------------------------------------------------

    def _begin_table(self, found: re.Match[bytes], text: bytes) -> None:
        self._close_block()
        recording = self.recording
        row = self._add(RowKind.TABLE, 0, len(recording.tables), self._mixed(text, found))
        cutoff = int(found[1]) if found[1] is not None else None
        self._table = AllocationTable(row, found[0], cutoff)
        recording.tables.append(self._table)

    def _class(self, text: bytes) -> bool:
        """Reads a line of a table; False if it is none."""
        table, recording = self._table, self.recording
        assert table is not None
        if TABLE_TITLE.search(text):
            return True
        found = CLASS_ROW.search(text)
        if found is None:
            return False
        flags, name = self._mixed(text, found), found[4].rstrip()
        numbers = int(found[1]), int(found[2]), int(found[3])
        if name.startswith(TABLE_END):
            self._table_total(table, numbers, flags)
            return True
        if not LEGAL_CLASS.fullmatch(name):
            flags |= DAMAGED
            self._problem("damaged row", "the name is no class", "shown as written")
        recording.class_rows.append(self._add(RowKind.CLASS, 1, len(recording.sizes), flags))
        recording.class_texts.append(recording.texts.number(name))
        recording.class_tables.append(len(recording.tables) - 1)
        for column, number in zip((recording.sizes, recording.instances, recording.averages), numbers, strict=True):
            column.append(number)
        table.rows += 1
        table.size += numbers[0]
        table.instances += numbers[1]
        return True

    def _table_total(self, table: AllocationTable, total: tuple[int, int, int], flags: int) -> None:
        table.total = total
        number = len(self.recording.tables) - 1
        if total[0] > table.size:
            self._add(RowKind.UNLISTED, 1, number)
        elif total[0] < table.size:
            wrapped = "it has gone beyond 32 bits" if table.size % (1 << 32) == total[0] else "it is wrong"
            self._problem("wrong total", f"the total is less than its rows: {wrapped}", "the rows count")
        self._add(RowKind.TABLE_TOTAL, 1, number, flags)
        self._table = None

    def _end_table(self, is_all: bool) -> None:
        table, self._table = self._table, None
        if table is not None and is_all:
            self.recording.rows.flags[table.row] |= TRUNCATED
            self._problem("cut", "a table has no total", "its rows are kept", table.row)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _add(self, kind: int, depth: int, item: int, flags: int = 0) -> int:
        """Adds a row for the current line."""
        self._output = self._doubt = None
        return self.recording.rows.add(kind, depth, self._offset, self._line, item, flags)

    def _foreign(self, text: bytes) -> None:
        """Adds a line of the program."""
        recording = self.recording
        recording.output_lines += 1
        is_in_section = self._section is not None and self._output is None and self._doubt is None
        if is_in_section and recording.rows.kinds[-1] == RowKind.METHOD:
            self._add_doubt(recording.texts.texts[recording.method_texts[-1]])
        if self._doubt is not None and len(self._doubt.tails) < MOST_TAILS:
            self._doubt.tails.append(text[:LONGEST].strip())
        if self._block is not None and len(self._output_lines) < MOST_OUTPUT:
            self._output_lines.append(text[:MOST_SHOWN])
        if self._output is None:
            depth = 2 if self._section is not None else 1
            depth = depth if self._block or self._summary or self._table else 0
            self._output = recording.rows.add(RowKind.OUTPUT, depth, self._offset, recording.lines)
        depth = recording.rows.depths[self._output] + 1
        recording.rows.add(RowKind.LINE, depth, self._offset, recording.lines)

    def _mixed(self, text: bytes, found: re.Match[bytes]) -> int:
        """Returns the flag of a line with text before the profiler's piece."""
        if not text[: found.start()].strip():
            return 0
        self._problem("mixed line", OUTPUT_BEFORE, "left out")
        return REPAIRED

    def _split(self, found: re.Match[bytes]) -> int:
        """Returns the flag of a title that contains other text."""
        if not found[2].strip():
            return 0
        self._problem("mixed line", "output of the program in a title", "left out")
        return REPAIRED

    def _problem(self, kind: str, what: str, done: str, row: int | None = None) -> None:
        """Adds a problem of a row, else of the current line."""
        rows = self.recording.rows
        offset, line = (self._offset, self._line) if row is None else (rows.offsets[row], rows.lines[row])
        self.recording.add_problem(Problem(kind, what, done, self._path, offset, line))
