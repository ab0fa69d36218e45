"""Base class of views whose rows are groups and counted leaves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.grouped_preorder import GroupedPreorder
from parsers.model.patterns import Subject
from parsers.model.report import Column, Link, References, Row, Section, SectionRow, Shape, UnknownReference
from parsers.views.list_view import ListRow
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.query.selection.selection import RowFilters


class GroupedView(PositionsView):
    """A `View`. Derived classes define `name`, `columns`, `orders`, and the rows of groups and leaves."""

    name = ""
    shape: Shape = "tree"
    columns: tuple[Column, ...] = ()
    orders: tuple[str, ...] = ()
    starts_closed = True
    """True: the list of groups is shown first, without their leaves."""
    group_kinds: tuple[str, ...] = ()
    """Kinds that only groups have."""

    # # -- to be defined by derived classes ----------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """True if the view can be shown now."""
        raise NotImplementedError

    def make_rows(self) -> GroupedPreorder:
        """Makes the groups and counts, once the view is ready."""
        raise NotImplementedError

    def group(self, group: int) -> ListRow:
        """The contents of a group's row; its depth is that of `rows`."""
        raise NotImplementedError

    def leaf(self, group: int, leaf: int) -> ListRow:
        """The contents of a leaf's row."""
        raise NotImplementedError

    def nodes_of(self, ref: str) -> Sequence[int]:
        """The nodes of a REF other than `node:`. Raises `UnknownReference`."""
        raise UnknownReference(f"{ref}: nothing of that name in {self.name}")

    def remark_of(self, group: int, leaf: int) -> str:
        """The text after the label."""
        return ""

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """The key that identifies what this row shows in other views."""
        return self.at(group, leaf).key

    def find_key(self, key: Hashable) -> int | None:
        """The row with this key."""
        return None

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """The blocks of the side pane."""
        entry = self.at(group, leaf)
        return entry.sections or (Section(entry.kind.capitalize(), (SectionRow("", entry.label),)),)

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """All links of this row."""
        return self.at(group, leaf).links

    def references(self, node: int) -> References:
        """References to what a row shows."""
        return References(f"references to {self.row(node).label}", self.name, ())

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Any:
        """Sort keys of leaves of a group; None: the rows are used."""
        return None

    # -- the view -----------------------------------------------------------------------------------------------------

    def at(self, group: int, leaf: int) -> ListRow:
        """The contents of a row."""
        return self.group(group) if leaf < 0 else self.leaf(group, leaf)

    @cached_property
    def rows(self) -> GroupedPreorder:
        """The rows. Raises `LookupError` before they are known."""
        if not self.is_ready:
            raise LookupError("the file is still being read")
        return self.make_rows()

    def row(self, node: int) -> Row:
        """The row of a group or leaf."""
        group, leaf = self.rows.place(node)
        entry = self.at(group, leaf)
        below = self.rows.end(node) - node - 1
        return entry.row(node, self.rows.depth(node), below, () if below else entry.links)

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Nodes that include all those of a kind; None: leaves may be of that kind, too."""
        rows = self.rows
        return [rows.node(group) for group in range(rows.groups)] if kind in self.group_kinds else None

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        return [self.at(*self.rows.place(node)).label for node in range(start, stop)]

    def remark(self, row: Row) -> str:
        """The text after the label."""
        return self.remark_of(*self.rows.place(row.node))

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Sort keys: numbers of a badge, -1 where there is none."""
        if not len(nodes):
            return ()
        group, leaf = self.rows.place(nodes[0])
        if leaf >= 0 and self.rows.place(nodes[-1])[0] == group:
            found = self.keys_of_leaves(order, group, range(leaf, leaf + len(nodes)))
            if found is not None:
                return found  # type: ignore[no-any-return]
        if order == "name":
            return [self.at(*self.rows.place(node)).label for node in nodes]
        values = [self.at(*self.rows.place(node)).badges.get(order) for node in nodes]
        return [value if isinstance(value, int | float) else -1 for value in values]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all of the file has been read")
        kind, _, value = ref.partition(":")
        if kind == "node":
            if value.isascii() and value.isdigit() and len(value) <= 18 and int(value) < self.rows.rows:
                return [int(value)]
            raise UnknownReference(f"{ref}: there are {self.rows.rows:,} nodes, counted from 0")
        found = self.nodes_of(ref)
        if not found:
            raise UnknownReference(f"{ref}: nothing of that name in {self.name}")
        return found

    def key(self, node: int) -> Hashable | None:
        """The key that identifies what this row shows in other views."""
        return self.key_of(*self.rows.place(node))

    def sections(self, node: int) -> Sequence[Section]:
        """The blocks of the side pane."""
        return self.sections_of(*self.rows.place(node))

    def links(self, node: int) -> Sequence[Link]:
        """All links of this row."""
        return self.links_of(*self.rows.place(node))

    def why(self, node: int) -> References:
        """The path to a row: the groups that contain it."""
        return References("where it stands", self.name, self.path(node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Patterns that match what the row shows."""
        return {}

    def row_filters(self) -> RowFilters:
        """Filter data of all rows, in bulk."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)
