"""A view over rows as arrays: each row has a depth, a level (one of the view's tables) and a number in that table."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from parsers.model.names.patterns import Subject, methods_pattern, type_pattern
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Row, Section, SectionRow, SortKey, capitalized
from parsers.model.trees.column_preorder import ColumnPreorder, CurrentPreorder, preorder_of
from parsers.model.trees.preorder import PreorderTree
from parsers.model.view import StrangeReference, View

if TYPE_CHECKING:
    from parsers.query.selection.array_filters import ArrayFilters
    from parsers.reports.whole import WholeReport

Recording = TypeVar("Recording")


class RowPlaces:
    """The rows of a view in document order."""

    def __init__(self, depths: Iterable[int] = (), numbers: Iterable[int] = ()) -> None:
        """Takes rows of level 0."""
        self.depths = array("H", depths)
        self.levels = array("B", bytes(len(self.depths)))
        self.numbers = array("I", numbers)

    def add(self, depth: int, level: int, number: int) -> None:
        """Appends a row."""
        self.depths.append(depth)
        self.levels.append(level)
        self.numbers.append(number)


class ArrayView(View, Generic[Recording]):
    """A `View`. Subclasses define `name`, `columns`, `orders`, the places and their rows."""

    starts_closed = False
    """True if only roots are shown at first."""

    def __init__(self, report: WholeReport) -> None:
        self.report = report
        self._of: Recording | None = None
        self._places = RowPlaces()
        self._nodes: dict[tuple[int, int], int] = {}
        self._preorder: ColumnPreorder | None = None
        self.tree: PreorderTree = PreorderTree(
            CurrentPreorder(lambda: self.preorder, lambda: self.report.is_complete), self.row, self.sort_keys
        )

    # -- overridden by derived views ----------------------------------------------------------------------------------

    @property
    def recording(self) -> Recording:
        """The recording of the file; another object each time more was read."""
        return cast("Recording", self.report.recording)

    def make(self) -> RowPlaces:
        """Returns the rows."""
        raise NotImplementedError

    def show(self, node: int, level: int, number: int) -> Row:
        """Returns the row of a place: `row_of` adds depth and descendants."""
        raise NotImplementedError

    def value(self, order: str, level: int, number: int) -> SortKey:
        """Returns the sort key of a place."""
        return -1

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of a REF of some kind."""
        return ()

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns method and class of a place; empty if it has none."""
        return "", ""

    def offset(self, level: int, number: int) -> int:
        """Returns the byte offset of the line of a place; -1 if no line of the file shows it."""
        return -1

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def places(self) -> RowPlaces:
        """The current rows."""
        if self._of is not self.recording:
            self._of = self.recording
            self.forget()
            self._places = self.make()
            self._nodes = {}
            self._preorder = None
        return self._places

    @property
    def preorder(self) -> ColumnPreorder:
        """Depths and ends of the rows."""
        depths = self.places.depths
        if self._preorder is None:
            self._preorder = preorder_of(depths)
        return self._preorder

    def forget(self) -> None:
        """Clears all that was computed from an earlier recording."""

    @property
    def row_count(self) -> int | None:
        """Number of all rows."""
        return len(self.places.depths)

    @property
    def root_count(self) -> int | None:
        """Number of roots."""
        return self.places.depths.count(0)

    def place(self, node: int) -> tuple[int, int]:
        """Returns level and number of a node."""
        return self.places.levels[node], self._places.numbers[node]

    def node(self, level: int, number: int) -> int | None:
        """Returns the first node of a place; None if it is no row."""
        places = self.places
        if not self._nodes:
            for node in range(len(places.depths) - 1, -1, -1):
                self._nodes[places.levels[node], places.numbers[node]] = node
        return self._nodes.get((level, number))

    def row(self, node: int) -> Row:
        """Returns the row of a node."""
        return self.show(node, *self.place(node))

    def below(self, node: int) -> int:
        """Returns the number of descendants of a row."""
        return self.preorder.end(node) - node - 1

    def row_of(self, node: int, **contents: Any) -> Row:
        """Returns the row of a node: its depth and descendants, and the other fields of `Row` as given."""
        below = self.below(node)
        return Row(node=node, depth=self._places.depths[node], rows_below=below, has_children=below > 0, **contents)

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of nodes."""
        return [self.row(node).label for node in range(start, stop)]

    def row_filters(self) -> ArrayFilters:
        """Returns the filters of this view, for many rows at once."""
        from parsers.query.selection.array_filters import ArrayFilters

        return ArrayFilters(self)

    def offset_of(self, node: int) -> int:
        """Returns the byte offset of the line of a node; -1 if no line of the file shows it."""
        return self.offset(*self.place(node))

    def subject_of(self, node: int) -> tuple[str, str]:
        """Returns method and class of a node."""
        return self.subject(*self.place(node))

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the keys of an order: numbers, or labels."""
        if order == "name":
            return [self.row(node).label for node in nodes]
        return [self.value(order, *self.place(node)) for node in nodes]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all nodes of a REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        node = numbered_node(ref, len(self.places.depths))
        nodes = self.named(kind, value) if node is None else [node]
        if not nodes:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return nodes

    def key(self, node: int) -> Hashable | None:
        """Returns the key that identifies a row in other views: a method, or a class."""
        method, holder = self.subject_of(node)
        return ("method", method) if method else ("class", holder) if holder else None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        match key:
            case (("method" | "class" | "thread") as kind, str(name)):
                return next(iter(self.named(kind, name)), None)
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the side pane: the numbers of the row."""
        row = self.row(node)
        rows = tuple(SectionRow(name.replace("_", " "), shown(value)) for name, value in row.badges.items())
        return (Section(capitalized(row.kind), rows or (SectionRow("", row.label),)),)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that closes the row, or the one above it: all methods of a class, or a class."""
        closed = node if self.below(node) else self.tree.parent(node)
        method, holder = ("", "") if closed is None else self.subject_of(closed)
        return methods_pattern(holder) if method or not holder else type_pattern(holder)


def shown(value: object) -> str:
    """Returns a number of a row as text."""
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def share(part: int, whole: int) -> float:
    """Returns percent, rounded to a tenth as the profilers print them."""
    return round(100 * part / whole, 1) if whole else 0.0
