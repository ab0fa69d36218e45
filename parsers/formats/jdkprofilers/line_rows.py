"""Rows for lines of a file, in its order, as arrays: kind, depth, and offset of each."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from parsers.model.late import numpy as np
from parsers.model.report import Problem

DAMAGED, REPAIRED, TRUNCATED, UNKNOWN = 1, 2, 4, 8
"""Bits of a row's flags."""

FLAG_WORDS = ((DAMAGED, "damaged"), (REPAIRED, "repaired"), (TRUNCATED, "truncated"), (UNKNOWN, "unknown"))

MOST_LINES = (1 << 32) - 1
MOST_PROBLEMS = 1000
"""Maximum problems that are stored; all are counted."""

IS_TEXT = bytes(not bytes((byte,)).isspace() for byte in range(256))
"""By byte: 1 if it is no white space, for `bytes.translate`."""


class LineRows:
    """Rows in document order. An `item` is a number in a table of the row's kind."""

    def __init__(self) -> None:
        self.kinds = array("B")
        self.depths = array("H")
        self.offsets = array("Q")
        self.lines = array("I")
        """Counted from 1."""
        self.items = array("I")
        self.flags = array("B")

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: int, depth: int, offset: int, line: int, item: int = 0, flags: int = 0) -> int:
        """Appends a row; returns its number."""
        self.kinds.append(kind)
        self.depths.append(depth)
        self.offsets.append(offset)
        self.lines.append(line if line < MOST_LINES else MOST_LINES)
        self.items.append(item)
        self.flags.append(flags)
        return len(self.kinds) - 1

    def add_lines(
        self, kind: int, depth: int, lines: bytes, offset: int, line: int, flags: int = 0, with_blank: bool = False
    ) -> tuple[int, int]:
        """Appends a row for each line, blank ones only if asked for; returns the numbers of lines and of rows.

        lines   bytes of whole lines, the last one with its end
        offset  of the first line, as `line` its number
        """
        ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n"))
        starts = np.append(0, ends[:-1] + 1)
        is_row = np.logical_or.reduceat(np.frombuffer(lines.translate(IS_TEXT), np.bool_), starts) | with_blank
        rows = int(np.count_nonzero(is_row))
        self.kinds.extend(array("B", (kind,)) * rows)
        self.depths.extend(array("H", (depth,)) * rows)
        self.offsets.frombytes((starts[is_row] + offset).astype(np.uint64).tobytes())
        self.lines.frombytes(np.minimum(np.flatnonzero(is_row) + line, MOST_LINES).astype(np.uint32).tobytes())
        self.items.extend(array("I", (0,)) * rows)
        self.flags.extend(array("B", (flags,)) * rows)
        return len(starts), rows

    def add_each(
        self,
        kind: int | list[int],
        depth: int | list[int],
        offsets: Sequence[int],
        line: int | list[int],
        item: int | list[int],
        flags: int = 0,
    ) -> None:
        """Appends rows for some lines that follow each other.

        kind, depth  of all, or of each
        line, item  of the first one, as those of the others follow, or of each
        """
        count = len(offsets)
        self.kinds.extend(array("B", (kind,)) * count if isinstance(kind, int) else kind)
        self.depths.extend(array("H", (depth,)) * count if isinstance(depth, int) else depth)
        self.offsets.extend(offsets)
        lines = range(line, line + count) if isinstance(line, int) else line
        self.lines.extend(lines if lines[-1] <= MOST_LINES else [min(each, MOST_LINES) for each in lines])
        self.items.extend(range(item, item + count) if isinstance(item, int) else item)
        self.flags.extend(bytes((flags,)) * count)

    def ref(self, row: int, node: int) -> str:
        """Returns the REF of a row: its line, unless a later row is made of the same line."""
        is_last = row + 1 >= len(self.lines) or self.lines[row + 1] != self.lines[row]
        return f"line:{self.lines[row]}" if is_last else f"node:{node}"

    def words(self, row: int) -> tuple[str, ...]:
        """Returns the flags of a row as words."""
        flags = self.flags[row]
        return tuple(word for bit, word in FLAG_WORDS if flags & bit) if flags else ()


class LinesRecording:
    """The data of a file whose lines are rows. Derived classes have the tables of a format."""

    def __init__(self) -> None:
        self.rows = LineRows()
        self.problems: list[Problem] = []
        self.problem_count = 0
        self.lines = 0
        self.is_complete = False

    def add_problem(self, problem: Problem) -> None:
        """Counts a problem, and stores it if it is one of the first."""
        self.problem_count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
