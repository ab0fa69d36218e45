"""Places of the rows of a side report: read in blocks, stored as numbers, so that millions of lines take little memory.

Lines end with LF or CRLF; empty ones are no rows. The printers end every line, so a last one without it is truncated.
"""

from __future__ import annotations

from array import array
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, compress

from parsers.formats.graalvm.side.layout import TableLayout
from parsers.model.late import numpy as np
from parsers.model.report import Problem

BLOCK = 1 << 20
"""Bytes read at a time."""

LONGEST = 1 << 16
"""Bytes of a line that are examined."""

MOST_PROBLEMS = 1000
"""Most problems that are stored; all are counted."""

LARGE = 4 << 20
"""Files of more bytes are read by arrays; smaller ones are faster without."""

DEEPEST = 65_535

Pread = Callable[[int, int], bytes]
"""Count and offset to bytes, fewer at the end."""


class SideLines:
    """Data read from a file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.is_complete = False
        self.lines = 0
        self.starts = array("Q")
        """By row, the offset of its line."""
        self.numbers = array("I")
        """By row, the number of its line, from 1."""
        self.depths = array("H")
        """By row: its depth, if rows are nested."""
        self.stop = 0
        """End of the last row."""
        self.counts: Counter[str] = Counter()
        """Counts by the layout's `tally`."""
        self.highest = 0
        """Largest count of one line."""
        self.is_cut = False
        """True if the last row has no line end."""
        self.problems: list[Problem] = []
        self.problem_count = 0

    def __len__(self) -> int:
        return len(self.starts)

    def add_problem(self, kind: str, what: str, done: str, offset: int, line: int) -> None:
        """Adds a problem of a line."""
        self.problem_count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(kind, what, done, self.path, offset, line))


def read_lines(
    pread: Pread,
    stop: int,
    is_all: bool,
    layout: TableLayout,
    path: str,
    report_progress: Callable[[int], None] | None = None,
) -> SideLines:
    """Reads the rows up to an offset; a last line without line end is a row only at the end of the file."""
    found = SideLines(path)
    start, before = _behind_header(pread, layout.header)
    is_large = stop > LARGE
    offset, begun = start, b""
    while offset < stop:
        block = pread(min(BLOCK, stop - offset), offset)
        if not block:
            break
        first = block.find(b"\n") if is_large else -1
        if first >= 0:
            last = block.rfind(b"\n") + 1
            _add(found, [begun + block[:first]], [start], before, layout)
            before = _add_many(found, block[first + 1 : last], offset + first + 1, before + 1, layout)
            start, begun, parts, rest = offset + last, b"", [], block[last:]
        else:
            parts = block.split(b"\n")
            rest = parts.pop()
        if parts:
            starts = list(accumulate(map(len, parts), lambda end, length: end + length + 1, initial=offset))
            start, starts[0] = starts.pop(), start
            parts[0] = begun + parts[0]
            _add(found, parts, starts, before, layout)
            before += len(parts)
            begun = b""
        begun += rest[: max(0, LONGEST - len(begun))]
        offset += len(block)
        if report_progress is not None:
            report_progress(offset)
    found.stop = start
    if is_all and start < offset:
        found.is_cut, found.stop = True, offset
        what = f"cut at byte {offset:,}: the last line is incomplete"
        found.add_problem("cut", what, "its beginning is shown", start, before + 1)
        _add(found, [begun], [start], before, layout)
        before += 1
    found.lines, found.is_complete = before, is_all
    return found


def _behind_header(pread: Pread, header: Sequence[bytes]) -> tuple[int, int]:
    """Start of the first line after the header, and the number of header lines; a missing header is none."""
    head = pread(1000, 0)
    start = len(BOM_UTF8) if head.startswith(BOM_UTF8) else 0
    lines = 0
    for expected in header:
        line, end, _ = head[start:].partition(b"\n")
        if line.rstrip() != expected.rstrip():
            break
        start += len(line) + len(end)
        lines += 1
    return start, lines


def _add(found: SideLines, parts: Sequence[bytes], starts: Sequence[int], before: int, layout: TableLayout) -> None:
    """Adds some complete lines. starts: their offsets; before: the number of lines before the first."""
    numbers: Sequence[int] = range(before + 1, before + len(parts) + 1)
    if not all(parts) or b"\r" in parts:
        is_row = [part not in (b"", b"\r") for part in parts]
        parts, starts, numbers = (
            list(compress(parts, is_row)),
            list(compress(starts, is_row)),
            list(compress(numbers, is_row)),
        )
    found.starts.extend(starts)
    found.numbers.extend(numbers)
    _parse(found, parts, layout)


def _add_many(found: SideLines, lines: bytes, offset: int, before: int, layout: TableLayout) -> int:
    """Adds complete lines with numpy; returns the number of lines before the text that follows."""
    data = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    rows = np.flatnonzero((ends - starts > 1) | (data[starts] != ord("\r")) & (ends > starts))
    found.starts.frombytes((starts[rows] + offset).astype(np.uint64).tobytes())
    found.numbers.frombytes((rows + before + 1).astype(np.uint32).tobytes())
    if layout.tally is not None or layout.depth is not None:
        _parse(found, [line for line in lines.split(b"\n") if line not in (b"", b"\r")], layout)
    return before + len(ends)


def _parse(found: SideLines, parts: Sequence[bytes], layout: TableLayout) -> None:
    """Adds depths and counts of the last rows, given their lines; equal lines are parsed once."""
    if layout.depth is not None:
        depths = {part: min(layout.depth(part), DEEPEST) for part in set(parts)}
        found.depths.extend(map(depths.__getitem__, parts))
    if layout.tally is None:
        return
    unknown = set[bytes]()
    for part, times in Counter(parts).items():
        counted = layout.tally(part)
        if counted is None:
            unknown.add(part)
        else:
            found.counts[counted[0]] += times * counted[1]
            found.highest = max(found.highest, counted[1])
    if unknown and not found.is_cut:
        first = len(found.starts) - len(parts)
        rows = [row for row, part in enumerate(parts, first) if part in unknown]
        listed = rows[: MOST_PROBLEMS - len(found.problems)]
        for row in listed:
            what, done = "fits no form that is known", "shown as it is"
            found.add_problem("unknown row", what, done, found.starts[row], found.numbers[row])
        found.problem_count += len(rows) - len(listed)
