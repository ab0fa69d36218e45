"""The view "Dominators" of a graph: vertices reachable only through a vertex, or through a class, a package …

The parent of a row is its nearest dominator, so descendants become unreachable with it. By groups, each group is one
node of the graph. Its number is exact nevertheless: vertices that would be unreachable without the group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.graph.graph_model import VERTEX, GraphModel, Node, with_note
from parsers.graph.views.graph_view import GraphView
from parsers.model.late.preparation import LazyValue
from parsers.model.none import NONE
from parsers.model.report import ReportError
from parsers.model.row import Badge, Column, Section, SectionRow, SortKey, capitalized
from parsers.model.trees.column_preorder import ColumnPreorder, CurrentPreorder
from parsers.model.view import Switch, UnknownReference
from parsers.views.entry_view import EntryView
from parsers.views.lazy_view import LazyView
from parsers.views.list_view import ListRow
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.graph.dominators import DominatorRows

MERGE = "merge"
DOMINATORS_VIEW = "Dominators"
SHARE = Column("share", "%", "percent", badges=(("share", ""),), width=6, priority=4)


class DominatorsView(SwitchableView, LazyView, GraphView, EntryView):
    """A `View` of a dominator tree."""

    name = DOMINATORS_VIEW
    description = "Nodes with all that only they reach"
    known_when = "the index is finished"
    is_ranking = True
    """True if the first rows are the most important ones, for users who have not navigated yet."""
    commands = (("cut", "cut"), ("cuts", "effect"))
    """Further commands, for the key line."""
    orders: tuple[str, ...] = ("held", "own", "name")
    sorted_by = "held"

    def __init__(self, graph: GraphModel) -> None:
        self.graph = graph
        terms = graph.terms
        self._held = Column("held", f"{terms.vertices} held", badges=(("held", ""),), width=20, priority=6, bar=8)
        self._own = Column("own", terms.vertices, badges=(("own", ""),), width=9, priority=3)
        self.work = f"weighing all {terms.vertices}"
        self._prepared: dict[str, LazyValue[DominatorRows | ReportError]] = {}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice of grouping."""
        return (Switch(MERGE, "m", MERGE, tuple(self.graph.terms.groupings)),)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Number of nodes dominated and its share; for groups also the number of nodes that they contain."""
        return (self._held, SHARE, self._own) if self.by in self.graph.terms.levels else (self._held, SHARE)

    @cached_property
    def by(self) -> str:
        """The grouping of the rows."""
        return self.graph.terms.groupings[self.choice(MERGE)]

    # -- data ---------------------------------------------------------------------------------------------------------

    @property
    def found(self) -> LazyValue[DominatorRows | ReportError]:
        """The rows, or the reason why they can't be computed."""
        by = self.by
        if by not in self._prepared:
            self._prepared[by] = LazyValue(lambda: self._compute(by))
        return self._prepared[by]

    def _compute(self, by: str) -> DominatorRows | ReportError:
        try:
            # The tree of single vertices serves the side pane of groups.
            self.graph.cache.compute_dominators(*([by, VERTEX] if by in self.graph.terms.levels else [by]))
            dominator_rows = self.graph.cache.dominator_rows(by)
            _ = self.graph.cache.edges
            self.graph.labels(by, [0] if len(dominator_rows.number) and by != "root" else [])
        except ReportError as error:
            return error
        return dominator_rows

    @property
    def dominator_rows(self) -> DominatorRows:
        """The rows. Raises `ReportError` if they can't be computed."""
        found = self.found.value
        if isinstance(found, ReportError):
            raise found
        return found

    @property
    def is_ready(self) -> bool:
        """True if the view can be shown now."""
        return super().is_ready and not self._failure

    @property
    def is_quick(self) -> bool:
        """True for a small graph."""
        return self.graph.is_known and self.graph.cache.is_little

    @property
    def _failure(self) -> str:
        found = self.found.value if self.found.is_prepared else None
        return str(found) if isinstance(found, ReportError) else ""

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return self._failure or super().waits_for

    @cached_property
    def rows(self) -> CurrentPreorder:
        """The dominator tree, computed when a row is first needed."""
        return CurrentPreorder(lambda: self._columns)

    @cached_property
    def _columns(self) -> ColumnPreorder:
        rows = self.dominator_rows
        return ColumnPreorder(rows.depth.data, rows.end.data, rows.parent.data)

    @property
    def row_count(self) -> int | None:
        """Number of rows; by single vertices also before the computation."""
        if self.is_ready and not self.is_prepared:
            return self.graph.reached if self.by == VERTEX else None
        return len(self.dominator_rows.number) if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Number of rows at the top; None before the computation."""
        return len(self._tree.roots()) if self.is_ready and self.is_prepared else None

    # -- rows ---------------------------------------------------------------------------------------------------------

    def node(self, node: int) -> Node:
        """Returns the node of a row."""
        number = int(self.dominator_rows.number[node])
        count = self.graph.cache.edges.size
        if self.by == "root":
            return Node("root", number - count) if number >= count else Node(VERTEX, number)
        return Node(self.by, number)

    def entry_of(self, node: int) -> ListRow:
        """Returns the content of one row."""
        dominator_rows, retained = self.dominator_rows, int(self.dominator_rows.retained[node])
        share = retained / max(self.graph.reached, 1)
        badges: dict[str, Badge] = {
            "held": retained,
            "share": round(100 * share, 1),
            "own": int(dominator_rows.own[node]),
        }
        flags = ("partial",) if dominator_rows.at_least[node] else ()
        # Share of the first, largest row: shares of the total would be too small to see.
        bars = {"held": retained / max(int(dominator_rows.retained[0]), 1)}
        return replace(self.graph.entry(self.node(node)), badges=badges, flags=flags, bars=bars)

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns the REF of a vertex, edge or root in the first view; none for groups."""
        return super().link_of(node, entry) if entry.line is not None else None

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return self._texts(start, stop, self.graph.labels)

    def filtered_names(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows without class loaders."""
        return self._texts(start, stop, self.graph.names)

    def _texts(self, start: int, stop: int, texts: Callable[[str, Sequence[int]], list[str]]) -> list[str]:
        nodes = [self.node(node) for node in range(start, stop)]
        found: list[str] = [""] * len(nodes)
        for by in {node.by for node in nodes}:
            places = [place for place, node in enumerate(nodes) if node.by == by]
            for place, text in zip(places, texts(by, [nodes[each].number for each in places]), strict=True):
                found[place] = text
        return found

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        if order == "name":
            return [self.labels(node, node + 1)[0] for node in nodes]
        dominator_rows = self.dominator_rows
        keys: Any = (dominator_rows.own if order == "own" else dominator_rows.retained)[nodes]
        return keys  # type: ignore[no-any-return]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns all rows of a REF. Raises `UnknownReference`."""
        rows = [self._row_of(node) for node in self.graph.found(ref)]
        found = [row for row in rows if row is not None]
        if not found:
            raise UnknownReference(f"{ref}: is no row of {self.name} {self.choice(MERGE)}: nothing leads there")
        return found

    def _row_of(self, node: Node) -> int | None:
        """Returns the row of a vertex; by groups that of its group, by roots that of its root."""
        number = self.graph.group_of(node, self.by)
        if self.by == "root":
            if number is not None:
                number += self.graph.cache.edges.size
            elif node.by == VERTEX:
                number = node.number
        rows = self.dominator_rows.row
        row = NONE if number is None or number >= len(rows) else int(rows[number])
        return None if row == NONE else row

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        found = self.graph.of_key(key) if self.is_ready else None
        return None if found is None else self._row_of(found)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns what it dominates, its dominators, and what else is known of it."""
        dominator_rows, terms, this = self.dominator_rows, self.graph.terms, self.node(node)
        entry = self.graph.entry(this)
        least = "at least " if dominator_rows.at_least[node] else ""
        rows = [SectionRow("holds", f"{least}{terms.counted(int(dominator_rows.retained[node]))}, its own included")]
        if this.by not in (VERTEX, "root"):
            rows.append(SectionRow("own", terms.counted(int(dominator_rows.own[node]))))
        parent = int(dominator_rows.parent[node])
        if parent == NONE:
            rows.append(SectionRow("held by", "nothing alone"))
        else:
            above = self.graph.entry(self.node(parent))
            rows.append(SectionRow("held by", above.label, f"node:{parent}", self.name))
        more = [*self.graph.sections(this)]
        if this.by in self.graph.terms.levels:
            from parsers.graph.entering_edges import dominating_sections, entered_sections

            more += [*entered_sections(self.graph, this), *dominating_sections(self.graph, this)]
        return with_note(self.graph, (Section(capitalized(entry.kind), tuple(rows)), *more))
