"""Hypothetical cuts: vertices and edges that are removed, and vertices that then become unreachable."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, Node
from parsers.model.late import numpy as np
from parsers.model.names.patterns import PatternSet, advice, split
from parsers.model.none import NONE
from parsers.model.report import ReportError
from parsers.model.row import counted

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges
    from parsers.graph.graph_model import GraphModel
    from parsers.graph.reachability import Reached
    from parsers.model.arrays import BoolArray, U32Array

ARROW = " -> "
"""Separates two patterns: all edges from matches of the first to matches of the second."""

REFERENCES = ("line", "id", "class", "package", "method", "type", "name")
"""First words of REFs that are accepted instead of patterns."""


class Cut(NamedTuple):
    """One cut."""

    key: Hashable
    node: Node | None
    """The node that is cut; None for a pattern."""
    label: str
    vertices: U32Array | tuple[()] = ()
    """uint32: vertices that may not be entered."""
    edges: U32Array | tuple[()] = ()
    """uint32: places of removed edges."""
    roots: U32Array | tuple[()] = ()
    """uint32: places of removed roots."""
    trace: Any = None
    """Finds `node` in another opening of the report."""

    @property
    def is_empty(self) -> bool:
        """True if the cut removes nothing."""
        return not (len(self.vertices) or len(self.edges) or len(self.roots))


class SavedCut(NamedTuple):
    """One cut in a form that another opening of the report can restore."""

    label: str
    """Label; for a pattern the pattern."""
    is_pattern: bool
    trace: Any
    """Finds the node that is cut."""


class CutEffect(NamedTuple):
    """The effect of all cuts together."""

    reached: Reached
    """Vertices still reached, with distances and edges."""
    unreachable: U32Array
    """uint32: vertices that become unreachable."""
    before: BoolArray
    """bool by vertex: reachable without any cut."""


class Cuts:
    """The cuts of one report."""

    def __init__(self, graph: GraphModel) -> None:
        self._graph = graph
        self._marks: dict[Hashable, Cut] = {}
        self._undone: list[dict[Hashable, Cut]] = []
        self._effect: tuple[int, CutEffect] | None = None
        self._before: BoolArray | None = None
        self.state = 0
        """Version number: changes with every change of the cuts."""

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def marks(self) -> Sequence[Cut]:
        """All cuts, in the order in which they were made."""
        return list(self._marks.values())

    def is_cut(self, node: Node | None) -> bool:
        """True if the node itself is cut."""
        return node is not None and node in self._marks

    def toggle(self, node: Node) -> bool:
        """Adds a cut or removes it; returns True if the node is cut now."""
        if node in self._marks:
            self._change({key: cut for key, cut in self._marks.items() if key != node})
            return False
        self._change({**self._marks, node: self._cut(node)})
        return True

    def cut(self, text: str) -> list[str]:
        """Cuts the matches of comma-separated patterns; returns the patterns without matches.

        A pattern matches names of vertices and of their groups. `A -> B` cuts all edges from matches of A to matches
        of B. `line:12`, `class:a.B` and other REFs cut what they name. Raises `UnknownReference` for unknown REFs.
        """
        found, missed = dict(self._marks), []
        for pattern in split(text):
            cut = self._matching(pattern.strip())
            if cut.is_empty:
                missed.append(pattern.strip())
            else:
                found[cut.key] = cut
        self._change(found)
        return missed

    @property
    def saved(self) -> list[SavedCut]:
        """Returns all cuts for another opening of the report; valid after this one is closed."""
        return [SavedCut(cut.label, cut.node is None, cut.trace) for cut in self._marks.values()]

    def restore(self, saved: Sequence[SavedCut]) -> list[str]:
        """Restores cuts from another opening; returns the labels of cuts whose nodes no longer exist."""
        found, missed = dict(self._marks), []
        for label, is_pattern, trace in saved:
            node = None if trace is None else self._graph.found_by(trace)
            cut = self._matching(label) if is_pattern else None if node is None else self._cut(node)
            if cut is None or cut.is_empty:
                missed.append(label)
            else:
                found[cut.key] = cut
        self._change(found)
        self._undone.clear()
        # Remembered also when nothing was found, so that the search isn't repeated.
        self.state = self.state or 1
        return missed

    @property
    def asked(self) -> list[str | list[str | int]]:
        """Returns all cuts as patterns or nodes, for another process that has opened the same report."""
        return [cut.label if cut.node is None else list(cut.node) for cut in self._marks.values()]

    def ask(self, asked: Sequence[str | Sequence[Any]]) -> None:
        """Replaces all cuts by these."""
        cuts = (self._matching(each) if isinstance(each, str) else self._cut(Node(*each)) for each in asked)
        self._change({cut.key: cut for cut in cuts})

    def clear(self) -> None:
        """Removes all cuts."""
        self._change({})

    def undo(self) -> bool:
        """Reverts the last change. False: there was none."""
        if not self._undone:
            return False
        self._marks = self._undone.pop()
        self.state += 1
        return True

    @property
    def can_undo(self) -> bool:
        """True if there is a change to revert."""
        return bool(self._undone)

    def summary(self) -> str:
        """Returns the effect of the cuts in one line."""
        if not self._marks:
            return "nothing is cut any more"
        effect, terms = self.effect, self._graph.terms
        return (
            f"{counted(len(self._marks), 'cut')}: {len(effect.unreachable):,} of {int(effect.before.sum()):,} "
            f"{terms.vertices} would no longer be reached  (D shows them)"
        )

    def _change(self, marks: dict[Hashable, Cut]) -> None:
        if list(marks) != list(self._marks):
            self._undone.append(self._marks)
            self._marks = marks
            self.state += 1

    # -- meaning of a cut ---------------------------------------------------------------------------------------------

    def _cut(self, node: Node) -> Cut:
        graph = self._graph
        cut = Cut(node, node, graph.entry(node).label, trace=graph.trace_of(node))
        if node.by == EDGE:
            rows = np.array(graph.edge_rows(node.number), np.uint32)
            return cut._replace(edges=np.flatnonzero(np.isin(graph.cache.edges.rows, rows)).astype(np.uint32))
        if node.by == EDGE_FROM_OUTSIDE:
            return cut._replace(roots=np.array([node.number], np.uint32))
        if node.by == VERTEX:
            return cut._replace(vertices=np.array([node.number], np.uint32))
        members = np.flatnonzero(graph.groups(node.by) == node.number).astype(np.uint32)
        return cut._replace(vertices=members)

    def _matching(self, pattern: str) -> Cut:
        graph = self._graph
        if pattern.partition(":")[0] in REFERENCES:
            return self._cut(graph.cut_of_ref(pattern))
        source, arrow, target = pattern.partition(ARROW)
        if not arrow:
            matching = np.flatnonzero(find_vertices(graph, pattern)).astype(np.uint32)
            # Names of roots and edges are searched only if no vertex matches.
            roots, edges = ((), ()) if len(matching) else graph.matching_edges(PatternSet((pattern,)))
            return Cut(pattern, None, pattern, matching, edges, roots)
        edges_of_graph = graph.cache.edges
        begin, end = (find_vertices(graph, each.strip()) for each in (source, target))
        is_cut = begin[edges_of_graph.sources] & end[edges_of_graph.targets]
        return Cut(pattern, None, pattern, edges=np.flatnonzero(is_cut).astype(np.uint32))

    # -- effect of the cuts -------------------------------------------------------------------------------------------

    @property
    def effect(self) -> CutEffect:
        """The effect of the cuts; computed on first use."""
        if self._effect is None or self._effect[0] != self.state:
            self._effect = self.state, self.compute_effect()
        return self._effect[1]

    def compute_effect(self) -> CutEffect:
        """Computes the effect of the cuts now."""
        from parsers.graph.shortest_paths import reach_without

        cache = self._graph.cache
        if self._before is None:
            self._before = cache.shortest.distance != NONE
        reached, unreachable = reach_without(
            cache.edges, cache.shortest, *map(self.removed, ("vertices", "edges", "roots"))
        )
        return CutEffect(reached, unreachable, self._before)

    def removed(self, what: str) -> U32Array:
        """Returns the vertices, edges or roots that the cuts remove: uint32, may repeat."""
        found = [np.empty(0, np.uint32), *(getattr(cut, what) for cut in self._marks.values())]
        return np.concatenate(found).astype(np.uint32)

    def closed_and_removed(self) -> tuple[BoolArray | None, BoolArray | None]:
        """Returns bool by vertex: may not be entered; bool by edge: removed. None instead of an empty mask."""
        edges: Edges = self._graph.cache.edges
        closed = removed = None
        for cut in self._marks.values():
            if len(cut.vertices):
                closed = np.zeros(edges.size, bool) if closed is None else closed
                closed[cut.vertices] = True
            if len(cut.edges):
                removed = np.zeros(len(edges.targets), bool) if removed is None else removed
                removed[cut.edges] = True
        return closed, removed


def find_vertices(graph: GraphModel, text: str) -> BoolArray:
    """Returns the vertices that comma-separated patterns match, or that REFs name, alone or by group: bool by vertex.

    Raises `UnknownReference`.
    """
    found = np.zeros(graph.cache.edges.size, bool)
    patterns = [each.strip() for each in split(text)]
    for each in patterns:
        if each.partition(":")[0] in REFERENCES:
            for node in graph.found(each):
                found[graph.members(node)] = True
    names = tuple(each for each in patterns if each.partition(":")[0] not in REFERENCES)
    return found | graph.matching(PatternSet(names)) if names else found


def vertices_of(graph: GraphModel, asked: str | Node | Sequence[Sequence[Any]]) -> BoolArray:
    """Returns the matches of patterns or REFs, the vertices of a node, or those of several nodes: bool by vertex.

    Raises `ReportError` if patterns match nothing.
    """
    if isinstance(asked, str):
        mask = find_vertices(graph, asked)
        if not mask.any():
            raise ReportError(f"no match for {asked}{advice(asked)}")
        return mask
    mask = np.zeros(graph.cache.edges.size, bool)
    nodes: Sequence[Sequence[Any]] = [asked] if isinstance(asked, Node) else asked
    for node in nodes:
        mask[graph.members(Node(*node))] = True
    return mask
