"""Rows for lines of a file, in its order, as arrays: kind, depth, and offset of each."""

from __future__ import annotations

from array import array

DAMAGED, REPAIRED, TRUNCATED, UNKNOWN = 1, 2, 4, 8
"""Bits of a row's flags."""

FLAG_WORDS = ((DAMAGED, "damaged"), (REPAIRED, "repaired"), (TRUNCATED, "truncated"), (UNKNOWN, "unknown"))

MOST_LINES = (1 << 32) - 1


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
        self.lines.append(min(line, MOST_LINES))
        self.items.append(item)
        self.flags.append(flags)
        return len(self.kinds) - 1

    def ref(self, row: int, node: int) -> str:
        """Returns the REF of a row: its line, unless a later row is made of the same line."""
        is_last = row + 1 >= len(self.lines) or self.lines[row + 1] != self.lines[row]
        return f"line:{self.lines[row]}" if is_last else f"node:{node}"

    def words(self, row: int) -> tuple[str, ...]:
        """Returns the flags of a row as words."""
        flags = self.flags[row]
        return tuple(word for bit, word in FLAG_WORDS if flags & bit) if flags else ()
