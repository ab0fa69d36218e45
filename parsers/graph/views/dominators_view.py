"""The view "Dominators" of a graph: vertices reachable only through a vertex, or through a class, a package …

The parent of a row is its nearest dominator, so descendants become unreachable with it. By groups, each group is one
node of the graph. Its number is exact nevertheless: vertices that would be unreachable without the group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.graph.graph_algorithms import NONE
from parsers.graph.graph_model import THING, GraphModel, Node, noted
from parsers.model.patterns import Subject
from parsers.model.preorder import FlatPreorder, PreorderTree
from parsers.model.preparation import Preparation, Prepared
from parsers.model.report import (
    Badge,
    Column,
    Link,
    References,
    ReportError,
    Row,
    Section,
    SectionRow,
    Shape,
    Switch,
    UnknownReference,
)
from parsers.views.base import ViewBase
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.graph.dominators import Weights
    from parsers.query.selection.label_filters import LabelFilters

MERGE = "merge"
DOMINATORS_VIEW = "Dominators"
SHARE = Column("share", "%", "percent", badges=(("share", ""),), width=6, priority=4)


class HeldRows:
    """A `Preorder` over `Weights`."""

    is_complete = True

    def __init__(self, weights: Callable[[], Weights]) -> None:
        """weights: returns the dominator tree; called when a row is first needed"""
        self._weights = weights

    @cached_property
    def _depths(self) -> memoryview:
        return memoryview(self._weights().depth)

    @cached_property
    def _ends(self) -> memoryview:
        return memoryview(self._weights().end)

    @cached_property
    def _parents(self) -> memoryview:
        return memoryview(self._weights().parent)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._depths)

    def depth(self, node: int) -> int:
        """Returns the number of dominators of a row."""
        return int(self._depths[node])

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range of rows."""
        return self._depths[start:stop]

    def end(self, node: int) -> int:
        """Returns the first row after the descendants."""
        return int(self._ends[node])

    def parent(self, node: int) -> int | None:
        """Returns the nearest dominator."""
        parent = self._parents[node]
        return None if parent == NONE else int(parent)


