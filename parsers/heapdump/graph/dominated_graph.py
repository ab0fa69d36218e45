"""An object graph with known dominators: retained sizes of objects and of groups."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from parsers.graph.dominator_tree.semi_nca import ROOTS
from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.graph.object_graph import ObjectGraph
from parsers.index.bitpacked.columns import numbers
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

SPARSE = 2048
"""Objects per selected one above which children are looked up one by one."""
PIECE = 1 << 20
"""Objects processed in one batch."""


class DominatedGraph(ObjectGraph):
    """An `ObjectGraph` over an index with the columns of dominators."""

    unit = 1
    """Unit of stored retained sizes, in bytes."""

    has_retained_sizes = True
    """True once dominators are known."""

    def retained_by(self, grouping: str, type: int, dump: HeapDump) -> int | None:
        """Returns the bytes that all objects of a type, its package or its loader retain in a dump, each counted once.

        None where the roots are missing: many files have them at their end.
        """
        if not dump.roots:
            return None
        try:
            return int(self._column(f"{grouping}_retained")[dump.number * self.types + type])
        except LookupError:
            return None

    def retained(self, object: int) -> int:
        """Returns the bytes that would be freed without it; 0 if unreachable."""
        return int(self._column("object_retained")[object]) * self.unit

    def dominator(self, object: int) -> int:
        """Returns the nearest object on every path from the roots; see `parsers.graph.dominator_tree.semi_nca`."""
        return int(self._column("object_dominator")[object])

    def dominated(self, object: int) -> U32Array:
        """Returns the objects with this immediate dominator, or ROOTS: uint32, ascending."""
        below, above = self._column("object_dominated"), self._column("object_dominator")
        first, end = (look(below, object, key=above.__getitem__) for look in (bisect_left, bisect_right))
        found: U32Array = numbers(below, slice(first, end))
        return found

    def tops(self, dump: HeapDump) -> U32Array:
        """Returns the objects of a dump that no single object dominates: uint32, ascending."""
        found = self.dominated(ROOTS)
        first, end = np.searchsorted(found, (dump.objects.start, dump.objects.stop)).tolist()
        return found[first:end]

    def dominated_by(self, objects: U32Array) -> U32Array:
        """Returns the objects whose immediate dominator is any of many."""
        if len(objects) * SPARSE < self.objects:
            parts = [self.dominated(object) for object in objects.tolist()]
            return np.concatenate([np.empty(0, np.uint32), *parts])
        is_above, parts = np.zeros(self.objects, np.bool_), []
        is_above[objects] = True
        for start in range(0, self.objects, PIECE):
            piece = numbers(self._column("object_dominator"), slice(start, start + PIECE))
            is_below = piece < ROOTS
            is_below[is_below] = is_above[piece[is_below]]
            parts.append((np.flatnonzero(is_below) + start).astype(np.uint32))
        return np.concatenate(parts)

    def column(self, name: str, objects: range | AnyArray) -> I64Array:
        """Returns the same as `ObjectGraph.column`, and "retained"."""
        if name == "retained":
            chosen = slice(objects.start, objects.stop) if isinstance(objects, range) else np.asarray(objects)
            return self._numbers("object_retained", chosen) * self.unit
        return super().column(name, objects)
