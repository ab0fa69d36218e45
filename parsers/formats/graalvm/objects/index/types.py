"""Objects by type: the objects of each, the number of roots that reach them first, the rows reached through them.

Types are sorted by number of objects, descending, then by name; the objects of a type by document order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.group_sums import GroupSums, count_changes
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.kernels.compiled import compiled
from parsers.kernels.places import sorted_places
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array, U64Array


PIECE = 1 << 17
"""Objects or rows processed together."""


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
    rows = _declared(name, declaration)
    types = np.empty(len(rows), np.uint32)
    count = np.zeros(len(names), np.int64)
    for piece in pieces(len(rows)):
        types[piece] = name[vertex[rows[piece]]]
        count += np.bincount(types[piece], minlength=len(names))
    used = sorted(np.flatnonzero(count).tolist(), key=lambda number: (-count[number], bytes(names[number])))
    rank = np.zeros(len(names) + 1, np.uint32)
    rank[used] = np.arange(len(used))
    sums, roots, last_root = GroupSums(len(used)), *np.zeros((2, len(used)), np.int64)
    for piece in pieces(len(rows)):
        types[piece] = rank[types[piece]]
        declared = rows[piece]
        sums.add(types[piece], declared, ends_of(declared), references(vertex[declared]))
        # In document order, in which objects below one root are neighbours; roots are numbered from 1.
        compiled(count_changes)(types[piece], np.searchsorted(root_rows, declared, "right"), last_root, roots)
    firsts, order = sorted_places(types, len(used))
    return {
        "names": np.array(used, np.uint32),
        "firsts": firsts + np.arange(len(firsts), dtype=np.uint32),
        "roots": roots.astype(np.uint32),
        "references": sums.counts.astype(np.uint64),
        "weights": sums.below.astype(np.uint64),
        "rows": rows[order],
    }


def _declared(name: U32Array, declaration: U32Array) -> U32Array:
    """Returns the declarations of all objects that have a name, in document order: uint32."""
    parts = [np.zeros(0, np.uint32)]
    for piece in pieces(len(name)):
        rows = declaration[piece]
        parts.append(rows[(rows != NONE) & (name[piece] != NONE)])
    rows = np.concatenate(parts)
    if np.any(rows[1:] < rows[:-1]):
        rows.sort()
    return rows


def pieces(count: int) -> Iterator[slice]:
    """Yields ranges of a large array, as an index is built in little memory."""
    return (slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE))


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
