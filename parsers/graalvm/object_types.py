"""Objects by type: which there are of each, how many roots reach them first, how much was reached through them.

Types come with the most objects first, equal ones by name; the objects of a type in document order. `plain_types` and
`build_types` make the same table: the one in plain Python, the other at the end of an index with numpy.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from parsers.graalvm.object_holder import reference_count, root_row
from parsers.graalvm.plain_tree import PlainTree
from parsers.graalvm.text_tree import TextTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = 0xFFFFFFFF
"""No row, no name."""

PIECE = 1 << 19
"""Objects that are looked at together, in whole types."""


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

    Millions of objects are looked at in pieces: an index is built in little memory.
    """
    import numpy as np

    objects = np.flatnonzero((declaration != NONE) & (name != NONE)).astype(np.uint32)
    rows = declaration[objects]
    if np.any(rows[1:] < rows[:-1]):
        objects = objects[np.argsort(rows, kind="stable")]
        rows = declaration[objects]
    # In document order here, where neighbours lie below the same root; then by type, without changing that order.
    root = np.searchsorted(root_rows, rows, "right").astype(np.uint32)
    type = name[objects]
    count = np.bincount(type, minlength=len(names))
    used = sorted(np.flatnonzero(count).tolist(), key=lambda number: (-count[number], bytes(names[number])))
    rank = np.zeros(len(names) + 1, np.uint16 if len(used) <= 1 << 16 else np.uint32)
    rank[used] = np.arange(len(used))
    order = np.argsort(rank[type], kind="stable").astype(np.uint32)
    firsts = np.concatenate(([0], np.cumsum(count[used], dtype=np.int64))) if used else np.zeros(1, np.int64)
    sums = {field: np.zeros(len(used), np.int64) for field in ("roots", "references", "weights")}
    for start, stop in _pieces(firsts):
        piece = order[firsts[start] : firsts[stop]]
        starts = firsts[start:stop] - firsts[start]
        things = objects[piece]
        sums["roots"][start:stop] = np.add.reduceat(_changes(root[piece], starts), starts, dtype=np.int64)
        sums["references"][start:stop] = np.add.reduceat(references[things].astype(np.int64), starts)
        below = _first_reached(rows[piece].astype(np.int64), end[things].astype(np.int64), starts)
        sums["weights"][start:stop] = np.add.reduceat(below, starts)
    return {
        "names": np.array(used, np.uint32),
        "firsts": (firsts + np.arange(len(firsts))).astype(np.uint32),
        "roots": sums["roots"].astype(np.uint32),
        "references": sums["references"].astype(np.uint64),
        "weights": sums["weights"].astype(np.uint64),
        "rows": rows[order],
    }


def _pieces(firsts: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Types in ranges of some hundred thousand objects; one at least in each.

    firsts: where the objects of each type begin, and how many there are in all
    """
    import numpy as np

    start, types = 0, len(firsts) - 1
    while start < types:
        stop = max(int(np.searchsorted(firsts, firsts[start] + PIECE)) - 1, start + 1)
        yield start, min(stop, types)
        start = stop


def _changes(values: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Where a value differs from the one before it, and where a group starts."""
    import numpy as np

    changes = np.ones(len(values), np.bool_)
    changes[1:] = values[1:] != values[:-1]
    changes[starts] = True
    return changes


def _first_reached(rows: NDArray[Any], ends: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Rows below each object, but 0 for one that lies below another of its group; groups are in document order."""
    import numpy as np

    # Ends are made to rise from group to group, so that one running maximum serves all.
    step = np.zeros(len(rows), np.int64)
    step[starts[1:]] = int(ends.max(initial=0)) + 1
    np.cumsum(step, out=step)
    reached = np.maximum.accumulate(ends + step)
    is_inside = np.zeros(len(rows), np.bool_)
    is_inside[1:] = (rows + step)[1:] < reached[:-1]
    is_inside[starts] = False
    return np.where(is_inside, 0, ends - rows - 1)


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