class DominatorsView(SwitchableView, ViewBase):
    """A `View` of a dominator tree."""

    name = DOMINATORS_VIEW
    shape: Shape = "tree"
    has_headings = True
    starts_closed = True
    is_ranking = True
    """True if the first rows are the most important ones, for users who have not navigated yet."""
    commands = (("cut", "cut"), ("cuts", "what goes"))
    """Further commands, for the key line."""
    orders: tuple[str, ...] = ("held", "own", "name")

    def __init__(self, things: GraphModel) -> None:
        super().__init__()
        self.things = things
        words = things.words
        self.columns: tuple[Column, ...] = (
            Column("held", f"{words.things} held", badges=(("held", ""),), width=20, priority=6, bar=8),
            SHARE,
            Column("own", words.things, badges=(("own", ""),), width=9, priority=3),
        )
        self._prepared: dict[str, Prepared[Weights | ReportError]] = {}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice of grouping."""
        return (Switch(MERGE, "m", MERGE, tuple(self.things.words.groupings)),)

    @property
    def by(self) -> str:
        """The grouping of the rows."""
        return self.things.words.groupings[self.choice(MERGE)]

    # -- data ---------------------------------------------------------------------------------------------------------

    @property
    def _wanted(self) -> Prepared[Weights | ReportError]:
        by = self.by
        if by not in self._prepared:
            self._prepared[by] = Prepared(lambda: self._weigh(by))
        return self._prepared[by]

    def _weigh(self, by: str) -> Weights | ReportError:
        try:
            # The tree of single vertices serves the side pane of groups.
            self.things.kept.weigh(*([by, THING] if by in self.things.words.levels else [by]))
            weights = self.things.kept.weights(by)
            _ = self.things.kept.edges
            self.things.labels(by, [0] if len(weights.number) and by != "root" else [])
        except ReportError as error:
            return error
        return weights

    @property
    def weights(self) -> Weights:
        """The rows. Raises `ReportError` if they can't be computed."""
        found = self._wanted.value
        if isinstance(found, ReportError):
            raise found
        return found

    @property
    def note(self) -> str:
        """A remark on all rows."""
        return self.things.note

    @property
    def is_ready(self) -> bool:
        """True if the view can be shown now."""
        return self.things.is_known and not self._wanted.is_under_way and not self._failure

    @property
    def is_made(self) -> bool:
        """True if rows are available without much work."""
        return self.things.is_known and (self._wanted.is_made or self.things.kept.is_little)

    @property
    def _failure(self) -> str:
        found = self._wanted.value if self._wanted.is_made else None
        return str(found) if isinstance(found, ReportError) else ""

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return self._failure or (f"weighing all {self.things.words.things}" if self._wanted.is_under_way else "")

    def preparation(self) -> Preparation | None:
        """Returns the computation that has to run before there are rows."""
        return self._wanted.preparation() if self.is_ready and not self.is_made else None

    @property
    def tree(self) -> PreorderTree:
        """The dominator tree; empty before the view is ready."""
        return self._tree if self.is_ready else PreorderTree(FlatPreorder(lambda: 0, lambda: False), self.row)

    @cached_property
    def _tree(self) -> PreorderTree:
        return PreorderTree(HeldRows(lambda: self.weights), self.row, self.sort_keys)

    @property
    def row_count(self) -> int | None:
        """Number of rows; by single vertices also before the computation."""
        if self.is_ready and not self.is_made:
            return self.things.reached if self.by == THING else None
        return len(self.weights.number) if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Number of rows at the top; None before the computation."""
        return len(self._tree.roots()) if self.is_ready and self.is_made else None

    # -- rows ---------------------------------------------------------------------------------------------------------

    def node(self, node: int) -> Node:
        """Returns the node of a row."""
        number = int(self.weights.number[node])
        count = self.things.kept.edges.size
        if self.by == "root":
            return Node("root", number - count) if number >= count else Node(THING, number)
        return Node(self.by, number)

    def row(self, node: int) -> Row:
        """Returns one row."""
        weights, entry = self.weights, self.things.entry(self.node(node))
        held, below = int(weights.held[node]), int(weights.end[node]) - node - 1
        share = held / max(self.things.reached, 1)
        badges: dict[str, Badge] = {"held": held, "share": round(100 * share, 1), "own": int(weights.own[node])}
        return Row(
            node=node,
            kind=entry.kind,
            label=entry.label,
            depth=int(weights.depth[node]),
            badges=badges,
            flags=("partial",) if weights.at_least[node] else (),
            ref=entry.ref or f"node:{node}",
            line=entry.line,
            offset=entry.offset,
            rows_below=below,
            has_children=below > 0,
            link=entry.links[0].ref if entry.links and entry.line is not None else None,
            spans=entry.spans,
            look=entry.look,
            # Share of the first, largest row: shares of the total would be too small to see.
            bars={"held": held / max(int(weights.held[0]), 1)},
        )

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        nodes = [self.node(node) for node in range(start, stop)]
        found: list[str] = [""] * len(nodes)
        for by in {node.by for node in nodes}:
            places = [place for place, node in enumerate(nodes) if node.by == by]
            for place, label in zip(
                places, self.things.labels(by, [nodes[each].number for each in places]), strict=True
            ):
                found[place] = label
        return found

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Returns sort keys for an order."""
        if order == "name":
            return [self.labels(node, node + 1)[0] for node in nodes]
        weights = self.weights
        return (weights.own if order == "own" else weights.held)[nodes]  # type: ignore[no-any-return]

    def row_filters(self) -> LabelFilters:
        """Filters over the labels of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """Returns the row of a REF. Raises `UnknownReference`."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all rows of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when the index is finished")
        kind, _, value = ref.partition(":")
        if kind == "node" and value.isascii() and value.isdigit() and len(value) <= 18:
            if int(value) < len(self.weights.number):
                return [int(value)]
            raise UnknownReference(f"{ref}: there are {len(self.weights.number):,} nodes, counted from 0")
        rows = [self._row_of(node) for node in self.things.found(ref)]
        found = [row for row in rows if row is not None]
        if not found:
            raise UnknownReference(f"{ref}: is no row of {self.name} {self.choice(MERGE)}: nothing leads there")
        return found

    def _row_of(self, node: Node) -> int | None:
        """Returns the row of a vertex; by groups that of its group, by roots that of its root."""
        number = self.things.above(node, self.by)
        if self.by == "root":
            if number is not None:
                number += self.things.kept.edges.size
            elif node.by == THING:
                number = node.number
        rows = self.weights.row
        row = NONE if number is None or number >= len(rows) else int(rows[number])
        return None if row == NONE else row

    def key(self, node: int) -> Hashable | None:
        """Returns the key that identifies the row's subject in another view."""
        return self.things.entry(self.node(node)).key

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        found = self.things.of_key(key) if self.is_ready else None
        return None if found is None else self._row_of(found)

    def row_of(self, node: int) -> int | None:
        """Returns the row of the first view for a node."""
        return self.things.row_of(self.node(node))

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns what it dominates, its dominators, and what else is known of it."""
        weights, words, this = self.weights, self.things.words, self.node(node)
        entry = self.things.entry(this)
        least = "at least " if weights.at_least[node] else ""
        rows = [SectionRow("holds", f"{least}{words.counted(int(weights.held[node]))}, its own included")]
        if this.by not in (THING, "root"):
            rows.append(SectionRow("own", words.counted(int(weights.own[node]))))
        parent = int(weights.parent[node])
        if parent == NONE:
            rows.append(SectionRow("held by", "nothing alone"))
        else:
            above = self.things.entry(self.node(parent))
            rows.append(SectionRow("held by", above.label, f"node:{parent}", self.name))
        more = [*self.things.sections(this)]
        if this.by in self.things.words.levels:
            from parsers.graph.entering_edges import let_in_sections

            more += let_in_sections(self.things, this)
        return noted(self.things, (Section(entry.kind.capitalize(), tuple(rows)), *more))

    def remark(self, row: Row) -> str:
        """Returns the remark after the label."""
        return self.things.remark(self.node(row.node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns patterns that match the row, as in the first view."""
        row, first = self.row_of(node), self.things.first_view
        found: Mapping[Subject, str] = {} if row is None else first.patterns(row)  # type: ignore[attr-defined]
        return found

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the first view, and paths to the row."""
        return self.things.entry(self.node(node)).links

    def references(self, node: int) -> References:
        """Returns all references to the row's vertex; for a group those from outside."""
        row, this = self.row_of(node), self.node(node)
        if this.by in self.things.words.levels:
            from parsers.graph.entering_edges import references_in

            return references_in(self.things, this)
        first = self.things.first_view
        return References("references", first.name, ()) if row is None else first.references(row)

    def path(self, node: int) -> Sequence[int]:
        """Returns its dominators, from the top."""
        return self._tree.path(node)
