"""Reads `java.prof`: JDK 1.0 and 1.1 `-prof`, and hprof's `cpu=old` up to JDK 8.

A row is `count callee caller time`. Names of unknown methods contain a blank (`<unknown caller>`); JDK 1.0.2 omits the
callee of some rows. The agent of JDK 5 to 8 cuts what it formats at 1,023 bytes, so a long name has lost the blank
behind it, and the next field follows without one. Sources: `profiler.c` of JDK 1.0.2, `hprof_io.c` of JDK 8.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import accumulate, compress, pairwise
from operator import add, mul
from typing import Any

from parsers.formats.jdkprofilers.line_rows import DAMAGED, MOST_PROBLEMS, TRUNCATED
from parsers.formats.jdkprofilers.lines import BLANK_LINES, LineReader, lines_of
from parsers.formats.jdkprofilers.pairs.recording import WRAP, HeapPart, PairDump, PairKind, PairRecording
from parsers.formats.jdkprofilers.texts import NOT_RECORDED, UNKNOWN_CALLEE, UNKNOWN_CALLER
from parsers.io.adjacent_matches import run_of
from parsers.model.report import Problem

MOST_PIECE = 1023
"""Maximum bytes of a name with its blank: the buffer of `file_write_printf` of `hprof_io.c`."""

LEAST_RUN = 512
"""Minimum bytes of foreign lines that are read at once."""

Row = tuple[Any, ...]
"""Groups of a row: bytes, empty if it has none."""

NUMBER = rb"-?\d{1,18}"
HEADER = re.compile(rb"(?:# )?count callee caller time[ \t]*")
ROW = re.compile(rb"(%b) (<unknown callee>|\S+) (<unknown caller>|\S+) (%b)[ \t]*" % (NUMBER, NUMBER))
WITHOUT_CALLEE = re.compile(rb"(%b) (<unknown caller>|\S+) (%b)[ \t]*" % (NUMBER, NUMBER))
WITH_BLANKS = re.compile(
    rb"(%b) (<unknown callee>|[^()\n]+\([^()\n]*\)\S+) (<unknown caller>|\?\.\?|[^()\n]+\([^()\n]*\)\S+) (%b)[ \t]*"
    % (NUMBER, NUMBER)
)
"""A row whose names contain blanks: other languages have such methods."""
BEGINNING = re.compile(rb"(%b) " % NUMBER)
ENDING = re.compile(rb"(%b)[ \t]*" % NUMBER)

HANDLES = re.compile(
    rb"[^\S\n]*handles_used:\s*(\d{1,18}),\s*handles_free:\s*(\d{1,18}),\s*heap-used:\s*(\d{1,18}),\s*"
    rb"heap-free:\s*(\d{1,18})[^\S\n]*"
)
ARRAYS_TITLE = re.compile(rb"[^\S\n]*sig\s+count\s+bytes\s+indx[^\S\n]*")
ARRAYS_ROW = re.compile(rb"[^\S\n]*(\[+[A-Z])\s+(%b)\s+(%b)\s+(\d{1,18})[^\S\n]*" % (NUMBER, NUMBER))
TABLE_ROW = re.compile(rb"\*\*\* tab\[\d+\] p=[0-9a-fA-F]+ cb=[0-9a-fA-F]+ cnt=\d+ ac=\d+ al=\d+[^\S\n]*")
INSTANCES_ROW = re.compile(rb"[^\S\n]+(\[*L[^;\n]*;|\[+[A-Z])[^\S\n]+(%b)[^\S\n]+(%b)[^\S\n]*" % (NUMBER, NUMBER))

LINES = (ROW, WITHOUT_CALLEE, WITH_BLANKS, HEADER, HANDLES, ARRAYS_TITLE, ARRAYS_ROW, TABLE_ROW, INSTANCES_ROW)
FOREIGN = re.compile(
    rb"(?>(?!(?=[-\d\s*#chs\[])(?:%b)\r?\n)[^\n]{0,1000}+\n)++" % b"|".join(b"(?:%b)" % each.pattern for each in LINES),
    re.MULTILINE,
)
"""Lines that are none of the profile, most by their first character."""
HEADER_LINE = re.compile(rb"^%b\r?\n" % HEADER.pattern, re.MULTILINE)


SHORT_ROWS = (
    re.compile(
        rb"(%b) (?:(<unknown callee>|\S{1,1022}+) )?(<unknown caller>|\S{1,1022}+) (%b)[ \t]*\r?\n" % (NUMBER, NUMBER)
    ),
    re.compile(
        WITH_BLANKS.pattern.replace(b"]+", b"]{1,400}+").replace(b"]*", b"]{0,400}+").replace(rb"\S+", rb"\S{1,100}+")
        + rb"\r?\n"
    ),
)
"""Lines with rows of names that are not cut: count, callee (empty if it isn't recorded), caller, time."""
HEAP_LINE = re.compile(rb"(?:%b|%b)\r?\n" % (INSTANCES_ROW.pattern, ARRAYS_ROW.pattern.replace(rb"\s", rb"[^\S\n]")))
"""Lines with rows of the heap: type, count, bytes of instances; type, count, bytes, index of arrays."""
_TABLE_LINES = tuple(re.compile(rb"(?:%b|(%b)\r?\n)" % (row.pattern, HEADER.pattern)) for row in SHORT_ROWS)
RUNS = tuple((run_of(line.pattern), line) for line in _TABLE_LINES)
"""Rows and headers that follow each other, as a run and one by one: groups of a row, header."""
HEAP_RUN = run_of(HEAP_LINE.pattern)


class PairReader(LineReader[PairRecording]):
    """Reads lines one after the other into `recording`."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path)
        self.recording = PairRecording()
        self._dump: PairDump | None = None
        self._heap: HeapPart | None = None

    def run(self, block: bytes, begin: int, offset: int) -> int:
        """Reads blank lines, plain rows or foreign lines of a block, those of one kind that follow each other.

        Returns the position behind them. `offset`: of the position `begin`, where a line begins.
        """
        recording, is_first = self.recording, not self.recording.rows
        if self._dump is None:
            found = HEADER_LINE.search(block, begin)
            end = block.rfind(b"\n", begin, found.start() if found is not None else len(block)) + 1
        else:
            if blank := BLANK_LINES.match(block, begin):
                recording.lines += block.count(b"\n", begin, blank.end())
                begin, offset = blank.end(), offset + blank.end() - begin
            for run, line in RUNS:
                if found := run.match(block, begin):
                    self._add_table_lines(*lines_of(line, block, begin, found.end(), offset))
                    return found.end()
            if self._heap is not None and (found := HEAP_RUN.match(block, begin)):
                self._add_heap_rows(self._heap, *lines_of(HEAP_LINE, block, begin, found.end(), offset))
                return found.end()
            found = FOREIGN.match(block, begin)
            end = found.end() if found is not None else begin
        if is_first or end - begin < LEAST_RUN:
            return begin
        flags, row = DAMAGED if self._dump is not None else 0, len(recording.rows)
        lines, count = recording.rows.add_lines(
            PairKind.LINE, 1, block[begin:end], offset, recording.lines + 1, flags, self._dump is None
        )
        if self._dump is None:
            recording.foreign_lines += count
        else:
            recording.unreadable += count
            stored = min(count, MOST_PROBLEMS - len(recording.problems))
            for number in range(row, row + stored):
                self._unreadable(recording.rows.offsets[number], recording.rows.lines[number])
            recording.problem_count += count - stored
        recording.lines += lines
        return end

    def feed(self, offset: int, text: bytes, has_end: bool = True) -> None:
        """Reads one line without its end."""
        if not offset:
            text = text.removeprefix(b"\xef\xbb\xbf")
        recording = self.recording
        recording.lines += 1
        if HEADER.fullmatch(text):
            self._add_table_lines([(*[b""] * 4, text)], [offset], recording.lines)
        elif self._dump is None:
            self._foreign(offset, text)
        elif not text.strip():
            pass
        elif has_end:
            self._other(offset, text)
        else:
            self._problem("cut", offset, recording.lines, "the last line is incomplete", "kept as a line, not counted")
            recording.rows.add(PairKind.LINE, self._depth, offset, recording.lines, 0, TRUNCATED)

    @property
    def _depth(self) -> int:
        """Depth of a line that belongs to the dump."""
        return 1 if self._dump is not None else 0

    def _add_table_lines(
        self, found: Sequence[Row], offsets: Sequence[int], line: int | None = None, flags: int = 0
    ) -> None:
        """Adds rows of pairs: count, callee (empty if it isn't recorded), caller, time of each; or a header.

        line  number of the only one, which is already counted; None: further lines
        """
        recording, row, first_pair = self.recording, len(self.recording.rows), self.recording.pairs
        *columns, headers = zip(*found, strict=True)
        is_pair = [not header for header in headers]
        counts, callees, callers, times = ([*compress(column, is_pair)] for column in columns)
        calls, millis, size = array("q", map(int, counts)), array("q", map(int, times)), len(counts)
        names = [NOT_RECORDED] * (2 * size)
        names[::2] = [callee or NOT_RECORDED for callee in callees]
        names[1::2] = callers
        methods = array("I", recording.methods.numbers(names))
        if line is None:
            line = recording.lines + 1
            recording.lines += len(found)
        # The numbers of the next pair and of the next dump, by line.
        pairs = [*accumulate(is_pair, initial=first_pair)]
        dumps = [*accumulate(map(bool, headers), initial=len(recording.dumps))]
        kinds = [PairKind.PAIR if each else PairKind.DUMP for each in is_pair]
        items = [pair if each else dump for each, pair, dump in zip(is_pair, pairs, dumps, strict=False)]
        recording.rows.add_each(kinds, [*map(int, is_pair)], offsets, line, items, flags)
        recording.pair_rows.extend(compress(range(row, row + len(found)), is_pair))
        recording.callees.extend(methods[::2])
        recording.callers.extend(methods[1::2])
        recording.counts.extend(calls)
        recording.times.extend(millis)
        recording.pair_dumps.extend([min(next - 1, 65_535) for next in compress(dumps, is_pair)])
        recording.without_callee += callees.count(b"")
        recorded = [*map(bool, callees)]
        sums = [
            [*accumulate(each, initial=0)] for each in (recorded, map(mul, calls, recorded), map(mul, millis, recorded))
        ]
        new = [PairDump(at, header.rstrip()) for at, header in enumerate(headers, row) if header]
        bounds = pairwise([0, *(pair - first_pair for pair in compress(pairs, headers)), size])
        for dump, (start, stop) in zip([self._dump, *new], bounds, strict=True):
            if dump is not None:
                dump.pairs += sums[0][stop] - sums[0][start]
                dump.calls += sums[1][stop] - sums[1][start]
                dump.time += sums[2][stop] - sums[2][start]
        if new:
            recording.dumps += new
            self._dump, self._heap = new[-1], None
        if min(calls, default=0) >= 0 and min(millis, default=0) >= 0:
            return
        places = [*compress(range(len(found)), is_pair)]
        for place, least in zip(places, map(min, calls, millis), strict=True):
            if least < 0:
                is_wrapped = least >= -WRAP // 2
                what = "a number has gone beyond 31 bits" if is_wrapped else "a number is less than any of 32 bits"
                done = "2^32 is added where it counts" if is_wrapped else "that one counts as printed"
                self._problem("overflowed", offsets[place], line + place, what, done)

    def _other(self, offset: int, text: bytes) -> None:
        """Reads a line below the header that is no row of short names without blanks."""
        cut, found = cut_row(text), ROW.fullmatch(text)
        row: Row | None = None
        if found is not None and len(found[2]) < MOST_PIECE:
            row = found.groups()
        elif cut is not None:
            row = cut
        elif found := WITHOUT_CALLEE.fullmatch(text):
            row = found[1], b"", found[2], found[3]
        elif found := WITH_BLANKS.fullmatch(text[:8192]):
            row = found.groups()
        if row is not None:
            recording = self.recording
            recording.cut_lines += row is cut
            self._add_table_lines([(*row, b"")], [offset], recording.lines, TRUNCATED if row is cut else 0)
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
        if found := ARRAYS_ROW.fullmatch(text):
            recording.lines -= 1
            self._add_heap_rows(heap or self._begin_heap(offset), [(b"", b"", b"", *found.groups())], [offset])
        elif TABLE_ROW.fullmatch(text):
            heap = heap or self._begin_heap(offset)
            recording.rows.add(PairKind.TABLE, 2, offset, recording.lines)
            heap.tables += 1
        elif found := INSTANCES_ROW.fullmatch(text):
            recording.lines -= 1
            self._add_heap_rows(heap or self._begin_heap(offset), [(*found.groups(), *[b""] * 4)], [offset])
        else:
            return False
        return True

    def _add_heap_rows(self, heap: HeapPart, found: Sequence[Row], offsets: Sequence[int]) -> None:
        """Adds rows of further lines of the heap part: groups of `HEAP_LINE`."""
        recording, row, item = self.recording, len(self.recording.rows), len(self.recording.heap_rows)
        *columns, indexes = zip(*found, strict=True)
        kinds = [PairKind.INSTANCES if each else PairKind.ARRAYS for each in columns[0]]
        depths = [3 if kind == PairKind.INSTANCES and heap.tables else 2 for kind in kinds]
        recording.rows.add_each(kinds, depths, offsets, recording.lines + 1, item)
        recording.lines += len(found)
        recording.heap_indexes.update((at, int(index)) for at, index in enumerate(indexes, item) if index)
        # A row has the groups of instances or those of arrays, the others are empty.
        signatures, counts, sizes = (map(add, *each) for each in zip(columns[:3], columns[3:], strict=True))
        recording.heap_rows.extend(range(row, row + len(found)))
        recording.heap_signatures.extend(recording.signatures.numbers(signatures))
        recording.heap_counts.extend(map(int, counts))
        recording.heap_sizes.extend(map(int, sizes))

    def _begin_heap(self, offset: int) -> HeapPart:
        recording = self.recording
        row = recording.rows.add(PairKind.HEAP, 1, offset, recording.lines, len(recording.heaps))
        self._heap = HeapPart(row)
        recording.heaps.append(self._heap)
        return self._heap

    def _foreign(self, offset: int, text: bytes) -> None:
        """Adds a line that is not part of the profile."""
        recording = self.recording
        if self._dump is None:
            recording.foreign_lines += 1
            if not recording.rows:
                recording.rows.add(PairKind.OUTPUT, 0, offset, recording.lines)
            recording.rows.add(PairKind.LINE, 1, offset, recording.lines)
            return
        recording.unreadable += 1
        recording.rows.add(PairKind.LINE, 1, offset, recording.lines, 0, DAMAGED)
        self._unreadable(offset, recording.lines)

    def _unreadable(self, offset: int, line: int) -> None:
        self._problem("unreadable line", offset, line, "is no row of the profile", "kept as a line, counted nowhere")

    def _problem(self, kind: str, offset: int, line: int, what: str, done: str) -> None:
        self.recording.add_problem(Problem(kind, what, done, self._path, offset, line))


def cut_row(text: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
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
    return (begin[1], names[0], names[1], end[1]) if end is not None and is_cut else None
