"""The view "Cut": hypothetical cuts, vertices that become unreachable, and reachable ones of the same packages.

With cuts, *why* of any row leads along the shortest remaining path.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.graph.graph_model import THING, GraphModel, Node, noted
from parsers.graph.views.cut_rows import CutRows
from parsers.model.patterns import Subject
from parsers.model.preorder import FlatPreorder, PreorderTree
from parsers.model.report import (
    Badge,
    Column,
    Link,
    Preorder,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    UnknownReference,
)
from parsers.views.base import ViewBase
from parsers.views.list_view import Entry

if TYPE_CHECKING:
    from parsers.query.selection.label_filters import LabelFilters

CUT_VIEW = "Cut"
GROUP, MARK = "group", "mark"
TITLES = ("cut", "no longer reached", "still reached, of what lost some")
NOTHING = "nothing is cut: X cuts what a row shows, in any view; :cut PATTERNS what they meet"


class CutView(ViewBase):
    """A `View` of the effect of the cuts of a report."""

    name = CUT_VIEW
    shape: Shape = "tree"
    has_headings = True
    first_depth = 1
    """Depth of rows that are visible at first."""
    commands = (("cut", "cut, take back"), ("why", "what still leads there"), ("cuts", "back"))
    """Further commands, for the key line."""

    def __init__(self, things: GraphModel) -> None:
        self.things = things
        words = things.words.things
        self.columns: tuple[Column, ...] = (
            Column("gone", f"{words} gone", badges=(("gone", ""),), width=14, priority=6, adds_up=True),
            Column("left", f"{words} left", badges=(("left", ""),), width=14, priority=5),
        )
        self.orders: tuple[str, ...] = ("gone", "left", "name")
        self._state = -1
        self._told = -1
        self._made: CutRows | None = None
        self._prepared: tuple[int, CutRows | None] = (-1, None)
        self._hint = FlatPreorder(lambda: int(self.is_ready), lambda: True)
        """The single row shown without cuts."""
        self._shown: PreorderTree = PreorderTree(self._hint, self.row, self.sort_keys)

    @property
    def note(self) -> str:
        """A remark on all rows."""
        return self.things.note

    @property
    def is_ready(self) -> bool:
        """True if the graph is complete."""
        return self.things.is_known

    @property
    def made(self) -> CutRows | None:
        """The rows for the current cuts; None without cuts."""
        cuts = self.things.cuts
        if self._state != cuts.state:
            self._state = cuts.state
            if self._prepared[0] != cuts.state:
                self.prepare()
            self._made = self._prepared[1]
            rows: Preorder = self._hint if self._made is None else self._made.levels
            self._shown = PreorderTree(rows, self.row, self.sort_keys)
        return self._made

    def prepare(self) -> None:
        """Computes the rows for the current cuts, for the next access to the view. Runs in any thread."""
        cuts = self.things.cuts
        made = CutRows(self.things) if cuts else None
        if made is not None:
            # Computes also what the first rows need.
            for by in (*made.by, THING):
                self.things.labels(by, made.some_of(by))
            made.levels.end(0)
            made.levels.parent(made.levels.rows - 1)
        self._prepared = cuts.state, made

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes over the current cuts; returns a map from rows before the last call to rows now."""
        before, tree = self._made, self._shown
        if self._state == self.things.cuts.state and self._told == self._state:
            return None
        was_told = self._told == self._state
        after = self.made
        self._told = self._state
        if before is after and was_told and tree is self._shown:
            return None

        def place(node: int) -> int | None:
            if not node:
                return 0
            return None if before is None or after is None else after.find(before.path(node))

        return place

    @property
    def tree(self) -> PreorderTree:
        """The tree of lists."""
        _ = self.made if self.is_ready else None
        return self._shown

    @property
    def row_count(self) -> int | None:
        """Number of rows."""
        made = self.made if self.is_ready else None
        return (self._hint.rows or None) if made is None else made.levels.rows

    @property
    def root_count(self) -> int | None:
        """Number of lists."""
        return len(self.tree.roots()) if self.is_ready else None

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _place(self, node: int) -> tuple[str, int]:
        """Returns the kind of a row (GROUP, MARK, a grouping or THING) and its number."""
        made = self.made
        if made is None:
            return GROUP, 0
        level, number = made.levels.level(node), made.levels.number(node)
        if level == 0:
            return GROUP, number
        if level == 1:
            marks = len(made.marks)
            if number < marks:
                return MARK, number
            number -= marks
        by = (*made.by, THING)[level - 1]
        return by, int(made.numbers[level - 1][number])

    def node(self, node: int) -> Node | None:
        """Returns the node of a row; of a cut the node that is cut."""
        by, number = self._place(node)
        if by == GROUP:
            return None
        return self.things.cuts.marks[number].node if by == MARK else Node(by, number)

    def _entry(self, node: int) -> Entry:
        by, number = self._place(node)
        if by == GROUP:
            return Entry(GROUP, NOTHING if self.made is None else TITLES[number], key=(GROUP, number))
        if by == MARK:
            mark = self.things.cuts.marks[number]
            if mark.node is None:
                return Entry("pattern", mark.label, key=("pattern", mark.label))
            return self.things.entry(mark.node)
        return self.things.entry(Node(by, number))

    def _badges(self, node: int) -> dict[str, Badge]:
        made = self.made
        by, number = self._place(node)
        if made is None or by in (MARK, THING):
            return {}
        if by == GROUP:
            _, gone, left = made.counts
            return ({}, {"gone": gone}, {"left": left})[number]  # type: ignore[return-value]
        level = made.by.index(by)
        return {"gone": int(made.gone[level][number]), "left": int(made.left[level][number])}

    def row(self, node: int) -> Row:
        """Returns one row."""
        entry, made = self._entry(node), self.made
        below = 0 if made is None else made.levels.end(node) - node - 1
        return Row(
            node=node,
            kind=entry.kind,
            label=entry.label,
            depth=0 if made is None else made.levels.depth(node),
            badges=self._badges(node),
            ref=entry.ref or f"node:{node}",
            line=entry.line,
            offset=entry.offset,
            rows_below=below,
            has_children=below > 0,
            link=entry.ref if entry.line is not None else None,
            spans=entry.spans,
            look=entry.look,
        )

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return [self._entry(node).label for node in range(start, stop)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Returns sort keys for an order."""
        if order == "name":
            return [self._entry(node).label for node in nodes]
        return [self._badges(node).get(order, -1) for node in nodes]

    def row_filters(self) -> LabelFilters:
        """Filters over the labels of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)

    @property
    def asked(self) -> Any:
        """The cuts, for another process."""
        return self.things.cuts.asked

    def ask_again(self, asked: Any) -> None:
        """Makes the rows for the cuts of `asked`."""
        self.things.cuts.ask(asked)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """Returns the row of a REF, unreachable rows before reachable ones. Raises `UnknownReference`."""
        made = self.made
        kind, _, value = ref.partition(":")
        rows = 1 if made is None else made.levels.rows
        if kind == "node":
            if value.isascii() and value.isdigit() and len(value) <= 18 and int(value) < rows:
                return int(value)
            raise UnknownReference(f"{ref}: there are {rows:,} nodes, counted from 0")
        for node in self.things.found(ref):
            place = self._row_of(node)
            if place is not None:
                return place
        raise UnknownReference(f"{ref}: no cut changes anything there")

    def _row_of(self, node: Node) -> int | None:
        made = self.made
        if made is None or node.by not in (*made.by, THING):
            return None
        level = (*made.by, THING).index(node.by)
        places = (made.numbers[level] == node.number).nonzero()[0]
        if not len(places):
            return None
        return made.levels.node(level + 1, int(places[0]) + (len(made.marks) if not level else 0))

    def key(self, node: int) -> Hashable | None:
        """Returns the key that identifies the row's subject in another view."""
        return self._entry(node).key

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        found = self.things.of_key(key) if self.is_ready and self.things.cuts else None
        return None if found is None else self._row_of(found)

    def row_of(self, node: int) -> int | None:
        """Returns the row of the first view for this one."""
        this = self.node(node)
        return None if this is None else self.things.row_of(this)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the effect of the cuts on it, and what else is known of it."""
        return noted(self.things, self._sections(node))

    def _sections(self, node: int) -> Sequence[Section]:
        made, (by, number) = self.made, self._place(node)
        words = self.things.words.things
        if made is None:
            return (Section("Cut", (SectionRow("", NOTHING),)),)
        if by == GROUP:
            marks, gone, left = made.counts
            reached = int(self.things.cuts.outcome.before.sum())
            rows = [SectionRow("cuts", f"{marks:,}"), SectionRow("gone", f"{gone:,} of {reached:,} {words}")]
            if left:
                rows.append(SectionRow("still there", f"{left:,} {words} of groups that lost some"))
            return (Section(TITLES[number].capitalize(), tuple(rows)),)
        entry = self._entry(node)
        if by == MARK:
            return (
                Section("Cut", (SectionRow("", entry.label, entry.ref or None), SectionRow("", "X takes it back"))),
            )
        if by == THING:
            is_gone = self.things.cuts.outcome.reached.distance[number] < 0
            says = "no longer reached" if is_gone else "still reached (W: the way that is left)"
            return (Section("Cut", (SectionRow("", says),)), *self.things.sections(Node(by, number)))
        level = made.by.index(by)
        counts = (f"{int(each[level][number]):,} {words}" for each in (made.gone, made.left))
        rows_of_group = tuple(map(SectionRow, ("gone", "left"), counts))
        return (Section(entry.kind.capitalize(), rows_of_group),)

    def remark(self, row: Row) -> str:
        """Returns the remark after the label."""
        this = self.node(row.node)
        return "" if this is None else self.things.remark(this)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns patterns that match the row, as in the first view."""
        row, first = self.row_of(node), self.things.first_view
        found: Mapping[Subject, str] = {} if row is None else first.patterns(row)  # type: ignore[attr-defined]
        return found

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the first view, and paths to the row."""
        return self._entry(node).links

    def references(self, node: int) -> References:
        """Returns all references to the row's vertex; for a group those from outside."""
        first, row, this = self.things.first_view, self.row_of(node), self.node(node)
        if this is not None and this.by in self.things.words.levels:
            from parsers.graph.entering_edges import references_in

            return references_in(self.things, this)
        return References("references", first.name, ()) if row is None else first.references(row)

    def path(self, node: int) -> Sequence[int]:
        """Returns the rows from the list down to this one."""
        return self.tree.path(node)
