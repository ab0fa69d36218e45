"""Reads `java.prof`: JDK 1.0 and 1.1 `-prof`, and hprof's `cpu=old` up to JDK 8.

A row is `count callee caller time`. Names of unknown methods contain a blank (`<unknown caller>`); JDK 1.0.2 omits the
callee of some rows. The agent of JDK 5 to 8 cuts what it formats at 1,023 bytes, so a long name has lost the blank
behind it, and the next field follows without one. Sources: `profiler.c` of JDK 1.0.2, `hprof_io.c` of JDK 8.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable

from parsers.formats.jdkprofilers.line_rows import DAMAGED, TRUNCATED
from parsers.formats.jdkprofilers.lines import BLANK_LINES, read_lines
from parsers.formats.jdkprofilers.pairs.recording import (
    ARRAYS,
    DUMP,
    HEAP,
    INSTANCES,
    LINE,
    OUTPUT,
    PAIR,
    TABLE,
    WRAP,
    HeapPart,
    HeapRow,
    PairDump,
    PairRecording,
)
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN_CALLEE, UNKNOWN_CALLER
from parsers.model.report import Problem

MOST_PIECE = 1023
"""Maximum bytes of a name with its blank: the buffer of `file_write_printf` of `hprof_io.c`."""

LEAST_RUN = 512
"""Minimum bytes of foreign lines that are read at once."""
MOST_PROBLEMS = 1000
"""Maximum problems that are stored; all are counted."""

HEADER = re.compile(rb"(?:# )?count callee caller time[ \t]*")
NUMBER = rb"-?\d{1,18}"
ROW = re.compile(rb"(%b) (<unknown callee>|\S+) (<unknown caller>|\S+) (%b)[ \t]*" % (NUMBER, NUMBER))
WITHOUT_CALLEE = re.compile(rb"(%b) (<unknown caller>|\S+) (%b)[ \t]*" % (NUMBER, NUMBER))
WITH_BLANKS = re.compile(
    rb"(%b) (<unknown callee>|[^()]+\([^()]*\)\S+) (<unknown caller>|\?\.\?|[^()]+\([^()]*\)\S+) (%b)[ \t]*"
    % (NUMBER, NUMBER)
)
"""A row whose names contain blanks: other languages have such methods."""
BEGINNING = re.compile(rb"(%b) " % NUMBER)
BEGINNING_OF_PIECE = re.compile(rb"^[^\S\n]*(?:[-\d*#\[L]|count |handles_used|sig\s)", re.MULTILINE)
"""The beginning of each line that may be a line of the profile."""
PLAIN_ROW = re.compile(rb"(\d{1,18}) (<unknown callee>|\S{1,1022}) (<unknown caller>|\S{1,1022}) (\d{1,18})\r?\n")
"""A row without overflowed number or cut name, with its line end."""
ENDING = re.compile(rb"(%b)[ \t]*" % NUMBER)

HANDLES = re.compile(
    rb"\s*handles_used:\s*(\d{1,18}),\s*handles_free:\s*(\d{1,18}),\s*heap-used:\s*(\d{1,18}),\s*heap-free:\s*(\d{1,18})\s*"
)
ARRAYS_TITLE = re.compile(rb"\s*sig\s+count\s+bytes\s+indx\s*")
ARRAYS_ROW = re.compile(rb"\s*(\[+[A-Z])\s+(%b)\s+(%b)\s+(\d{1,18})\s*" % (NUMBER, NUMBER))
TABLE_ROW = re.compile(rb"\*\*\* tab\[\d+\] p=[0-9a-fA-F]+ cb=[0-9a-fA-F]+ cnt=\d+ ac=\d+ al=\d+\s*")
INSTANCES_ROW = re.compile(rb"\s+(\[*L[^;]*;|\[+[A-Z])\s+(%b)\s+(%b)\s*" % (NUMBER, NUMBER))


def read_pairs(
    pread: Callable[[int, int], bytes],
    stop: int,
    is_all: bool,
    path: str = "",
    report_progress: Callable[[int], None] | None = None,
) -> PairRecording:
    """Reads a file up to an offset. `is_all`: the file ends there; `report_progress` receives the offset reached."""
    reader = PairReader(path)
    read_lines(pread, stop, reader.feed, reader.run, is_all, report_progress)
    reader.recording.is_complete = is_all
    return reader.recording


class PairReader:
    """Reads lines one after the other into `recording`."""

    def __init__(self, path: str = "") -> None:
        self.recording = PairRecording()
        self._path = path
        self._dump: PairDump | None = None
        self._heap: HeapPart | None = None

    def run(self, block: bytes, begin: int, offset: int) -> int:
        """Reads blank lines, plain rows or foreign lines of a block, those of one kind that follow each other.

        Returns the position behind them. `offset`: of the position `begin`, where a line begins.
        """
        recording, is_first = self.recording, not self.recording.rows
        if self._dump is not None and (blank := BLANK_LINES.match(block, begin)):
            recording.lines += block.count(b"\n", begin, blank.end())
            begin, offset = blank.end(), offset + blank.end() - begin
        if self._dump is not None and (end := self._pairs(block, begin, offset)) > begin:
            return end
        found = BEGINNING_OF_PIECE.search(block, begin)
        end = block.rfind(b"\n", begin, found.start() if found is not None else len(block)) + 1
        if is_first or end - begin < LEAST_RUN:
            return begin
        flags, row = DAMAGED if self._dump is not None else 0, len(recording.rows)
        lines, rows = recording.rows.add_lines(
            LINE, 1, block[begin:end], offset, recording.lines + 1, flags, self._dump is None
        )
        if self._dump is None:
            recording.foreign_lines += rows
        else:
            recording.unreadable += rows
            stored = min(rows, MOST_PROBLEMS - len(recording.problems))
            for number in range(row, row + stored):
                self._unreadable(recording.rows.offsets[number], recording.rows.lines[number])
            recording.problem_count += rows - stored
        recording.lines += lines
        return end

    def feed(self, offset: int, text: bytes, has_end: bool = True) -> None:
        """Reads one line without its end."""
        if not offset:
            text = text.removeprefix(b"\xef\xbb\xbf")
        recording = self.recording
        recording.lines += 1
        if self._dump is not None and has_end:
            found = ROW.fullmatch(text)
            if found is not None and len(found[2]) < MOST_PIECE:
                self._pair(offset, int(found[1]), found[2], found[3], int(found[4]))
                return
        if HEADER.fullmatch(text):
            self._begin(offset, text)
        elif self._dump is None:
            self._foreign(offset, text)
        elif not text.strip():
            pass
        elif has_end:
            self._other(offset, text)
        else:
            self._problem("cut", offset, recording.lines, "the last line is incomplete", "kept as a line, not counted")
            recording.rows.add(LINE, self._depth, offset, recording.lines, 0, TRUNCATED)

    def _pairs(self, block: bytes, begin: int, offset: int) -> int:
        """Reads plain rows that follow each other; returns the position behind them."""
        recording, rows, dump = self.recording, self.recording.rows, self._dump
        assert dump is not None
        starts, found, at = list[int](), list[tuple[bytes, ...]](), begin
        while match := PLAIN_ROW.match(block, at):
            starts.append(at - begin + offset)
            found.append(match.groups())
            at = match.end()
        if not found:
            return begin
        counts, _, _, times = zip(*found, strict=True)
        methods = [recording.methods.number(name) for row in found for name in row[1:3]]
        first, pair, count = len(rows), recording.pairs, len(found)
        rows.add_each(PAIR, 1, starts, recording.lines + 1, pair)
        recording.pair_rows.extend(range(first, first + count))
        recording.callees.extend(methods[::2])
        recording.callers.extend(methods[1::2])
        recording.counts.extend(map(int, counts))
        recording.times.extend(map(int, times))
        recording.pair_dumps.extend(array("H", (min(len(recording.dumps) - 1, 65_535),)) * count)
        recording.lines += count
        dump.pairs += count
        dump.calls += sum(recording.counts[pair:])
        dump.time += sum(recording.times[pair:])
        return at

    @property
    def _depth(self) -> int:
        """Depth of a line that belongs to the dump."""
        return 1 if self._dump is not None else 0

    def _begin(self, offset: int, text: bytes) -> None:
        recording = self.recording
        row = recording.rows.add(DUMP, 0, offset, recording.lines, len(recording.dumps))
        self._dump = PairDump(row, text.rstrip(), recording.pairs)
        recording.dumps.append(self._dump)
        self._heap = None

    def _pair(self, offset: int, count: int, callee: bytes, caller: bytes, time: int, flags: int = 0) -> None:
        recording, dump = self.recording, self._dump
        assert dump is not None
        recording.pair_rows.append(len(recording.rows))
        recording.rows.add(PAIR, 1, offset, recording.lines, recording.pairs, flags)
        recording.callees.append(recording.methods.number(callee))
        recording.callers.append(recording.methods.number(caller))
        recording.counts.append(count)
        recording.times.append(time)
        recording.pair_dumps.append(min(len(recording.dumps) - 1, 65_535))
        if callee == NOT_RECORDED:
            recording.without_callee += 1
        else:
            dump.pairs += 1
            dump.calls += count
            dump.time += time
        if count < 0 or time < 0:
            is_wrapped = min(count, time) >= -WRAP // 2
            what = "a number has gone beyond 31 bits" if is_wrapped else "a number is less than any of 32 bits"
            done = "2^32 is added where it counts" if is_wrapped else "that one counts as printed"
            self._problem("overflowed", offset, recording.lines, what, done)

    def _other(self, offset: int, text: bytes) -> None:
        """Reads a line below the header that is no plain row."""
        cut = cut_row(text)
        if cut is not None:
            self.recording.cut_lines += 1
            self._pair(offset, *cut, TRUNCATED)
        elif found := WITHOUT_CALLEE.fullmatch(text):
            self._pair(offset, int(found[1]), NOT_RECORDED, found[2], int(found[3]))
        elif found := WITH_BLANKS.fullmatch(text[:8192]):
            self._pair(offset, int(found[1]), found[2], found[3], int(found[4]))
        elif not self._heap_line(offset, text):
            self._foreign(offset, text)

    def _heap_line(self, offset: int, text: bytes) -> bool:
        """Reads a line of the heap part; False if it is none."""
        recording, heap = self.recording, self._heap
        if found := HANDLES.fullmatch(text):
            heap = self._begin_heap(offset)
            heap.handles_used, heap.handles_free, heap.used, heap.free = map(int, found.groups())
            return True
        if ARRAYS_TITLE.fullmatch(text):
            if heap is None:
                self._begin_heap(offset)
            return True
        for kind, expression in ((ARRAYS, ARRAYS_ROW), (TABLE, TABLE_ROW), (INSTANCES, INSTANCES_ROW)):
            if found := expression.fullmatch(text):
                heap = heap or self._begin_heap(offset)
                if kind == TABLE:
                    recording.rows.add(TABLE, 2, offset, recording.lines)
                    heap.tables += 1
                    return True
                rows = heap.arrays if kind == ARRAYS else heap.classes
                depth = 3 if kind == INSTANCES and heap.tables else 2
                item = len(heap.arrays) if kind == ARRAYS else len(heap.classes)
                row = recording.rows.add(kind, depth, offset, recording.lines, item)
                index = int(found[4]) if kind == ARRAYS else None
                rows.append(HeapRow(row, found[1], int(found[2]), int(found[3]), index))
                return True
        return False

    def _begin_heap(self, offset: int) -> HeapPart:
        recording = self.recording
        row = recording.rows.add(HEAP, 1, offset, recording.lines, len(recording.heaps))
        self._heap = HeapPart(row)
        recording.heaps.append(self._heap)
        return self._heap

    def _foreign(self, offset: int, text: bytes) -> None:
        """Adds a line that is not part of the profile."""
        recording = self.recording
        if self._dump is None:
            recording.foreign_lines += 1
            if not recording.rows:
                recording.rows.add(OUTPUT, 0, offset, recording.lines)
            recording.rows.add(LINE, 1, offset, recording.lines)
            return
        recording.unreadable += 1
        recording.rows.add(LINE, 1, offset, recording.lines, 0, DAMAGED)
        self._unreadable(offset, recording.lines)

    def _unreadable(self, offset: int, line: int) -> None:
        self._problem("unreadable line", offset, line, "is no row of the profile", "kept as a line, counted nowhere")

    def _problem(self, kind: str, offset: int, line: int, what: str, done: str) -> None:
        recording = self.recording
        recording.problem_count += 1
        if len(recording.problems) < MOST_PROBLEMS:
            recording.problems.append(Problem(kind, what, done, self._path, offset, line))


def cut_row(text: bytes) -> tuple[int, bytes, bytes, int] | None:
    """Returns count, callee, caller and time of a row in which a name was cut at 1,023 bytes; None if there is none."""
    begin = BEGINNING.match(text)
    if begin is None or len(text) < MOST_PIECE:
        return None
    rest, names, is_cut = text[begin.end() :], [], False
    for unknown in (UNKNOWN_CALLEE, UNKNOWN_CALLER):
        blank = len(unknown) if rest.startswith(unknown + b" ") else rest.find(b" ")
        if blank < 0 or blank >= MOST_PIECE:
            if len(rest) <= MOST_PIECE:
                return None
            names.append(rest[:MOST_PIECE])
            rest, is_cut = rest[MOST_PIECE:], True
        else:
            names.append(rest[:blank])
            rest = rest[blank + 1 :]
    end = ENDING.fullmatch(rest)
    return (int(begin[1]), names[0], names[1], int(end[1])) if end is not None and is_cut else None
