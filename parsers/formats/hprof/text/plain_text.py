"""Reads HPROF text, a record at a time. Plain twin of the kernels: it defines their result.

    text = PlainText(Tables())
    text.read(lambda count, offset: data[offset:offset + count], len(data))
    text.tables.columns["trace_serial"]

Records are lines, with three exceptions: names of threads may contain line breaks; a text of more than 1,023 bytes is
cut there with its line end, and the next record follows in the same line; lists of waiting threads are longer.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence

from parsers.formats.hprof.data.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    CUT,
    FOREIGN_LINE,
    HAS_CUT,
    HUNDREDTHS,
    IS_CUT,
    IS_EMPTY,
    LINE_BLOCK,
    MANY_DUMPS,
    MONITOR_DUMP,
    MONITOR_TIME,
    NO_PROFILE,
    NO_ROW,
    NOWHERE,
    OVERFLOW,
    PHASES,
    SECOND_HEADER,
    SECTION_KINDS,
    SITES_KIND,
)
from parsers.formats.hprof.data.tables import A_TRACE, AN_OBJECT, NOTHING, ProfileTables, ReadingState
from parsers.formats.hprof.text import lines
from parsers.formats.hprof.text.heap_text import HeapLines
from parsers.formats.hprof.text.monitor_text import MonitorLines
from parsers.formats.hprof.text.runs import ORDER, TABLE_OF, Runs, percent, total_of
from parsers.heapdump.graph.columns import HAS_END, HEAP_DUMP
from parsers.model.none import NONE

Read = Callable[[int, int], bytes]

BLOCK = 1 << 20
"""Bytes that are read at a time."""
MOST_LINE = 16 << 20
"""Maximum bytes of a line of waiting threads, or of program output, that are read as one."""

NEWLINE = 10
WRAPPED = 1 << 30
"""Minimum difference between a total of 32 bits and the sum of its parts if the total has overflowed."""

BEFORE, IN_PRELUDE, IN_BODY = range(3)
"""State of reading: before the header, in a prelude that has lost its end, among the records."""

TABLES = {**TABLE_OF, HEAP_DUMP: "object", MONITOR_DUMP: "monitor"}
"""Tables of the rows of sections, by kind."""
MORE_OF = {HEAP_DUMP: "root", MONITOR_DUMP: "dumped"}


class PlainText(ReadingState):
    """Reads one file into tables. `take` reads one record; all other methods build on it."""

    def __init__(self, tables: ProfileTables, width: int = BLOCK) -> None:
        """width: bytes that are read at a time"""
        super().__init__(tables)
        self._width = width
        self._window = 0, b""
        """Bytes of the file, and their offset."""
        self.place = BEFORE
        self.section = -1
        """Kind of the open section; -1 outside of sections."""
        self._ticks = -1
        """In CPU SAMPLES without counts: the total of the shares; else -1."""
        self.version = b""
        self.created: bytes | None = None
        self.headers = 0
        self.lines = array("I")
        """Line ends before each block of LINE_BLOCK bytes."""
        self.newlines = 0
        self.has_last_end = True
        self.foreign_lines = 0
        self.cut_lines = 0
        self.traces_empty = 0
        self.is_truncated = False
        """True if the file ends in a section or in a line; known at the end."""
        self.unfinished = -1
        """Offset of a last line without line end; -1 if there is none."""
        self.size = 0
        self._may_skip = False
        """True behind a line that is no record: others may follow."""
        self._section_row = -1
        """Row of the section that was opened last."""
        self.runs = Runs(tables)
        self._heap = HeapLines(self)
        self._monitors = MonitorLines(self)

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, read: Read, size: int) -> None:
        """Reads a file of that size to its end."""
        self.feed(read, 0, size, size)
        self.count_lines(read, size)
        self.end(size)

    def count_lines(self, read: Read, size: int) -> None:
        """Counts line ends, block by block."""
        for start in range(0, size, BLOCK):
            data = read(min(BLOCK, size - start), start)
            for at in range(0, len(data), LINE_BLOCK):
                self.lines.append(self.newlines)
                self.newlines += data.count(b"\n", at, at + LINE_BLOCK)
        self.has_last_end = size == 0 or read(1, size - 1) == b"\n"

    def feed(self, read: Read, start: int, stop: int, size: int) -> int:
        """Reads the records that begin from `start` on, which begins one, and before `stop`; returns the next start."""
        while start < stop:
            base, window = self._window
            at, is_last = start - base, base + len(window) >= size
            most = min(len(window), stop - base)
            while 0 <= at < most:
                after = self.take(window, at, base, is_last)
                if after < 0:
                    break
                at = after
            if base + at == start:
                # Nothing was read: the window ends before the record does.
                base, at = start, self._take_first(read, start, size)
            start = base + at
        return start

    def _take_first(self, read: Read, start: int, size: int) -> int:
        """Reads the record at `start`, with which the next window begins; returns its length."""
        width = self._width
        while True:
            window = read(min(width, size - start), start)
            self._window = start, window
            after = self.take(window, 0, start, start + len(window) >= size)
            if after >= 0:
                return after
            if width >= MOST_LINE:
                return self._take_long(read, start, size)
            width *= 4

    def _take_long(self, read: Read, start: int, size: int) -> int:
        """Reads a line that is longer than what is read at a time."""
        window = read(min(MOST_LINE, size - start), start)
        after = self.take(window, 0, start, True)
        if after < len(window) or start + after >= size:
            return after
        # A line of this length is no record.
        while start + after < size:
            more = read(min(BLOCK, size - start - after), start + after)
            stop = more.find(b"\n")
            if not more:
                return after
            if stop >= 0:
                return after + stop + 1
            after += len(more)
        return after

    def end(self, size: int) -> None:
        """Ends the file."""
        self.size = size
        is_open = self.section >= 0
        self.is_truncated = is_open or self.unfinished >= 0
        self._leave(size, False)
        if self.unfinished >= 0 and not is_open:
            self.tables.find(CUT, self.unfinished)
        if self.place == BEFORE and size:
            self.tables.find(NO_PROFILE, 0)
        self._check_totals()
        self.tables.end()

    @property
    def facts(self) -> dict[str, object]:
        """Counts and problems of a file that was read to its end, as JSON values."""
        return {
            "version": self.version.decode("utf-8", "replace"),
            "created": None if self.created is None else self.created.decode("utf-8", "replace"),
            "headers": self.headers,
            "foreign_lines": self.foreign_lines,
            "cut_lines": self.cut_lines,
            "threads_ended": self.runs.threads_ended,
            "traces_empty": self.traces_empty,
            "is_truncated": self.is_truncated,
            "lines": self.newlines + (not self.has_last_end),
            "size": self.size,
            "problem_counts": list(self.tables.problem_counts),
        }

    def _check_totals(self) -> None:
        """Reports overflowed totals, which are much less than their parts; totals of times may be negative.

        A small difference is normal: sampling continues during printing.
        """
        columns = self.tables.columns
        names = ("kind", "total", "first", "rows", "offset")
        for kind, total, first, rows, offset in zip(*(columns[f"section_{name}"] for name in names), strict=True):
            counts = columns["rank_count"][first : first + rows] if kind == CPU_SAMPLES else ()
            if total < max(sum(counts) - WRAPPED, 0):
                self.tables.find(OVERFLOW, offset, abs(total))

    def take(self, data: bytes, at: int, base: int, is_last: bool) -> int:
        """Reads the record that begins at data[at], which is byte base + at of the file; returns the next start.

        is_last  True if the file ends with `data`; else -1 is returned if the record doesn't end in it
        """
        if self.place == IN_BODY:
            if data[at] == NEWLINE:
                self.open = NOTHING
                run = lines.EMPTY_LINES.match(data, at)
                assert run is not None
                return run.end()
            after = self._take_strange_run(data, at) if self._may_skip else at
            if after > at:
                return after
            stop = data.find(b"\n", at, at + lines.MOST_PIECE)
            if stop < 0:
                return self._take_unended(data, at, base, is_last)
            self._take_line(data, at, stop, base)
            return self._after
        return self._take_before(data, at, base, is_last)

    def _take_before(self, data: bytes, at: int, base: int, is_last: bool) -> int:
        """Reads a line before the records."""
        stop = data.find(b"\n", at)
        if stop < 0:
            if not is_last:
                return -1
            self.unfinished = base + at
            return len(data)
        line = data[at:stop].removesuffix(b"\r")
        header = lines.HEADER.fullmatch(line)
        if header is not None:
            if not is_last and len(data) - at < lines.MOST_PRELUDE:
                return -1
            self._begin(header[1], header[2], base + at)
            dashes = lines.PRELUDE_END.search(data, stop + 1, stop + 1 + lines.MOST_PRELUDE)
            self.place = IN_PRELUDE if dashes is None else IN_BODY
            return stop + 1 if dashes is None else dashes.end()
        if self._is_record(line):
            self.place = IN_BODY
            return self.take(data, at, base, is_last)
        if self.place == BEFORE:
            self.foreign_lines += 1
        return stop + 1

    @staticmethod
    def _is_record(line: bytes) -> bool:
        """True if a line alone is a record that starts something, so that the rest can be read without a header."""
        return any(
            each.fullmatch(line) is not None for each in (lines.TRACE, lines.THREAD_START, lines.THREAD_END, lines.WAIT)
        ) or ((found := lines.BEGIN.fullmatch(line)) is not None and found[0].startswith(SECTION_WORDS))

    def _begin(self, version: bytes, created: bytes | None, offset: int) -> None:
        """Reads a header."""
        self.headers += 1
        if self.headers == 1:
            self.version, self.created = version, created
            return
        self.tables.find(SECOND_HEADER, offset)
        self._leave(offset, False)
        self.tables.begin_file()
        self.runs.threads.clear()
        self.runs.last_order = len(ORDER)

    # -- lines --------------------------------------------------------------------------------------------------------

    def _take_line(self, data: bytes, at: int, stop: int, base: int) -> None:
        """Reads a record that has its line end at `stop`, unless it is a thread whose name contains that line end."""
        self._after = stop + 1
        self._may_skip = False
        line = data[at:stop]
        if line.endswith(b"\r"):
            line = line[:-1]
        offset = base + at
        if line.startswith(b"\t"):
            if self.open == A_TRACE and self._frame(line):
                return
            if self.section == HEAP_DUMP and self.open == AN_OBJECT and self._heap.reference(line):
                return
            if self.section == MONITOR_DUMP and self._monitors.detail(line):
                return
        elif self.section >= 0 and self._row(line, offset):
            if self.section in TABLE_OF and self._ticks < 0:
                self._after = self.runs.read_rows(self.section, data, self._after, base)
            return
        if self._record(line, data, at, base):
            return
        self._strange(line, offset, stop + 1 + base)

    def _row(self, line: bytes, offset: int) -> bool:
        """Reads a row of the open section; False for any other line."""
        section = self.section
        if section == HEAP_DUMP:
            return self._heap.record(line, offset, False)
        if section == MONITOR_DUMP:
            return self._monitors.record(line, offset, False)
        if section == CPU_SAMPLES and self._ticks >= 0 and self._share(line, offset):
            return True
        return self._rank(line, offset, False) or self._is_title(line)

    def _is_title(self, line: bytes) -> bool:
        """True if a line names the columns of rows. In CPU SAMPLES these show if rows have counts."""
        if self.section == SITES_KIND:
            return lines.SITE_TITLE.fullmatch(line) is not None
        if lines.RANK_TITLE.fullmatch(line) is not None:
            self._ticks = -1
            return True
        if self.section != CPU_SAMPLES or lines.SHARE_TITLE.fullmatch(line) is None:
            return False
        if self._ticks < 0:
            self._ticks = max(self.tables.get("section_total", self._section_row), 0)
        return True

    def _record(self, line: bytes, data: bytes, at: int, base: int) -> bool:
        """Reads the first line of a record that is allowed anywhere; False for any other line."""
        first, offset = line[:1], base + at
        if first == b"T":
            return self._trace(line, offset) or self._thread(line, data, at, base)
        if (first in (b"W", b"E") or line.startswith(b"SLEEP")) and self._monitors.event(line, offset, False):
            return True
        if first in (b"C", b"S", b"H", b"M"):
            return self._edge(line, data, at, base)
        if first == b"J" and lines.HEADER.fullmatch(line) is not None:
            self.place = BEFORE
            self._after = at
            return True
        return False

    def _strange(self, line: bytes, offset: int, end: int) -> None:
        """Reports a line that is no record."""
        self.open = NOTHING
        self._may_skip = True
        if not line:
            return
        if self.section == HEAP_DUMP and line.endswith(lines.LATE_END):
            self.tables.find(CUT, offset)
            self._leave(end, True)
        elif self.section >= 0:
            self.tables.find(NO_ROW, offset)
        else:
            self.foreign_lines += 1
            self.tables.find(FOREIGN_LINE, offset)

    def _take_strange_run(self, data: bytes, at: int) -> int:
        """Counts lines that are no records, where no more of them are listed; returns the next start."""
        is_inside = self.section >= 0
        run = (lines.STRANGE_RUN_IN_SECTION if is_inside else lines.STRANGE_RUN).match(data, at)
        count = 0 if run is None else data.count(b"\n", at, run.end())
        if run is None or not self.tables.find_more(NO_ROW if is_inside else FOREIGN_LINE, count):
            return at
        self.open = NOTHING
        self.foreign_lines += 0 if is_inside else count
        return run.end()

    def _take_unended(self, data: bytes, at: int, base: int, is_last: bool) -> int:
        """Handles a missing line end: the record is cut, or the file is, or the line may be that long."""
        most = at + lines.MOST_PIECE
        if len(data) <= most and not is_last:
            return -1
        if data[most : most + 1] not in (b"\n", b"") and self._take_cut(data, at, base):
            return self._after
        if len(data) == most and self._take_cut(data, at, base):
            return self._after
        stop = data.find(b"\n", at)
        if stop < 0:
            if not is_last:
                return -1
            self.unfinished = base + at
            return len(data)
        self._take_line(data, at, stop, base)
        return self._after

    def _take_cut(self, data: bytes, at: int, base: int) -> bool:
        """Reads the 1,023 bytes from `at` on as a record that was cut there; False if they are none."""
        piece, offset = data[at : at + lines.MOST_PIECE], base + at
        self._after = at + lines.MOST_PIECE
        is_taken = False
        if piece.startswith(b"\t"):
            is_taken = self.open == A_TRACE and self._frame(piece, True)
        elif piece.startswith(b"THREAD START"):
            return self._thread(piece, data, at, base)
        elif piece.startswith((b"WAIT", b"EXIT")):
            is_taken = self._monitors.event(piece, offset, True)
        elif self.section in (CPU_SAMPLES, CPU_TIME, MONITOR_TIME):
            prefix = lines.RANK_PREFIX.match(data, at)
            if prefix is not None:
                self._after = prefix.end() + lines.MOST_PIECE
                if b"\n" in data[at : self._after + 1] or len(data) < self._after:
                    return False
                is_taken = self._rank(data[at : self._after], offset, True)
        elif self.section == SITES_KIND:
            is_taken = self._rank(piece, offset, True)
        elif self.section == HEAP_DUMP:
            is_taken = self._heap.record(piece, offset, True)
        elif self.section == MONITOR_DUMP:
            is_taken = self._monitors.record(piece, offset, True)
        self.cut_lines += is_taken
        return is_taken

    # -- threads and traces -------------------------------------------------------------------------------------------

    def _thread(self, line: bytes, data: bytes, at: int, base: int) -> bool:
        ended = lines.THREAD_END.fullmatch(line)
        if ended is not None:
            self._take_thread((b"", b"", b"", b"", ended[1]), data, at, base)
            return True
        if not line.startswith(b"THREAD START ("):
            return False
        # The name may contain line ends; the record's own is the first one after a quote and a bracket.
        stop = lines.THREAD_STOP.search(data, at, at + lines.MOST_PIECE)
        if stop is not None:
            found = lines.THREAD_START.fullmatch(data, at, stop.start() + 2)
            if found is None:
                return False
            self._after = stop.end()
            self._take_thread((*found.groups(), b""), data, at, base)
            return True
        piece = data[at : at + lines.MOST_PIECE]
        found = lines.CUT_THREAD_START.fullmatch(piece)
        if found is None or len(piece) < lines.MOST_PIECE:
            return False
        name, quote, group = found[3].rpartition(b'", group="')
        self._after = at + lines.MOST_PIECE
        self.cut_lines += 1
        names = (name, group) if quote else (group, b"")
        self._take_thread((found[1], found[2], *names, b""), data, at, base, IS_CUT)
        return True

    def _take_thread(self, record: Sequence[bytes], data: bytes, at: int, base: int, flags: int = 0) -> None:
        """Adds the start or end of a thread, and all that follow."""
        self.open = NOTHING
        self.runs.add_threads([record], [base + at], flags)
        self._after = self.runs.read_threads(data, self._after, base)

    def _trace(self, line: bytes, offset: int) -> bool:
        found = lines.TRACE.fullmatch(line)
        if found is None:
            return False
        phase = PHASES.index(found[3]) if found[3] in PHASES else 0
        self.tables.add_trace(offset, min(int(found[1]), NONE - 1), int(found[2]) if found[2] else NONE, phase)
        self.open = A_TRACE
        return True

    def _frame(self, line: bytes, is_cut: bool = False) -> bool:
        is_empty = line == lines.EMPTY
        if is_empty or is_cut:
            last = self.tables.length("trace") - 1
            flags = self.tables.get("trace_flags", last)
            self.tables.set("trace_flags", last, flags | (IS_EMPTY if is_empty else HAS_CUT))
            self.traces_empty += is_empty and not flags & IS_EMPTY
        elif lines.FRAME.fullmatch(line, 1) is None:
            return False
        if not is_empty:
            self.tables.add_frame(line[1:])
        return True

    # -- sections -----------------------------------------------------------------------------------------------------

    def _edge(self, line: bytes, data: bytes, at: int, base: int) -> bool:
        """Reads the first or last line of a section; False for any other line."""
        begin = lines.BEGIN.fullmatch(line)
        if begin is not None:
            self._leave(base + at, False)
            self._enter(begin, data, at, base)
            return True
        end = lines.END.fullmatch(line)
        if end is None or self.section < 0 or not end[1].startswith(SECTION_KINDS[self.section].encode()):
            return False
        self._leave(base + self._after, True)
        return True

    def _enter(self, begin: re.Match[bytes], data: bytes, at: int, base: int) -> None:
        """Begins a section, or reads it with further ones of its kind if all of them are plain."""
        tables, offset, (_, printed, date) = self.tables, base + at, begin.groups()
        kind = SECTION_KINDS.index(begin[1].decode())
        self.open = NOTHING
        if (after := self.runs.read_sections(data, at, base)) > at:
            self._after = after
            return
        if kind == HEAP_DUMP and self.runs.has_many_dumps:
            tables.find(MANY_DUMPS, offset)
            self.section, self._section_row = kind, self.runs.heap_rows[-1]
            return
        self.section = kind
        ticks = lines.TICKS.match(printed or b"")
        self._ticks = int(ticks[2]) if ticks is not None else -1
        self._section_row = tables.add(
            "section",
            offset,
            NOWHERE,
            total_of(printed or b""),
            tables.length(TABLES[kind]),
            0,
            tables.length(MORE_OF[kind]) if kind in MORE_OF else 0,
            0,
            tables.number("word", printed or b""),
            NONE if date is None else tables.number("word", date),
            self.runs.next_snapshot(kind),
            kind,
            0,
        )
        if kind == HEAP_DUMP:
            self.runs.heap_rows.append(self._section_row)

    def _leave(self, offset: int, has_end: bool) -> None:
        """Ends the open section before an offset."""
        self.open = NOTHING
        if self.section < 0:
            return
        tables, last = self.tables, self._section_row
        rows = tables.length(TABLES[self.section]) - tables.get("section_first", last)
        tables.set("section_end", last, offset)
        tables.set("section_rows", last, rows)
        if self.section in MORE_OF:
            more = tables.length(MORE_OF[self.section]) - tables.get("section_more", last)
            tables.set("section_more_rows", last, more)
        tables.set("section_flags", last, HAS_END if has_end else 0)
        if not has_end:
            tables.find(CUT, min(offset, self.unfinished) if self.unfinished >= 0 else offset)
        self.section = -1

    def _rank(self, line: bytes, offset: int, is_cut: bool) -> bool:
        found = (lines.SITE if self.section == SITES_KIND else lines.RANK).fullmatch(line)
        if found is None:
            return False
        self.runs.add_rows(self.section, [found.groups(b"")], [offset], IS_CUT if is_cut else 0)
        return True

    def _share(self, line: bytes, offset: int) -> bool:
        """Reads a row without count and trace: below 10,000 ticks a share of two decimals determines the count."""
        found = lines.SHARE.fullmatch(line)
        if found is None:
            return False
        own, tables = percent(found[2]), self.tables
        count = (own * self._ticks + HUNDREDTHS // 2) // HUNDREDTHS
        name = tables.number("method", found[4])
        tables.add("rank", offset, count, own, percent(found[3]), NONE, name, int(found[1]), 0)
        return True


SECTION_WORDS = tuple(name.encode() for name in SECTION_KINDS)
