"""Base class of views whose rows are groups of objects: rows are computed and numbered as they are opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Self, TypeVar

from parsers.heapdump.views.object_rows import KeyedObjects
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Row, SortKey
from parsers.model.trees.preorder import sort_nodes
from parsers.model.trees.tree import Preorder
from parsers.model.view import StrangeReference, UnknownReference, View

OTHER_DUMP = "is of another dump than the one that is shown"
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class OpenedRow(Generic[Content]):
    """A row and its content: a group of objects, or one object."""

    parent: int | None
    depth: int
    content: Content


class OpenedRows(KeyedObjects, View, Generic[Content]):
    """A `View` that is its own `Tree`. Numbers below `first_rows` are rows that exist from the beginning."""

    preorder: Preorder | None = None
    row_count: int | None = None
    first_rows = 0

    def contents_below(self, node: int | None) -> Sequence[Content]:
        """Computes the children of a row; those of None are the roots."""
        raise NotImplementedError

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The rows at the top."""
        raise NotImplementedError

    def row(self, node: int) -> Row:
        """Returns one row."""
        raise NotImplementedError

    def has_children(self, node: int) -> bool:
        """True if a row has children."""
        raise NotImplementedError

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        raise NotImplementedError

    @property
    def tree(self) -> Self:
        """This object."""
        return self

    @cached_property
    def _rows(self) -> list[OpenedRow[Content]]:
        """The rows after the first ones."""
        return []

    @cached_property
    def _below(self) -> dict[int | None, range]:
        """The children of opened rows."""
        return {}

    def opened(self, node: int | None) -> range:
        """Returns the children of a row; those of None are the roots."""
        found = self._below.get(node)
        if found is None:
            first, depth = self.first_rows + len(self._rows), 0 if node is None else self.depth(node) + 1
            self._rows += [OpenedRow(node, depth, each) for each in self.contents_below(node)]
            found = self._below[node] = range(first, self.first_rows + len(self._rows))
        return found

    def content(self, node: int) -> Content:
        """Returns the content of a row that was opened."""
        return self._rows[node - self.first_rows].content

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Returns the children of a row."""
        return sort_nodes(self.opened(node), self.sort_keys, order) if self.has_children(node) else ()

    def parent(self, node: int) -> int | None:
        """Returns the parent row."""
        return None if node < self.first_rows else self._rows[node - self.first_rows].parent

    def depth(self, node: int) -> int:
        """Returns the number of rows above a row."""
        return 0 if node < self.first_rows else self._rows[node - self.first_rows].depth

    def resolve(self, ref: str) -> int:
        """Returns the row of an object, of a class, a package, a loader. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all objects have been read")
        found = self.node_in_ref(ref)
        if found is not None:
            return found
        dumps, rest = self.objects.split(ref)
        if self.only_dump is not None and self.only_dump not in dumps:
            raise UnknownReference(f"{ref}: {OTHER_DUMP}")
        kind, _, value = rest.partition(":")
        is_number = kind == "node"
        found = ref_number(value, self.first_rows + len(self._rows)) if is_number else self.node_named(kind, value)
        if found is None:
            if is_number:
                raise UnknownReference(f"{ref}: nodes are numbered as they are opened")
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return found
