"""Objects by type: which there are of each, how many roots reach them first, how much was reached through them.

Types come with the most objects first, equal ones by name; the objects of a type in document order. `plain_types` and
`build_types` make the same table: the one in plain Python, the other at the end of an index with numpy.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from parsers.graalvm.object_holder import reference_count, root_row
from parsers.graalvm.plain_tree import PlainTree
from parsers.graalvm.text_tree import TextTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = 0xFFFFFFFF
"""No row, no name."""


@dataclass(frozen=True)
class TypeTable:
    """One number a type, but for `firsts`, which has one more, and `rows`, which has one an object.

    Types and objects together are numbered from 0: each type, then its objects.
    """

    names: Sequence[int]
    """Number of its name."""
    firsts: Sequence[int]
    """Number of the type; its objects are the numbers from there to the next type."""
    roots: Sequence[int]
    """How many different roots reach its objects first."""
    references: Sequence[int]
    """Rows that refer to its objects."""
    weights: Sequence[int]
    """Rows below the declarations of its objects, each row counted once."""
    rows: Sequence[int]
    """The rows that declare its objects, type after type."""

    @property
    def types(self) -> int:
        """How many types there are."""
        return len(self.names)

    @property
    def size(self) -> int:
        """Types and objects together."""
        return len(self.names) + len(self.rows)

    def type_of(self, number: int) -> int:
        """The type that a number is, or is an object of."""
        return bisect_right(self.firsts, number, 0, len(self.names)) - 1

    def is_type(self, number: int, type: int) -> bool:
        """Whether a number is its type itself and not one of the objects."""
        return int(self.firsts[type]) == number

    def objects(self, type: int) -> int:
        """How many objects a type has."""
        return int(self.firsts[type + 1]) - int(self.firsts[type]) - 1

    def row_of(self, number: int, type: int) -> int:
        """The row of an object; of a type that of its first object."""
        return int(self.rows[max(number - type - 1, int(self.firsts[type]) - type)])

    def number_of(self, type: int, row: int) -> int | None:
        """The number of an object of a type by its row."""
        start, stop = int(self.firsts[type]) - type, int(self.firsts[type + 1]) - type - 1
        place = bisect_left(self.rows, row, start, stop)
        return place + type + 1 if place < stop and self.rows[place] == row else None


NAMES = tuple(f"types.{field.name}" for field in fields(TypeTable))
"""Under these names an index keeps the table."""


def plain_types(tree: TextTree) -> TypeTable:
    """The table of a tree that is small enough for plain Python."""
    by_name: dict[int, list[int]] = {}
    for thing in range(tree.things):
        if tree.declaration(thing) >= 0 and tree.name(thing) >= 0:
            by_name.setdefault(tree.name(thing), []).append(thing)
    names = sorted(by_name, key=lambda name: (-len(by_name[name]), bytes(tree.names[name])))
    firsts, roots, references, weights, rows = [0], [], [], [], []
    for name in names:
        things = by_name[name]
        declared = sorted(map(tree.declaration, things))
        rows += declared
        firsts.append(firsts[-1] + 1 + len(declared))
        roots.append(len({root_row(tree, row) for row in declared}))
        references.append(sum(reference_count(tree, thing) for thing in things))
        weights.append(len({below for row in declared for below in range(row + 1, tree.end(row))}))
    return TypeTable(names, firsts, roots, references, weights, rows)


def build_types(
    names: Sequence[bytes],
    name: NDArray[Any],
    declaration: NDArray[Any],
    end: NDArray[Any],
    references: NDArray[Any],
    root_rows: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """The arrays of a table, by the names of its fields.

    names       the unique names
    name        uint32[n]  by thing: number of its name, `NONE`: it has none
    declaration uint32[n]  by thing: the row that declares it, `NONE`: none
    end         uint32[n]  by thing: first row after the subtree of its declaration; any number where there is none
    references  uint32[n]  by thing: rows that refer to it
    root_rows   uint32[m]  rows without parent, ascending
    """
    import numpy as np

    objects = np.flatnonzero((declaration != NONE) & (name != NONE))
    if np.any(np.diff(declaration[objects].astype(np.int64)) < 0):
        objects = objects[np.argsort(declaration[objects], kind="stable")]
    # In document order here, where neighbours lie below the same root; then by type, without changing that order.
    root = np.searchsorted(root_rows, declaration[objects], "right")
    count = np.bincount(name[objects], minlength=len(names)) if len(objects) else np.zeros(0, np.int64)
    used = sorted(np.flatnonzero(count).tolist(), key=lambda number: (-count[number], bytes(names[number])))
    rank = np.zeros(len(names) + 1, np.uint16 if len(used) <= 1 << 16 else np.uint32)
    rank[used] = np.arange(len(used))
    type = rank[name[objects]]
    order = np.argsort(type, kind="stable")
    objects, type, root = objects[order], type[order].astype(np.int64), root[order]
    rows = declaration[objects].astype(np.int64)
    ends = end[objects].astype(np.int64)
    is_first = _changes(type)
    # Rows of one type are in document order, so a row below another of its type lies before the last end so far;
    # ends are made to rise from type to type, so that one running maximum serves all.
    step = int(ends.max(initial=0)) + 1
    reached = np.maximum.accumulate(ends + type * step) if len(ends) else ends
    is_inside = np.zeros(len(rows), bool)
    is_inside[1:] = (rows + type * step)[1:] < reached[:-1]
    below = np.where(is_inside & ~is_first, 0, ends - rows - 1)
    counts = count[used] if len(used) else np.zeros(0, np.int64)
    return {
        "names": np.array(used, np.uint32),
        "firsts": np.concatenate(([0], np.cumsum(counts + 1))).astype(np.uint32),
        "roots": _sums(type, is_first | _changes(root), len(used)).astype(np.uint32),
        "references": _sums(type, references[objects], len(used)).astype(np.uint64),
        "weights": _sums(type, below, len(used)).astype(np.uint64),
        "rows": rows.astype(np.uint32),
    }


def object_arrays(tree: PlainTree, sites: object) -> dict[str, Any]:
    """The arrays that only an object tree has, from a tree that plain code has read, by their names in an index."""
    import numpy as np

    scan = tree.scan
    things, declarations = np.array(scan.things, np.uint32), np.array(scan.declarations, np.uint32)
    has_row = declarations != NONE
    ends = np.zeros(tree.things, np.uint32)
    ends[has_row] = np.array(scan.ends, np.uint32)[declarations[has_row]]
    refers = (things != NONE) & (np.frombuffer(bytes(scan.declares), np.uint8) == 0)
    references = np.bincount(things[refers], minlength=tree.things)
    names = np.array(scan.thing_names, np.uint32)
    arrays = build_types(tree.names, names, declarations, ends, references, np.array(tree.roots, np.uint32))
    return {f"types.{name}": values for name, values in arrays.items()}


def table_of(arrays: Mapping[str, Any]) -> TypeTable:
    """The table that `build_types` made, from its arrays by the names of the fields."""
    return TypeTable(**{field.name: arrays[field.name] for field in fields(TypeTable)})


def _changes(values: NDArray[Any]) -> NDArray[Any]:
    """Where a value differs from the one before it; the first one does."""
    import numpy as np

    changes = np.ones(len(values), bool)
    changes[1:] = values[1:] != values[:-1]
    return changes


def _sums(groups: NDArray[Any], values: NDArray[Any], count: int) -> NDArray[Any]:
    """Sums of whole numbers by group, exact."""
    import numpy as np

    sums = np.zeros(count, np.int64)
    starts = np.flatnonzero(_changes(groups))
    if len(starts):
        sums[groups[starts]] = np.add.reduceat(values.astype(np.int64), starts)
    return sums
