"""The filtered rows of a tree: some positions of a preorder, as a preorder of their own.

A row is kept together with all its ancestors, so depths and parents are those of the whole tree; ends are found by
bisection. The positions are in a file (`NumberFile`), made by `selecting` in the worker. This module contains only what
the screen and the headless commands read.

Terms: a *node* is a position of the whole tree, a *position* is an index among the kept ones.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray
    from parsers.model.trees.tree import Preorder
    from parsers.query.selection.number_file import NumberFile

_KEPT = 256
"""Neighbouring positions read from the file at once."""


class RowFilters(Protocol):
    """Filter data of a report's rows, in bulk. Used in the worker, with the finished index, in ranges of rows."""

    @property
    def rows(self) -> int:
        """Number of all rows."""
        ...

    def ends(self, start: int, stop: int) -> AnyArray:
        """First row after each subtree, uint32[stop - start]."""
        ...

    def rows_at(self, offsets: AnyArray) -> AnyArray:
        """The row of the line that begins at each of these (ascending) offsets, integers; -1: the line is no row."""
        ...

    def mask(self, name: str, start: int, stop: int) -> AnyArray:
        """Rows that a filter hides, bool[stop - start]. Raises `KeyError` for an unknown name."""
        ...

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Rows that these options (`suppress_types`, `expand_roots` …) suppress, bool[stop - start]."""
        ...

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Rows that show or refer to a suppressed type, root or method, with or without children."""
        ...


@dataclass(frozen=True)
class Filters:
    """Filters of a tree. Ancestors of kept rows are always kept."""

    hide: tuple[str, ...] = ()
    """Filters whose rows are hidden: "jdk", "synthetic" (lambdas and generated classes), "references" (only a
    reference to another row), or defined by the format."""
    suppress: Mapping[str, str] = field(default_factory=dict)
    """Suppress and expand patterns by option (`OPTIONS` of `patterns`); suppressed rows lose their subtree."""
    opened: tuple[int, ...] = ()
    """Suppressed nodes opened by hand."""

    def to_json(self) -> dict[str, Any]:
        """Its fields, for another process."""
        return {"hide": list(self.hide), "suppress": dict(self.suppress), "opened": list(self.opened)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Filters:
        """Builds the filters that `to_json` returned."""
        return cls(tuple(fields["hide"]), dict(fields["suppress"]), tuple(fields["opened"]))


class Selection:
    """The kept positions of a preorder, as a preorder. `nodes` and `suppressed` are sorted."""

    is_complete = True

    def __init__(self, base: Preorder, nodes: NumberFile, suppressed: NumberFile) -> None:
        self.base = base
        self.nodes = nodes
        self.suppressed = suppressed
        self._kept: Sequence[int] = array("I")
        self._kept_start = 0

    @property
    def rows(self) -> int:
        """Number of positions kept."""
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
        """The position of a node; None if it is hidden."""
        return self.nodes.position(node)

    def hides(self, node: int) -> bool:
        """True if a node is hidden."""
        return self.position_of(node) is None

    def position_near(self, node: int) -> int:
        """The position of a node; if hidden, of its nearest kept ancestor, else of the kept node before it, else 0."""
        above: int | None = node
        while above is not None:
            if (position := self.nodes.position(above)) is not None:
                return position
            above = self.base.parent(above)
        return max(self.nodes.at_or_after(node) - 1, 0)

    def is_suppressed(self, node: int) -> bool:
        """True if a suppress pattern hides the descendants of this node."""
        return self.suppressed.position(node) is not None

    def depth(self, position: int) -> int:
        """Depth of a position."""
        return self.base.depth(self.node_at(position))

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range of positions."""
        nodes = self.nodes.numbers(start, stop)
        if len(nodes) <= _KEPT:
            return memoryview(array("H", map(self.base.depth, nodes)))
        kept = np.frombuffer(nodes, np.uint32)
        depths = np.empty(len(kept), np.uint16)
        # The base returns ranges, and a selection may be sparse: one range of the base at a time, not all of it.
        done = 0
        while done < len(kept):
            first = int(kept[done])
            until = bisect_left(kept, first + (1 << 20))
            block = np.frombuffer(self.base.depths(first, int(kept[until - 1]) + 1), np.uint16)
            depths[done:until] = block[kept[done:until] - first]
            done = until
        return depths.data

    def end(self, position: int) -> int:
        """First position after the subtree."""
        return self.nodes.at_or_after(self.base.end(self.node_at(position)))

    def parent(self, position: int) -> int | None:
        """The parent; None for a root."""
        above = self.base.parent(self.node_at(position))
        return None if above is None else self.nodes.position(above)

    def close(self) -> None:
        """Removes the files."""
        self.nodes.close()
        self.suppressed.close()
