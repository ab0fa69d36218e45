"""The view "Entered from": the edges into a set of vertices from outside, by source, with a shortest path to each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parsers.graph.cuts import vertices_of
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, GraphModel, Node, with_note
from parsers.graph.views.graph_view import QueryView
from parsers.model.late import numpy as np
from parsers.model.late.preparation import LazyValue, Preparation
from parsers.model.none import NONE
from parsers.model.row import Column, Section, capitalized
from parsers.model.view import References
from parsers.views.collection import ENTERED_FROM
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.graph.reachability import Reached
    from parsers.model.arrays import BoolArray, I64Array

MOST_SOURCES = 50
"""Maximum of listed sources."""
MOST_ENTRIES = 20
"""Maximum of listed entry points."""


class EnteringView(QueryView):
    """A `View` of the group, or of the matches of patterns, that was asked for last; empty before."""

    name = ENTERED_FROM
    orders: tuple[str, ...] = ("edges", "name")

    def __init__(self, graph: GraphModel) -> None:
        super().__init__(graph)
        edges = graph.terms.edges
        self.description = f"{capitalized(edges)} that enter a {', '.join(graph.terms.levels)} or group"
        counts = Column("edges", edges, badges=(("edges", ""),), width=len(edges) + 4, priority=2)
        self.columns: tuple[Column, ...] = (counts,)
        self._asked: str | Node = ""
        self._reached: LazyValue[Reached] | None = None
        self._reached_with = -1
        """The state of the cuts for which `_reached` was made."""
        self._roots = self._members = 0

    # -- queries ------------------------------------------------------------------------------------------------------

    def ask(self, asked: str | Node) -> References:
        """Shows a group, or all matches of patterns; returns the row from which all others unfold."""
        self._asked = asked
        if self._reached is None or self._reached_with != self.graph.cuts.state:
            self._reached = LazyValue(lambda: self.graph.cuts.effect.reached)
            self._reached_with = self.graph.cuts.state
        return References(f"where {self._label} is entered from", self.name, (0,), continues=True)

    @property
    def asked(self) -> Any:
        """The query, for another process."""
        return [self.graph.cuts.asked, self._asked]

    def ask_again(self, asked: Any) -> None:
        """Repeats a query of `asked`."""
        cuts, question = asked
        self.graph.cuts.ask(cuts)
        self.ask(question if isinstance(question, str) else Node(*question))

    def preparation(self) -> Preparation | None:
        """Returns the search for shortest paths, which comes before the rows."""
        is_needed = self.is_ready and self._reached is not None and not self.graph.cache.is_little
        return self._reached.preparation() if self._reached is not None and is_needed else None

    @property
    def _label(self) -> str:
        asked = self._asked
        return asked if isinstance(asked, str) else self.graph.entry(asked).label

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """True once the graph is complete and no search runs."""
        return self.graph.is_known and not (self._reached is not None and self._reached.is_running)

    @property
    def state(self) -> Hashable:
        """Identifies the query."""
        return self._asked, self.is_ready, self.graph.cuts.state

    def make(self) -> Sequence[ListRow]:
        """Builds the rows: totals, entry points in the set, and sources, most edges first."""
        self._nodes = []
        if not self.is_ready or not self._asked or self._reached is None:
            return []
        made = list(self._rows(vertices_of(self.graph, self._asked), self._reached.value))
        self._nodes = [node for node, _ in made]
        return [row for _, row in made]

    def _rows(self, members: BoolArray, reached: Reached) -> Iterator[tuple[Node | None, ListRow]]:
        from parsers.graph.entering_edges import entering_edges

        graph, terms, edges = self.graph, self.graph.terms, self.graph.cache.edges
        is_left = reached.distance >= 0
        places, sources = entering_edges(edges, members)
        _, removed = graph.cuts.closed_and_removed()
        is_there = is_left[sources] & is_left[edges.targets[places]]
        if removed is not None:
            is_there &= ~removed[places]
        places, sources = places[is_there], sources[is_there]
        roots = np.flatnonzero((members & is_left)[edges.roots])
        roots = np.setdiff1d(roots, graph.cuts.removed("roots"))
        roots = roots[np.unique(edges.roots[roots], return_index=True)[1]]
        asked = self._asked
        by = asked.by if isinstance(asked, Node) else terms.levels[0]
        top = ListRow("group", asked) if isinstance(asked, str) else graph.entry(asked)
        yield asked if isinstance(asked, Node) else None, replace(top, badges={"edges": len(places)})
        self._roots, self._members = len(roots), int((members & graph.cuts.effect.before).sum())
        yield None, ListRow("group", self._summary(len(roots), self._members, len(places)), 1)
        yield from self._entry_points(roots)
        yield from self._sources(by, places, sources, reached)

    def path_to_nearest(self) -> Sequence[int]:
        """Returns the rows of the shortest path to a member of the group; empty for patterns."""
        return () if isinstance(self._asked, str) else self.graph.remaining_path(self._asked)

    def entry_facts(self) -> dict[str, object]:
        """Returns the answer for another program: counts, and the listed sources with their edges."""
        sources = [row for row in self.entries if row.depth == 1 and "edges" in row.badges and row.kind != "group"]
        return {
            "members": self._members,
            "entry_points": self._roots,
            "edges": self.entries[0].badges["edges"],
            "sources": [{"label": row.label, "ref": row.ref, "edges": row.badges["edges"]} for row in sources],
        }

    def _summary(self, entries: int, members: int, edges: int) -> str:
        """Returns the first line: how many vertices of the set are entry points."""
        terms, of = self.graph.terms, self.graph.terms.counted(members)
        are = f"are {terms.roots}" if entries > 1 else f"is {terms.root}"
        if entries == members:
            return f"all {of} {are}" if members > 1 else f"the only {terms.label.lower()} {are}"
        subject = f"{entries:,} of {of} {are}; the others are" if entries else f"no {terms.roots} among {of};"
        if not edges:
            return f"{subject.partition(';')[0]}; no {terms.edges} from outside"
        return f"{subject} entered from:"

    def _entry_points(self, roots: I64Array) -> Iterator[tuple[Node | None, ListRow]]:
        shown = roots[:MOST_ENTRIES].tolist()
        yield from (self._row(Node(EDGE_FROM_OUTSIDE, place), 2) for place in shown)
        if len(roots) > len(shown):
            yield None, ListRow("group", f"{len(roots) - len(shown):,} more {self.graph.terms.roots}", 2)

    def _sources(
        self, by: str, places: I64Array, sources: I64Array, reached: Reached
    ) -> Iterator[tuple[Node | None, ListRow]]:
        """Yields the groups that edges come from, each with a shortest path through its edge nearest to a root."""
        groups = self.graph.groups(by)[sources]
        numbers, counts = np.unique(groups, return_counts=True)
        order = np.lexsort((numbers, -counts))
        order = order[numbers[order] != NONE]
        for each in order[:MOST_SOURCES].tolist():
            number, count = int(numbers[each]), int(counts[each])
            yield self._row(Node(by, number), 1, count)
            own = np.flatnonzero(groups == number)
            nearest = int(places[own[np.argmin(reached.distance[sources[own]])]])
            yield from self._path(nearest, reached)
        if len(order) > MOST_SOURCES:
            rest = int(counts[order[MOST_SOURCES:]].sum())
            label = f"{len(order) - MOST_SOURCES:,} more, with fewer {self.graph.terms.edges} each"
            yield None, ListRow("group", label, 1, {"edges": rest})

    def _path(self, edge: int, reached: Reached) -> Iterator[tuple[Node | None, ListRow]]:
        """Yields the shortest path from a root to an edge."""
        from parsers.graph.reachability import owner_of, path_to

        edges = self.graph.cache.edges
        steps = [*path_to(edges.starts, reached, owner_of(edges.starts, edge)), edge]
        first = owner_of(edges.starts, steps[0])
        yield self._row(Node(EDGE_FROM_OUTSIDE, (edges.roots == first).nonzero()[0].tolist()[0]), 2)
        rows = (row for step in steps for row in self.graph.rows_of_edge(int(edges.rows[step])))
        yield from (self._row(Node(EDGE, row), depth) for depth, row in enumerate(rows, 3))

    def _row(self, node: Node, depth: int, edges: int | None = None) -> tuple[Node, ListRow]:
        row = replace(self.graph.entry(node), depth=depth)
        return node, row if edges is None else replace(row, badges={"edges": edges})

    def sections(self, node: int) -> Sequence[Section]:
        """Returns what is known of the row's vertex or group."""
        this = self.node(node)
        if this is None:
            return super().sections(node)
        return with_note(self.graph, tuple(self.graph.sections(this)) or tuple(super().sections(node)))
