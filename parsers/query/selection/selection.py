"""What is left of a tree after filters: some positions of a preorder, as a preorder of their own.

A row that stays keeps all rows above it, so depth and parent of what is left are those of the whole tree; ends are
found by bisection. The positions lie in a file (`NumberFile`), made by `selecting` in the worker; here is only what the
screen and the headless commands read.

Words: a *node* is a position of the whole tree, a *position* counts what is left of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.report import Preorder
    from parsers.query.selection.number_file import NumberFile

MASKS = ("jdk", "synthetic", "references")
"""What every text tree can hide: rows of JDK packages; of lambdas and generated classes; that only refer."""

_KEPT = 256
"""Neighbouring positions that are read from the file at once."""


class RowFilters(Protocol):
    """What a report says about its rows in bulk. Asked in the worker, with the finished index, in ranges of rows."""

    @property
    def rows(self) -> int:
        """All rows."""
        ...

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """First row after each subtree, uint32[stop - start]."""
        ...

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """The row of the line that begins at each of these (ascending) offsets, integers; -1: the line is no row."""
        ...

    def mask(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Which rows a filter of that name hides, bool[stop - start]. Raises `KeyError` for a name it doesn't know."""
        ...

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Which rows are suppressed by these options (`suppress_types`, `expand_roots` …), bool[stop - start]."""
        ...

    def meets(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Which rows show or refer to something that is suppressed, whether or not anything is below them."""
        ...


@dataclass(frozen=True)
class Filters:
    """What to leave out of a tree. Rows above a row that stays are never left out."""

    hide: tuple[str, ...] = ()
    """Masks whose rows go: of `MASKS`, or what the format brings."""
    suppress: Mapping[str, str] = field(default_factory=dict)
    """Suppress and expand patterns by option (`parsers.model.patterns.OPTIONS`): rows below a suppressed one go."""
    opened: tuple[int, ...] = ()
    """Suppressed nodes that were opened by hand."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would go."""
        return not self.hide and not any(self.suppress.values())

    def to_json(self) -> dict[str, Any]:
        """Its fields, for another process."""
        return {"hide": list(self.hide), "suppress": dict(self.suppress), "opened": list(self.opened)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Filters:
        """The filters that `to_json` told."""
        return cls(tuple(fields["hide"]), dict(fields["suppress"]), tuple(fields["opened"]))


class Selection:
    """The positions that filters left of a preorder, as a preorder. `nodes` and `suppressed` are sorted."""

    is_complete = True

    def __init__(self, base: Preorder, nodes: NumberFile, suppressed: NumberFile) -> None:
        self.base = base
        self.nodes = nodes
        self.suppressed = suppressed
        self._kept: Sequence[int] = array("I")
        self._kept_start = 0

    @property
    def rows(self) -> int:
        """How many positions are left."""
        return self.nodes.count

    def node_at(self, position: int) -> int:
        """The node of a position. Raises `IndexError`."""
        start = self._kept_start
        if not start <= position < start + len(self._kept):
            if not 0 <= position < self.nodes.count:
                raise IndexError(position)
            start = self._kept_start = max(position - _KEPT // 4, 0)
            self._kept = self.nodes.numbers(start, start + _KEPT)
        return self._kept[position - start]

    def position_of(self, node: int) -> int | None:
        """The position of a node; None if it was left out."""
        return self.nodes.position(node)

    def position_near(self, node: int) -> int:
        """The position of a node or, if it was left out, of the nearest node above it that stayed, else of the one
        before it; 0 if there is none."""
        above: int | None = node
        while above is not None:
            if (position := self.nodes.position(above)) is not None:
                return position
            above = self.base.parent(above)
        return max(self.nodes.at_or_after(node) - 1, 0)

    def is_suppressed(self, node: int) -> bool:
        """Whether the rows below this node are hidden by a suppress pattern."""
        return self.suppressed.position(node) is not None

    def depth(self, position: int) -> int:
        """Depth of a position."""
        return self.base.depth(self.node_at(position))

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range of positions."""
        nodes = self.nodes.numbers(start, stop)
        if len(nodes) <= _KEPT:
            return memoryview(array("H", map(self.base.depth, nodes)))
        import numpy as np

        kept = np.frombuffer(nodes, np.uint32)
        depths = np.empty(len(kept), np.uint16)
        # Bases are asked for ranges, and a selection may be thin: a range of the base at a time, not all of it.
        done = 0
        while done < len(kept):
            first = int(kept[done])
            until = int(np.searchsorted(kept, first + (1 << 20), "left"))
            block = np.frombuffer(self.base.depths(first, int(kept[until - 1]) + 1), np.uint16)
            depths[done:until] = block[kept[done:until] - first]
            done = until
        return depths.data

    def end(self, position: int) -> int:
        """First position after the subtree."""
        return self.nodes.at_or_after(self.base.end(self.node_at(position)))

    def parent(self, position: int) -> int | None:
        """The position above; None for a root."""
        above = self.base.parent(self.node_at(position))
        return None if above is None else self.nodes.position(above)

    def close(self) -> None:
        """Remove the files."""
        self.nodes.close()
        self.suppressed.close()
