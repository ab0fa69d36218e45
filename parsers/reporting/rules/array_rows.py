"""`ArrayRows`: the rows of one kind of a view by name, in arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.row import value_in

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.model.row import Column
    from parsers.model.view import View
    from parsers.query.selection.texts_met import MatchedTexts

Number = int | float


class ArrayRows:
    """Rows in document order, with names and nodes in arrays."""

    def __init__(
        self,
        names: Callable[[], MatchedTexts],
        name_of: AnyArray,
        nodes: I64Array,
        numbers: Callable[[Column, AnyArray], Sequence[Number | None]],
    ) -> None:
        """
        names    returns the names; called when a pattern is matched
        name_of  by row: the number of its name
        nodes    by row: its node, ascending
        numbers  returns the values of nodes in a column
        """
        self._names = names
        self._name_of = name_of
        self._nodes = nodes
        self._numbers = numbers

    @cached_property
    def names(self) -> MatchedTexts:
        """The names of the rows."""
        return self._names()

    @property
    def all_nodes(self) -> Sequence[int]:
        """All rows, ascending."""
        return self._nodes  # type: ignore[return-value]  # an array is a sequence

    def nodes(self, is_matching: BoolArray) -> Sequence[int]:
        """Returns the rows with some names (bool by number of a name), ascending."""
        found: Any = self._nodes if is_matching.all() else self._nodes[is_matching[self._name_of]]
        return found  # type: ignore[no-any-return]  # an array is a sequence

    def name(self, node: int) -> str:
        """Returns the name of a row."""
        return self.names.text(int(self._name_of[bisect_left(self._nodes, node)]))

    def numbers(self, column: Column, nodes: Sequence[int]) -> Sequence[Number | None]:
        """Returns the values of rows in a column; None for other than numbers."""
        return self._numbers(column, nodes)  # type: ignore[arg-type]  # they are of the array


def numbers_of_rows(view: View, column: Column, nodes: Iterable[int]) -> list[Number | None]:
    """Returns the values of rows in a column, by making each row."""
    values = (value_in(view.tree.row(node), column) for node in map(int, nodes))
    return [value if isinstance(value, int | float) else None for value in values]
