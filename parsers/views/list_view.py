"""A view of few rows, made from a list: the rows in document order, each with its depth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Badge, Link, Row, Section, SectionRow, SortKey, Span, capitalized
from parsers.model.trees.column_preorder import preorder_of
from parsers.model.trees.preorder import PreorderTree
from parsers.model.value import value_class
from parsers.model.view import StrangeReference, View
from parsers.views.base import LabelFiltered


@value_class
class ListRow:
    """The contents of one row."""

    kind: str
    label: str
    depth: int = 0
    badges: Mapping[str, Badge] = field(default_factory=dict)
    ref: str = ""
    """A REF used instead of `node:`; if several entries have the same, it means the first."""
    offset: int | None = None
    line: int | None = None
    flags: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    key: Hashable | None = None
    spans: tuple[Span, ...] = ()
    look: str = ""
    """The kind whose mark the row shows, if it is not its own."""
    bars: Mapping[str, float] = field(default_factory=dict)

    def row(self, node: int, depth: int, below: int, link: str | None) -> Row:
        """The row of a node. below: number of its descendants; link: the REF that Enter follows"""
        return Row(
            node=node,
            kind=self.kind,
            label=self.label,
            depth=depth,
            badges=self.badges,
            flags=self.flags,
            ref=self.ref or f"node:{node}",
            line=self.line,
            offset=self.offset,
            rows_below=below,
            has_children=below > 0,
            link=link,
            spans=self.spans,
            look=self.look,
            bars=self.bars,
        )


class LazyRows(LazySequence[ListRow]):
    """Rows of a list, of which most are made when they are needed."""

    def __init__(
        self, rows: Sequence[ListRow | int], depths: Sequence[int], make: Callable[[int, int], ListRow]
    ) -> None:
        """rows: those that are made already, and numbers of others; make: takes such a number and a depth"""
        self.depths = depths
        self._rows, self._make = rows, make

    def __len__(self) -> int:
        return len(self._rows)

    def item(self, index: int) -> ListRow:
        """Returns a row."""
        found = self._rows[index]
        return self._make(found, self.depths[index]) if isinstance(found, int) else found


def sort_values(order: str, entries: Iterable[ListRow | Row]) -> Sequence[SortKey]:
    """Sort keys of some rows: labels, or numbers of a badge, -1 where there is none."""
    if order == "name":
        return [entry.label for entry in entries]
    values = [entry.badges.get(order) for entry in entries]
    return [value if isinstance(value, int | float) else -1 for value in values]


class ListView(LabelFiltered, View):
    """A `View` over entries. Derived classes define `name`, `columns`, `orders` and make the entries."""

    def __init__(self) -> None:
        self._entries: Sequence[ListRow] = ()
        self._last_renewed: Sequence[ListRow] = self._entries
        """The entries at the last call of `renew`."""
        self._tree = PreorderTree(preorder_of(()), self.row, self.sort_keys)
        self._state: Hashable = None

    def make(self) -> Sequence[ListRow]:
        """Makes the current entries."""
        raise NotImplementedError

    @property
    def state(self) -> Hashable:
        """A value that changes whenever the entries would change."""
        return 0

    @property
    def is_complete(self) -> bool:
        """True if the entries are final."""
        return True

    @property
    def entries(self) -> Sequence[ListRow]:
        """The current entries, made again if the state has changed."""
        state = (self.state, self.is_complete)
        if state != self._state:
            self._state = state
            self._entries = self.make()
            entries = self._entries
            depths = entries.depths if isinstance(entries, LazyRows) else [entry.depth for entry in entries]
            self._tree = PreorderTree(preorder_of(depths, self.is_complete), self.row, self.sort_keys)
        return self._entries

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes the current state; returns a function from old nodes to new ones, or None if nothing changed.

        A row succeeds another one if kinds, labels and offsets on its path from the root are the same.
        """
        before, after = self._last_renewed, self.entries
        self._last_renewed = after
        if before is after:
            return None
        places = {path: node for node, path in reversed(list(enumerate(_paths(after))))}
        found = [places.get(path) for path in _paths(before)]
        return lambda node: found[node] if node < len(found) else None

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree."""
        assert self.entries is not None
        return self._tree

    @property
    def row_count(self) -> int | None:
        """Number of rows."""
        return len(self.entries)

    @property
    def root_count(self) -> int | None:
        """Number of roots."""
        return self.tree.preorder.depths(0, len(self.entries)).tolist().count(0)

    def row(self, node: int) -> Row:
        """The row of an entry."""
        entry = self._entries[node]
        link = entry.links[0].ref if entry.links else None
        return entry.row(node, entry.depth, self._tree.preorder.end(node) - node - 1, link)

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        return [entry.label for entry in self.entries[start:stop]]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Sort keys: numbers of a badge, -1 where there is none."""
        return sort_values(order, (self._entries[node] for node in nodes))

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        for node, entry in enumerate(self.entries):
            if entry.ref == ref:
                return node
        if kind == "name":
            found = next((node for node, entry in enumerate(self.entries) if entry.label == value), None)
            if found is not None:
                return found
        if (numbered := numbered_node(ref, len(self.entries))) is not None:
            return numbered
        raise StrangeReference(f"{ref}: nothing of that name in {self.name}")

    def key(self, node: int) -> Hashable | None:
        """The key that identifies what this row shows in other views."""
        return self.entries[node].key

    def find_key(self, key: Hashable) -> int | None:
        """The row with this key."""
        return next(
            (node for node, entry in enumerate(self.entries) if entry.key is not None and entry.key == key), None
        )

    def sections(self, node: int) -> Sequence[Section]:
        """The side pane: the entry's own sections, else its label."""
        entry = self.entries[node]
        return entry.sections or (Section(capitalized(entry.kind), (SectionRow("", entry.label),)),)

    def links(self, node: int) -> Sequence[Link]:
        """All links of this row."""
        return self.entries[node].links


def _paths(entries: Sequence[ListRow]) -> Iterator[tuple[Hashable, ...]]:
    """Yields for each row a path of identifying values, from its root to the row itself."""
    ancestors: list[Hashable] = []
    for entry in entries:
        del ancestors[entry.depth :]
        ancestors.append((entry.kind, entry.label, entry.offset))
        yield tuple(ancestors)
