"""Rows that stand for lines of a file, in its order, as arrays: what each is, how deep, and where it stands."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

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
        """Append a row; its number."""
        self.kinds.append(kind)
        self.depths.append(depth)
        self.offsets.append(offset)
        self.lines.append(min(line, MOST_LINES))
        self.items.append(item)
        self.flags.append(flags)
        return len(self.kinds) - 1

    def ref(self, row: int, node: int) -> str:
        """The REF of a row: its line, unless another row is made of the same line and comes last."""
        is_last = row + 1 >= len(self.lines) or self.lines[row + 1] != self.lines[row]
        return f"line:{self.lines[row]}" if is_last else f"node:{node}"

    def words(self, row: int) -> tuple[str, ...]:
        """The flags of a row as words."""
        flags = self.flags[row]
        return tuple(word for bit, word in FLAG_WORDS if flags & bit) if flags else ()


class ArrayPreorder:
    """A preorder made of the depths of all its rows."""

    def __init__(self, depths: Sequence[int]) -> None:
        self._depths = depths if isinstance(depths, array) else array("H", depths)
        rows = len(self._depths)
        self._ends = array("I", [rows]) * rows
        self._parents = array("i", [-1]) * rows
        above: list[int] = []
        for node, depth in enumerate(self._depths):
            while above and self._depths[above[-1]] >= depth:
                self._ends[above.pop()] = node
            if above:
                self._parents[node] = above[-1]
            above.append(node)

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self._depths)

    def depth(self, node: int) -> int:
        """Depth of a row."""
        return self._depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Those of a range."""
        return memoryview(self._depths)[start:stop]

    def end(self, node: int) -> int:
        """The first row behind those below one."""
        return self._ends[node]

    def parent(self, node: int) -> int | None:
        """The nearest earlier row of smaller depth."""
        parent = self._parents[node]
        return None if parent < 0 else parent
