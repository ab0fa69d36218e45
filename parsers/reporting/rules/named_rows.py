"""The rows of a view that a rule is about: those of one kind, by their names, with their numbers.

A view of many rows may give them itself (`HasNamedRows`), by arrays and without making a row. Of any other each row is
looked at once, however many rules ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from parsers.model.report import Row, View, value_in, walk
from parsers.reporting.rules.name_table import NameTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.report import Column

MOST_LEVELS = 3
"""Levels of a view without end in which rows of a kind are looked for."""

STEP = 20_000
"""Rows that are looked at between two words of how far this is."""

ANY = "*"
"""In place of a kind: rows of all kinds."""

Number = int | float


class NamedRows(Protocol):
    """Rows of one kind in document order."""

    @property
    def names(self) -> NameTable:
        """The names that they have."""
        ...

    @property
    def all_nodes(self) -> Sequence[int]:
        """All of them, ascending."""
        ...

    def nodes(self, is_met: NDArray[Any]) -> Sequence[int]:
        """The rows of some names (bool by number of a name), ascending."""
        ...

    def name(self, node: int) -> str:
        """The name of one of them."""
        ...

    def numbers(self, column: Column, nodes: Sequence[int]) -> Sequence[Number | None]:
        """What some of them have in a column; None where that is no number."""
        ...


@runtime_checkable
class HasNamedRows(Protocol):
    """A view that tells its rows by their names."""

    def named_rows(self, kind: str) -> NamedRows | None:
        """Those of a kind; empty: those at the top; None: it has none of that kind, or can't tell."""
        ...


@runtime_checkable
class HasKinds(Protocol):
    """A view that knows where the rows of a kind are."""

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Nodes among which all those of a kind are, ascending; None: they may be anywhere."""
        ...


class ArrayRows:
    """Rows of which names and nodes are arrays."""

    def __init__(
        self,
        names: Callable[[], NameTable],
        name_of: NDArray[Any],
        nodes: NDArray[Any],
        numbers: Callable[[Column, NDArray[Any]], Sequence[Number | None]],
    ) -> None:
        """
        names    gives them; asked when a pattern is to be met
        name_of  by row: the number of its name
        nodes    by row: its node, ascending
        numbers  gives what some nodes have in a column
        """
        self._names = names
        self._name_of = name_of
        self._nodes = nodes
        self._numbers = numbers

    @cached_property
    def names(self) -> NameTable:
        """The names that they have."""
        return self._names()

    @property
    def all_nodes(self) -> Sequence[int]:
        """All rows."""
        return self._nodes  # type: ignore[return-value]  # an array is a sequence

    def nodes(self, is_met: NDArray[Any]) -> Sequence[int]:
        """The rows of some names."""
        found: Any = self._nodes if is_met.all() else self._nodes[is_met[self._name_of]]
        return found  # type: ignore[no-any-return]  # an array is a sequence

    def name(self, node: int) -> str:
        """The name of a row."""
        return self.names.name(int(self._name_of[self._nodes.searchsorted(node)]))

    def numbers(self, column: Column, nodes: Sequence[int]) -> Sequence[Number | None]:
        """What rows have in a column."""
        return self._numbers(column, nodes)  # type: ignore[arg-type]  # they are of the array


def silent(text: str) -> None:
    """Hears nothing."""


def named_rows(
    view: View, kind: str, told: Callable[[str], object] = silent, columns: Iterable[Column] = ()
) -> NamedRows:
    """The rows of a kind of any view; of one without end those at its top, or the first level that has some.

    kind     empty: the rows at the top; `ANY`: all rows
    told     hears now and then how far this is
    columns  of which numbers will be asked for
    """
    found = view.named_rows(kind) if isinstance(view, HasNamedRows) else None
    return listed_rows(view, kind, told, columns) if found is None else found


def listed_rows(
    view: View, kind: str, told: Callable[[str], object] = silent, columns: Iterable[Column] = ()
) -> ArrayRows:
    """The same, looking at each row."""
    import numpy as np

    numbers: dict[str, int] = {}
    name_of, nodes = [], []
    kept: dict[str, dict[int, Number]] = {column.name: {} for column in columns}
    for row in _rows(view, kind, told):
        nodes.append(row.node)
        name_of.append(numbers.setdefault(row_name(row), len(numbers)))
        for column in columns:
            value = value_in(row, column)
            if isinstance(value, int | float):
                kept[column.name][row.node] = value
    order = np.argsort(np.array(nodes, np.int64), kind="stable")

    def numbers_of(column: Column, asked: Any) -> Sequence[Number | None]:
        known = kept.get(column.name)
        return numbers_of_rows(view, column, asked) if known is None else list(map(known.get, map(int, asked)))

    return ArrayRows(
        lambda: NameTable.of(numbers),
        np.array(name_of, np.int64)[order],
        np.array(nodes, np.int64)[order],
        numbers_of,
    )


def numbers_of_rows(view: Any, column: Column, nodes: Iterable[int]) -> list[Number | None]:
    """What rows have in a column, each looked at."""
    values = (value_in(view.tree.row(node), column) for node in map(int, nodes))
    return [value if isinstance(value, int | float) else None for value in values]


def _rows(view: View, kind: str, told: Callable[[str], object]) -> Iterator[Row]:
    tree = view.tree
    if view.tree.preorder is None and kind not in ("", ANY):
        for place, row in enumerate(_level(view, kind)):
            if place and not place % STEP:
                told(f"looking through {view.name}: {place:,} rows")
            yield row
        return
    nodes: Iterable[int] = tree.roots()
    groups = view.nodes_of_kind(kind) if isinstance(view, HasKinds) else None
    if kind and tree.preorder is not None:
        nodes = range(tree.preorder.rows) if groups is None or kind == ANY else groups
    for place, node in enumerate(nodes):
        if place and not place % STEP:
            told(f"looking through {view.name}: {place:,} rows")
        row = tree.row(node)
        if kind in ("", ANY, row.kind):
            yield row


def _level(view: View, kind: str) -> Iterator[Row]:
    """Rows of a kind in the first level that has some."""
    for depth in range(MOST_LEVELS):
        rows = (view.tree.row(node) for node, level in walk(view.tree, depth=depth) if level == depth)
        found = (row for row in rows if row.kind == kind)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
            return


def row_name(row: Row) -> str:
    """What patterns are held against: the label of a row without the loader that stands before it."""
    for span in islice(row.spans, 1):
        if span.role == "loader" and not span.start:
            return row.label[span.end + 1 :]
    return row.label
