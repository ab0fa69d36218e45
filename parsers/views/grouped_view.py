"""Base class of views whose rows are groups and counted leaves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.model.row import Link, Row, Section, SectionRow, SortKey, capitalized
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References
from parsers.views.base import LabelFiltered
from parsers.views.entry_view import EntryView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray


class GroupedView(LabelFiltered, EntryView):
    """A `View`. Derived classes define `name`, `columns`, `orders`, and the rows of groups and leaves."""

    group_kinds: tuple[str, ...] = ()
    """Kinds that only groups have."""

    # -- to be defined by derived classes -----------------------------------------------------------------------------

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

    def remark_of(self, group: int, leaf: int) -> str:
        """The text after the label."""
        return ""

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """The key that identifies what this row shows in other views."""
        return self.at(group, leaf).key

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """The blocks of the side pane."""
        entry = self.at(group, leaf)
        return entry.sections or (Section(capitalized(entry.kind), (SectionRow("", entry.label),)),)

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """All links of this row."""
        return self.at(group, leaf).links

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Sequence[SortKey] | AnyArray | None:
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

    def entry_of(self, node: int) -> ListRow:
        """The contents of the row of a group or leaf."""
        return self.at(*self.rows.place(node))

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """The REF that Enter follows, for rows without others below."""
        return None if self.rows.end(node) > node + 1 else super().link_of(node, entry)

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Nodes that include all those of a kind; None: leaves may be of that kind, too."""
        rows = self.rows
        return [rows.node(group) for group in range(rows.groups)] if kind in self.group_kinds else None

    def remark(self, row: Row) -> str:
        """The text after the label."""
        return self.remark_of(*self.rows.place(row.node))

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Sort keys: numbers of a badge, -1 where there is none."""
        if not len(nodes):
            return ()
        group, leaf = self.rows.place(nodes[0])
        if leaf >= 0 and self.rows.place(nodes[-1])[0] == group:
            found = self.keys_of_leaves(order, group, range(leaf, leaf + len(nodes)))
            if found is not None:
                return found  # type: ignore[return-value]  # arrays have all that is used of keys
        return super().sort_keys(order, nodes)

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
        return References("the groups that contain it", self.name, self.path(node))
