"""The interface between a report's graph and its views: labels, groups, REFs and rows of vertices."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parsers.model.row import Section, SectionRow
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.graph.cuts import Cuts
    from parsers.graph.graph_cache import CachedGraph
    from parsers.model.arrays import BoolArray, I64Array, U8Array, U32Array
    from parsers.model.names.patterns import PatternSet
    from parsers.views.list_view import ListRow

VERTEX, EDGE_FROM_OUTSIDE, EDGE = "vertex", "root", "edge"
"""Special groupings: each vertex by itself; each row of an entry point; the row of an edge, or one that represents all
edges directly below it."""


class Node(NamedTuple):
    """A vertex, root, edge or group of a graph."""

    by: str
    """VERTEX, EDGE_FROM_OUTSIDE, or a grouping."""
    number: int
    """The vertex; of a root its place in `Edges.roots`; the group; of an edge its row."""


class GraphTerms(NamedTuple):
    """Names of the parts of a graph, for screens."""

    vertices: str
    """`methods`."""
    edges: str
    """`calls`."""
    groupings: Mapping[str, str]
    """Choices and the `by` of each: vertices first."""
    levels: tuple[str, ...]
    """Nested groupings, the outermost first."""
    label: str
    """`Method`: one vertex, for other programs."""
    types: tuple[str, ...]
    """Names of the types of edges, by number."""
    root: str = "an entry point"
    """One edge from outside."""

    @property
    def roots(self) -> str:
        """`entry points`."""
        return f"{self.root.partition(' ')[2]}s"

    def counted(self, number: int) -> str:
        """Returns a number with its noun: `1 method`, `2 methods`."""
        return f"{number:,} {self.label.lower() if number == 1 else self.vertices}"


class GraphModel(Protocol):
    """The graph of one report."""

    cache: CachedGraph
    terms: GraphTerms
    attributes: tuple[str, ...]
    """Names of the values after the name in `describe_vertices`."""
    cuts: Cuts

    @property
    def is_known(self) -> bool:
        """True if the whole report is read."""
        ...

    @property
    def note(self) -> str:
        """A remark on all results; mostly empty."""
        ...

    @property
    def first_view(self) -> View:
        """The report's first view."""
        ...

    @property
    def reached(self) -> int:
        """Number of reachable vertices."""
        ...

    def groups(self, by: str) -> U32Array:
        """Returns the groups: uint32 by vertex, NONE without one."""
        ...

    def entry(self, node: Node) -> ListRow:
        """Returns the content of its row: kind, label, REF, location, links, key."""
        ...

    def labels(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels of many nodes of one kind; fast."""
        ...

    def names(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels of many nodes of one kind as patterns match them: without class loaders."""
        ...

    def found(self, ref: str) -> list[Node]:
        """Returns the nodes that a REF names, best first. Raises `UnknownReference`."""
        ...

    def of_key(self, key: Hashable) -> Node | None:
        """Returns the node for the key of a row of another view."""
        ...

    def group_of(self, node: Node, by: str) -> int | None:
        """Returns the number of its group in another grouping; None if it has none."""
        ...

    def edge_rows(self, row: int) -> Sequence[int]:
        """Returns the rows of all edges that a row represents."""
        ...

    def remaining_path(self, node: Node) -> list[int]:
        """Returns the rows of the shortest path that the cuts leave to a vertex or group; empty without one."""
        ...

    def rows_of_edge(self, row: int) -> list[int]:
        """Returns the row of an edge, with the rows above it that show no vertex."""
        ...

    def matching(self, patterns: PatternSet) -> BoolArray:
        """Returns the vertices that match by their name or that of a group: bool by vertex."""
        ...

    def members(self, node: Node) -> Sequence[int]:
        """Returns the vertices of a group, or the vertex itself."""
        ...

    def from_outside(self) -> BoolArray:
        """Returns the entry points: bool by vertex."""
        ...

    def id_of(self, vertex: int) -> int | None:
        """Returns the id of a vertex in the report."""
        ...

    @property
    def ids(self) -> I64Array:
        """All ids: int64 by vertex, -1 without one."""
        ...

    def describe_vertices(self, numbers: Sequence[int]) -> Iterator[tuple[str, ...]]:
        """Yields the names and `attributes` of vertices."""
        ...

    def edge_types(self, rows: U32Array) -> U8Array:
        """Returns the types of the edges in these rows, as indices of `GraphTerms.types`: uint8."""
        ...

    def cut_of(self, view: View, node: int) -> Node | None:
        """Returns the node that cutting a row of any view removes: an edge, a root, a vertex, a group."""
        ...

    def cut_of_ref(self, ref: str) -> Node:
        """Returns the same for a REF. Raises `UnknownReference`."""
        ...

    def trace_of(self, node: Node) -> Any:
        """Returns a value that finds the node when the report is opened again; None if impossible."""
        ...

    def found_by(self, trace: Any) -> Node | None:
        """Returns the node for a value of `trace_of`."""
        ...

    def matching_edges(self, patterns: PatternSet) -> tuple[U32Array, U32Array]:
        """Returns the places of roots and of edges whose own names match: uint32."""
        ...

    def remark(self, node: Node) -> str:
        """Returns the remark after the label of a vertex."""
        ...

    def row_of(self, node: Node) -> int | None:
        """Returns the row of the report's first view that shows the node."""
        ...

    def sections(self, node: Node) -> Sequence[Section]:
        """Returns the side pane sections that every view shows for it."""
        ...


def with_note(graph: GraphModel, sections: Sequence[Section]) -> Sequence[Section]:
    """Appends a section with the remark on all results."""
    return (*sections, Section("Of this report", (SectionRow("", graph.note),))) if graph.note else sections
