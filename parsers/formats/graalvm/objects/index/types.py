"""Objects by type: the objects of each, the number of roots that reach them first, the rows reached through them.

Types are sorted by number of objects, descending, then by name; the objects of a type by document order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.kernels.places import sorted_places
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U32Array, U64Array


PIECE = 1 << 17
"""Objects processed together, in whole types."""


@dataclass(frozen=True)
class TypeTable:
    """Columns with a number for each type; `firsts` has one more, `rows` has one for each object.

    Types and objects together are numbered from 0: each type, then its objects.
    """

    names: U32Array
    """Number of the type's name."""
    firsts: U32Array
    """Node number of the type; its objects have the numbers from there to the next type."""
    roots: U32Array
    """Number of different roots that reach its objects first."""
    references: U64Array
    """Number of rows that refer to its objects."""
    weights: U64Array
    """Number of descendants of the declarations of its objects, each row counted once."""
    rows: U32Array
    """Rows that declare objects, type by type."""

    @property
    def types(self) -> int:
        """Number of types."""
        return len(self.names)

    def objects(self, type: int) -> int:
        """Returns the number of objects of a type."""
        return int(self.firsts[type + 1]) - int(self.firsts[type]) - 1

    def rows_of(self, type: int) -> U32Array:
        """Returns the rows that declare the objects of a type, ascending."""
        start = int(self.firsts[type]) - type
        return self.rows[start : start + self.objects(type)]


def build_types(
    names: Sequence[bytes],
    name: U32Array,
    declaration: U32Array,
    vertex: U32Array,
    ends_of: Callable[[AnyArray], AnyArray],
    references: Callable[[AnyArray], AnyArray],
    root_rows: U32Array,
) -> dict[str, AnyArray]:
    """Builds the arrays of a table, by the names of its fields.

    names       the unique names
    name        uint32[n]  by object: number of its name, `NONE` without one
    declaration uint32[n]  by object: the row that declares it, `NONE`: none
    vertex       uint32     by row: its object
    ends_of     gives the first rows after the subtrees of some rows
    references  gives the number of references to each of some objects
    root_rows   uint32[m]  rows without parent, ascending

    Millions of objects are processed in pieces, as an index is built in little memory.
    """
    from parsers.formats.graalvm.text.columns import rows_below_groups

    # In document order, in which neighbours have the same root; then stably by type.
    rows = _declared(name, declaration)
    types = np.empty(len(rows), np.uint32)
    count = np.zeros(len(names), np.int64)
    for start in range(0, len(rows), PIECE):
        piece = slice(start, start + PIECE)
        types[piece] = name[vertex[rows[piece]]]
        count += np.bincount(types[piece], minlength=len(names))
    used = sorted(np.flatnonzero(count).tolist(), key=lambda number: (-count[number], bytes(names[number])))
    rank = np.zeros(len(names) + 1, np.uint32)
    rank[used] = np.arange(len(used))
    for start in range(0, len(rows), PIECE):
        types[start : start + PIECE] = rank[types[start : start + PIECE]]
    order = sorted_places(types, len(used))[1]
    del types
    root = np.empty(len(rows), np.uint32)
    for start in range(0, len(rows), PIECE):
        root[start : start + PIECE] = np.searchsorted(root_rows, rows[start : start + PIECE], "right")
    firsts = np.concatenate(([0], np.cumsum(count[used], dtype=np.int64))) if used else np.zeros(1, np.int64)
    sums = {field: np.zeros(len(used), np.int64) for field in ("roots", "references", "weights")}
    for first, last in _pieces(firsts):
        place = order[firsts[first] : firsts[last]]
        starts = firsts[first:last] - firsts[first]
        declared = rows[place].astype(np.int64)
        groups = np.repeat(np.arange(last - first), np.diff(firsts[first : last + 1]))
        sums["roots"][first:last] = np.add.reduceat(_changes(root[place], starts), starts, dtype=np.int64)
        sums["references"][first:last] = np.add.reduceat(references(vertex[declared]).astype(np.int64), starts)
        below = rows_below_groups(groups, declared, ends_of(declared), firsts[first : last + 1] - firsts[first])
        sums["weights"][first:last] = below
    del root
    return {
        "names": np.array(used, np.uint32),
        "firsts": (firsts + np.arange(len(firsts))).astype(np.uint32),
        "roots": sums["roots"].astype(np.uint32),
        "references": sums["references"].astype(np.uint64),
        "weights": sums["weights"].astype(np.uint64),
        "rows": rows[order],
    }


def _declared(name: U32Array, declaration: U32Array) -> U32Array:
    """Returns the declarations of all objects that have a name, in document order: uint32."""
    parts = [np.zeros(0, np.uint32)]
    for start in range(0, len(name), PIECE):
        rows = declaration[start : start + PIECE]
        parts.append(rows[(rows != NONE) & (name[start : start + PIECE] != NONE)])
    rows = np.concatenate(parts)
    if np.any(rows[1:] < rows[:-1]):
        rows.sort()
    return rows


def _pieces(firsts: AnyArray) -> Iterator[tuple[int, int]]:
    """Returns the ranges of types with some hundred thousand objects; at least one type in each.

    firsts: start of the objects of each type, and their total number
    """
    start, types = 0, len(firsts) - 1
    while start < types:
        stop = max(int(np.searchsorted(firsts, firsts[start] + PIECE)) - 1, start + 1)
        yield start, min(stop, types)
        start = stop


def _changes(values: U32Array, starts: I64Array) -> BoolArray:
    """Places where a value differs from the one before it, and starts of groups."""
    changes = np.ones(len(values), np.bool_)
    changes[1:] = values[1:] != values[:-1]
    changes[starts] = True
    return changes


def object_arrays(tree: PlainTree) -> dict[str, AnyArray]:
    """Arrays that only an object tree has, from a tree that plain code has read, by their names in an index."""
    scan = tree.scan
    vertices = np.array(scan.vertices, np.uint32)
    refers = (vertices != NONE) & (np.frombuffer(bytes(scan.declares), np.uint8) == 0)
    references = np.bincount(vertices[refers], minlength=tree.vertices)
    arrays = build_types(
        tree.names,
        np.array(scan.vertex_names, np.uint32),
        np.array(scan.declarations, np.uint32),
        vertices,
        np.array(scan.ends, np.uint32).__getitem__,
        references.__getitem__,
        np.array(tree.roots, np.uint32),
    )
    return {f"types.{name}": values for name, values in arrays.items()}
