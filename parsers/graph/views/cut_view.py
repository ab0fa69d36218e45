"""The view "Cut": hypothetical cuts, vertices that become unreachable, and reachable ones of the same packages.

With cuts, *why* of any row leads along the shortest remaining path.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

from parsers.graph.graph_model import VERTEX, GraphModel, Node, with_note
from parsers.graph.views.cut_rows import CutRows
from parsers.graph.views.graph_view import GraphView
from parsers.model.row import Column, Section, SectionRow, SortKey, capitalized
from parsers.model.trees.preorder import FlatPreorder, PreorderTree
from parsers.model.trees.tree import Preorder
from parsers.model.view import UnknownReference
from parsers.views.entry_view import EntryView
from parsers.views.list_view import ListRow

CUT_VIEW = "Cut"
GROUP, MARK = "group", "mark"
TITLES = ("cut", "no longer reached", "still reached, of what lost some")
NOTHING = "nothing is cut.\nX cuts what a row shows, in any view.\n:cut PATTERNS cuts all matches."


class CutView(GraphView, EntryView):
    """A `View` of the effect of the cuts of a report."""

    name = CUT_VIEW
    description = "Effect of hypothetical cuts"
    starts_closed = False
    known_when = "the index is finished"
    first_depth = 1
    """Depth of rows that are visible at first."""
    commands = (("cut", "cut, take back"), ("why", "what still leads there"), ("cuts", "back"))
    """Further commands, for the key line."""

    def __init__(self, graph: GraphModel) -> None:
        self.graph = graph
        terms = graph.terms.vertices
        self.columns: tuple[Column, ...] = (
            Column("gone", f"{terms} gone", badges=(("gone", ""),), width=14, priority=6, adds_up=True),
            Column("left", f"{terms} left", badges=(("left", ""),), width=14, priority=5),
        )
        self.orders: tuple[str, ...] = ("gone", "left", "name")
        self._state = -1
        """The state of the cuts to which the rows belong."""
        self._is_renewed = False
        """True if `renew` alone changes rows: what shows them asks for rows of one state until it has renewed them."""
        self._cut_rows: CutRows | None = None
        self._prepared: tuple[int, CutRows | None] = (-1, None)
        self._nothing = FlatPreorder(lambda: 0, lambda: True)
        self._shown: PreorderTree = PreorderTree(self._nothing, self.row, self.sort_keys)

    @property
    def cut_rows(self) -> CutRows | None:
        """The rows for the cuts, when first needed or last renewed; None without cuts."""
        if self._state != self.graph.cuts.state and not self._is_renewed:
            self._take_over()
        return self._cut_rows

    def _take_over(self) -> None:
        """Makes the rows those for the current cuts."""
        self._state = self.graph.cuts.state
        if self._prepared[0] != self._state:
            self.prepare()
        self._cut_rows = self._prepared[1]
        rows: Preorder = self._nothing if self._cut_rows is None else self._cut_rows.levels
        self._shown = PreorderTree(rows, self.row, self.sort_keys)

    @property
    def _cut_rows_shown(self) -> CutRows:
        """The rows for the cuts, of which there are some: without cuts the view has no row."""
        cut_rows = self.cut_rows
        assert cut_rows is not None
        return cut_rows

    def prepare(self) -> None:
        """Computes the rows for the current cuts, for the next access to the view. Runs in any thread."""
        cuts = self.graph.cuts
        cut_rows = CutRows(self.graph) if cuts else None
        if cut_rows is not None:
            # Computes also what the first rows need.
            for by in (*cut_rows.by, VERTEX):
                self.graph.labels(by, cut_rows.some_of(by))
            cut_rows.levels.end(0)
            cut_rows.levels.parent(cut_rows.levels.rows - 1)
        self._prepared = cuts.state, cut_rows

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes over the current cuts; returns a map from rows before the last call to rows now."""
        self._is_renewed = True
        if self._state == self.graph.cuts.state:
            return None
        before = self._cut_rows
        self._take_over()
        after = self._cut_rows

        def place(node: int) -> int | None:
            if before is None or after is None:
                return None
            return after.find(before.path(node)) if node else 0

        return place

    @property
    def tree(self) -> PreorderTree:
        """The tree of lists."""
        _ = self.cut_rows if self.is_ready else None
        return self._shown

    @property
    def rows(self) -> Preorder:
        """The lists, groups and vertices."""
        return self.tree.preorder

    @property
    def empty_because(self) -> str:
        """Nothing is cut, and how to cut."""
        return NOTHING if self.is_ready and self.cut_rows is None else ""

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _place(self, node: int) -> tuple[str, int]:
        """Returns the kind of a row (GROUP, MARK, a grouping or VERTEX) and its number."""
        cut_rows = self._cut_rows_shown
        level, number = cut_rows.levels.level(node), cut_rows.levels.number(node)
        if level == 0:
            return GROUP, number
        if level == 1:
            marks = len(cut_rows.marks)
            if number < marks:
                return MARK, number
            number -= marks
        by = (*cut_rows.by, VERTEX)[level - 1]
        return by, int(cut_rows.numbers[level - 1][number])

    def node(self, node: int) -> Node | None:
        """Returns the node of a row; of a cut the node that is cut."""
        by, number = self._place(node)
        if by == GROUP:
            return None
        return self._cut_rows_shown.marks[number].node if by == MARK else Node(by, number)

    def _entry(self, node: int) -> ListRow:
        by, number = self._place(node)
        if by == GROUP:
            return ListRow(GROUP, TITLES[number], key=(GROUP, number))
        if by == MARK:
            mark = self._cut_rows_shown.marks[number]
            if mark.node is None:
                return ListRow("pattern", mark.label, key=("pattern", mark.label))
            return self.graph.entry(mark.node)
        return self.graph.entry(Node(by, number))

    def _badges(self, node: int) -> dict[str, int]:
        cut_rows = self._cut_rows_shown
        by, number = self._place(node)
        if by in (MARK, VERTEX):
            return {}
        if by == GROUP:
            _, unreachable, left = cut_rows.counts
            return ({}, {"gone": unreachable}, {"left": left})[number]
        level = cut_rows.by.index(by)
        return {"gone": int(cut_rows.unreachable[level][number]), "left": int(cut_rows.left[level][number])}

    def entry_of(self, node: int) -> ListRow:
        """Returns the content of one row."""
        return replace(self._entry(node), badges=self._badges(node), flags=(), bars={})

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns the REF of a vertex or edge in the first view; none for lists and groups."""
        return entry.ref if entry.line is not None else None

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return [self._entry(node).label for node in range(start, stop)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        if order == "name":
            return [self._entry(node).label for node in nodes]
        return [self._badges(node).get(order, -1) for node in nodes]

    @property
    def asked(self) -> Any:
        """The cuts, for another process."""
        return self.graph.cuts.asked

    def ask_again(self, asked: Sequence[str]) -> None:
        """Makes the rows for the cuts of `asked`."""
        self.graph.cuts.ask(asked)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the row of a REF, unreachable rows before reachable ones. Raises `UnknownReference`."""
        for node in self.graph.found(ref):
            place = self._row_of(node)
            if place is not None:
                return [place]
        raise UnknownReference(f"{ref}: no cut changes anything there")

    def _row_of(self, node: Node) -> int | None:
        cut_rows = self.cut_rows
        if cut_rows is None or node.by not in (*cut_rows.by, VERTEX):
            return None
        level = (*cut_rows.by, VERTEX).index(node.by)
        places = (cut_rows.numbers[level] == node.number).nonzero()[0]
        if not len(places):
            return None
        return cut_rows.levels.node(level + 1, int(places[0]) + (len(cut_rows.marks) if not level else 0))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        found = self.graph.of_key(key) if self.is_ready and self.graph.cuts else None
        return None if found is None else self._row_of(found)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the effect of the cuts on it, and what else is known of it."""
        return with_note(self.graph, self._sections(node))

    def _sections(self, node: int) -> Sequence[Section]:
        cut_rows, (by, number) = self._cut_rows_shown, self._place(node)
        terms = self.graph.terms.vertices
        if by == GROUP:
            marks, unreachable, left = cut_rows.counts
            reached = int(self.graph.cuts.effect.before.sum())
            rows = [SectionRow("cuts", f"{marks:,}"), SectionRow("gone", f"{unreachable:,} of {reached:,} {terms}")]
            if left:
                rows.append(SectionRow("still there", f"{left:,} {terms} of groups that lost some"))
            return (Section(capitalized(TITLES[number]), tuple(rows)),)
        entry = self._entry(node)
        if by == MARK:
            return (
                Section("Cut", (SectionRow("", entry.label, entry.ref or None), SectionRow("", "X takes it back"))),
            )
        if by == VERTEX:
            is_unreachable = self.graph.cuts.effect.reached.distance[number] < 0
            text = "no longer reached" if is_unreachable else "still reached (W: the remaining path)"
            return (Section("Cut", (SectionRow("", text),)), *self.graph.sections(Node(by, number)))
        level = cut_rows.by.index(by)
        counts = (f"{int(each[level][number]):,} {terms}" for each in (cut_rows.unreachable, cut_rows.left))
        rows_of_group = tuple(map(SectionRow, ("gone", "left"), counts))
        return (Section(capitalized(entry.kind), rows_of_group),)
