"""Call sites and callers of a method, from the rows of a call tree."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain

from parsers.formats.graalvm.calls.index.row import INTERFACE, UNCALLED, VIRTUAL
from parsers.formats.graalvm.text.tree import TextTree
from parsers.model.late.lazy_sequence import LazySequence

FEW = 2048
"""Up to this many rows are examined one by one, to be correct in a damaged file too."""


class Without(LazySequence[int]):
    """Rows except the one at a place, without copying them."""

    def __init__(self, rows: Sequence[int], place: int) -> None:
        self._rows = rows
        self._place = place

    def __len__(self) -> int:
        return len(self._rows) - 1

    def __iter__(self) -> Iterator[int]:
        return chain(self._rows[: self._place], self._rows[self._place + 1 :])

    def item(self, index: int) -> int:
        """Returns one row."""
        return self._rows[index + (index >= self._place)]


def declares_once(tree: TextTree) -> bool:
    """Returns True if all rows are known, and no id is declared twice."""
    summary = tree.summary
    counts = summary.facts.get("as_tree", summary.totals)
    return bool(counts) and not counts["duplicate_ids"]


def call_sites(tree: TextTree, vertex: int) -> Sequence[int]:
    """Returns the rows that call a method, in document order: all that show or refer to it, except its own entry."""
    rows = tree.vertex_rows(vertex)
    if len(rows) > FEW and declares_once(tree):
        # The only row that can be an entry is known.
        declaration = tree.declaration(vertex)
        if declaration < 0 or tree.kind(declaration) not in UNCALLED:
            return rows
        return Without(rows, bisect_left(rows, declaration))
    return [row for row in rows if tree.kind(row) not in UNCALLED]


def owner_row(tree: TextTree, row: int) -> int | None:
    """Returns the row of the method that contains a call: the nearest ancestor that declares an id."""
    above = tree.parent(row)
    while above is not None and not tree.is_declaration(above):
        above = tree.parent(above)
    return above


def virtual_row(tree: TextTree, row: int) -> int | None:
    """Returns the virtual call directly above an implementation; None if the row is no implementation of one."""
    above = tree.parent(row)
    return above if above is not None and tree.kind(above) in (VIRTUAL, INTERFACE) else None
