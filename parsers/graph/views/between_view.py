"""The view "Between": all paths between two sets of vertices, merged, as one small tree.

Each vertex is expanded once, at the place with the fewest steps; elsewhere it is a reference to that place.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.graph.cuts import ARROW, vertices_of
from parsers.graph.graph_model import EDGE, VERTEX, GraphModel, Node, with_note
from parsers.graph.views.graph_view import QueryView
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.graph.between import PathEdge, PathsBetween
    from parsers.model.arrays import BoolArray

BETWEEN_VIEW = "Between"
NOTHING = """\
no paths selected.
B in any view shows all paths to its row (from tagged rows, if there are any).
:between A -> B shows all paths from A to B."""
ID = Column("id", "id", "count", (("id", "#"), ("id_ref", "↩")), width=8, priority=2, heading="#id ↩ref")
TO_GO = Column("to_go", "to go", badges=(("to_go", ""),), width=10, priority=4)


class PathQuery(NamedTuple):
    """A query; made of texts, numbers and lists, so that it can be sent to another process."""

    begin: str | Sequence[Sequence[Any]]
    """Patterns or REFs, or nodes; empty: the roots."""
    end: str | Sequence[Sequence[Any]]
    title: str
    most: int | None
    """Maximum of steps; None: the default."""


class BetweenView(QueryView):
    """A `View` of the result of the last query."""

    name = BETWEEN_VIEW
    description = "All paths between two nodes"
    commands = (("tag", "tag"), ("between", "paths from tagged rows to here"))
    """Further commands, for the key line."""
    orders: tuple[str, ...] = ("to_go", "edges", "name")

    def __init__(self, graph: GraphModel) -> None:
        super().__init__(graph)
        edges = graph.terms.edges
        counts = Column("edges", edges, badges=(("edges", ""),), width=len(edges) + 2, priority=3)
        self.columns: tuple[Column, ...] = (counts, replace(TO_GO, heading=f"{edges} left", width=len(edges) + 5), ID)
        self._asked = 0
        self._title = ""
        self.paths: PathsBetween | None = None
        """The last result; None without a query."""
        self._question: PathQuery | None = None
        self._cuts: list[str | list[str | int]] = []

    # -- queries ------------------------------------------------------------------------------------------------------

    def ask(self, begin: str, end: str, most: int | None = None) -> PathsBetween:
        """Finds all paths between matches of patterns or REFs; empty: from the roots. Raises `ReportError`.

        most: maximum of steps, by default a thousand
        """
        return self._find(PathQuery(begin, end, f"{begin or 'outside'}{ARROW}{end}", most))

    def of_nodes(self, begin: Sequence[Node], end: Node) -> PathsBetween:
        """Finds all paths from these nodes, or from the roots, to another node."""
        names = self.graph.entry(begin[0]).label if begin else "outside"
        more = f" and {len(begin) - 1:,} more" if len(begin) > 1 else ""
        return self._find(PathQuery(list(begin), [end], f"{names}{more}{ARROW}{self.graph.entry(end).label}", None))

    @property
    def asked(self) -> Any:
        """The query and the cuts of its time, for another process."""
        return [self._cuts, self._question]

    def ask_again(self, asked: Any) -> None:
        """Repeats a query of `asked`."""
        cuts, question = asked
        self.graph.cuts.ask(cuts)
        if question is not None:
            self._find(PathQuery(*question))

    def _find(self, question: PathQuery) -> PathsBetween:
        """Finds the paths that the cuts leave."""
        from parsers.graph.between import MOST, find_paths_between

        cache, cuts = self.graph.cache, self.graph.cuts
        begin, end = self._mask(question.begin), self._mask(question.end)
        most = MOST if question.most is None else question.most
        paths = find_paths_between(cache.edges, cache.shortest, begin & ~end, end, *cuts.closed_and_removed(), most)
        self.paths, self._title, self._question, self._cuts = paths, question.title, question, cuts.asked
        self._asked += 1
        return paths

    def _mask(self, asked: str | Sequence[Sequence[Any]]) -> BoolArray:
        """Returns the matches of patterns or REFs, or the vertices of nodes: bool by vertex. Empty: entry points."""
        return vertices_of(self.graph, asked) if asked else self.graph.from_outside()

    def summary(self) -> str:
        """Returns the last result in one line."""
        paths, terms = self.paths, self.graph.terms
        if paths is None:
            return NOTHING
        if not paths.steps:
            return f"{self._title}: no path"
        shortest = min(step.length for step in paths.steps)
        steps = terms.edges.removesuffix("s") if shortest == 1 else terms.edges
        text = (
            f"{self._title}: {terms.counted(len(paths.distance_to_end))}, the shortest path takes {shortest:,} {steps}"
        )
        if paths.left_out:
            bound = (
                f"all paths up to {paths.complete_to:,} are shown"
                if paths.complete_to >= shortest
                else "some are shown"
            )
            text += f"; {bound}, {paths.left_out:,} {terms.edges} on others are not"
        return text

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Hashable:
        """Identifies the query."""
        return self._asked, self.is_ready

    @property
    def empty_because(self) -> str:
        """No query yet, or no path."""
        return self.summary()

    def make(self) -> Sequence[ListRow]:
        """Builds the tree, from the vertices where paths begin."""
        paths = self.paths
        self._nodes = []
        return [] if paths is None or not self.is_ready else self._tree_of(paths)

    def _tree_of(self, paths: PathsBetween) -> list[ListRow]:
        steps_of: dict[int, list[PathEdge]] = {}
        for edge in sorted(paths.steps, key=lambda edge: (paths.distance_to_end[edge.target], edge.row)):
            steps_of.setdefault(edge.source, []).append(edge)
        opened_by = self._opened_by(paths, steps_of)
        entries: list[ListRow] = []
        stack: list[tuple[PathEdge | None, int, int]] = [(None, vertex, 0) for vertex in reversed(paths.begin)]
        while stack:
            step, vertex, depth = stack.pop()
            is_here = step is None or opened_by[vertex] is step
            node = Node(VERTEX, vertex) if step is None else Node(EDGE, step.row)
            if is_here:
                stack += [(below, below.target, depth + 1) for below in reversed(steps_of.get(vertex, ()))]
            entries.append(self._entry(node, vertex, depth, step, is_here, paths))
            self._nodes.append(node)
        return entries

    @staticmethod
    def _opened_by(paths: PathsBetween, steps_of: dict[int, list[PathEdge]]) -> dict[int, PathEdge | None]:
        """Returns by vertex the step below which it is expanded, breadth first."""
        opened: dict[int, PathEdge | None] = dict.fromkeys(paths.begin)
        level = list(paths.begin)
        while level:
            following = []
            for vertex in level:
                for step in steps_of.get(vertex, ()):
                    if step.target not in opened:
                        opened[step.target] = step
                        following.append(step.target)
            level = following
        return opened

    def _entry(
        self, node: Node, vertex: int, depth: int, step: PathEdge | None, is_here: bool, paths: PathsBetween
    ) -> ListRow:
        entry = self.graph.entry(node)
        badges: dict[str, Badge] = {"to_go": paths.distance_to_end[vertex]}
        if step is not None:
            badges["edges"] = step.edges
        id = self.graph.id_of(vertex)
        if id is not None:
            badges["id" if is_here else "id_ref"] = id
        return replace(entry, depth=depth, badges=badges)

    def row(self, node: int) -> Row:
        """Returns one row; Enter on a reference leads to the expanded place."""
        row = super().row(node)
        return row if "id_ref" not in row.badges else replace(row, link=f"node:{self._opened_at(node)}")

    def _opened_at(self, node: int) -> int:
        id = self._entries[node].badges["id_ref"]
        return next(place for place, entry in enumerate(self._entries) if entry.badges.get("id") == id)

    @property
    def nearest(self) -> int | None:
        """The row at the end of the shortest path; None if there is none."""
        distance_to_end = [entry.badges.get("to_go") for entry in self.entries or ()]
        begin = [
            place
            for place, entry in enumerate(self.entries or ())
            if entry.depth == 0 and distance_to_end[place] is not None
        ]
        return (
            distance_to_end.index(0, min(begin, key=lambda place: (distance_to_end[place], place))) if begin else None
        )

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the first view, and to the expanded place of a reference."""
        found = self.entries[node].links
        if "id_ref" in self.entries[node].badges:
            return (Link("where it is opened", f"node:{self._opened_at(node)}", self.name), *found)
        return found

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the query, and what else is known of the row."""
        this = self.node(node)
        assert this is not None
        asked = Section("Paths", (SectionRow("", self.summary()),))
        return with_note(self.graph, (asked, *self.graph.sections(this)))
