"""What the views of a graph ask of a report: what its things and their groups are called, and where they stand."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parsers.model.report import Section, SectionRow, View

if TYPE_CHECKING:
    from parsers.graph.cuts import Cuts
    from parsers.graph.graph_cache import CachedGraph
    from parsers.model.patterns import PatternSet
    from parsers.views.list_view import Entry

THING, EDGE_FROM_OUTSIDE, EDGE = "thing", "root", "edge"
"""In place of a grouping: each thing by itself; each row that is reached from outside; the row of an edge, or one that
stands for all edges directly below it."""


class Node(NamedTuple):
    """Something of a graph."""

    by: str
    """THING, EDGE_FROM_OUTSIDE, or a grouping."""
    number: int
    """Of a thing; of a root its place in `Edges.roots`; of a group; of an edge its row."""


class Words(NamedTuple):
    """What things are called."""

    things: str
    """`methods`."""
    edges: str
    """`calls`."""
    groupings: Mapping[str, str]
    """What can be chosen, and the `by` of it: things first."""
    levels: tuple[str, ...]
    """Groupings that hold one another, the outermost first."""
    label: str
    """`Method`: one thing, for other programs."""
    types: tuple[str, ...]
    """What kinds of edges are called there, by their numbers."""

    def counted(self, number: int) -> str:
        """So many things: `1 method`, `2 methods`."""
        return f"{number:,} {self.label.lower() if number == 1 else self.things}"


class GraphModel(Protocol):
    """The graph of one report."""

    kept: CachedGraph
    words: Words
    attributes: tuple[str, ...]
    """What `told` tells behind the name."""
    cuts: Cuts

    @property
    def is_known(self) -> bool:
        """Whether all of the report is."""
        ...

    @property
    def note(self) -> str:
        """What is to be known of all answers; mostly nothing."""
        ...

    @property
    def first_view(self) -> View:
        """The report's first view."""
        ...

    @property
    def reached(self) -> int:
        """How many things some root leads to."""
        ...

    def groups(self, by: str) -> Any:
        """uint32 by thing: its group, NONE without."""
        ...

    def entry(self, node: Node) -> Entry:
        """What a row says of it: kind, label, REF, where it stands, ways from there, key."""
        ...

    def labels(self, by: str, numbers: Sequence[int]) -> list[str]:
        """What many of one kind are called, quickly."""
        ...

    def found(self, ref: str) -> list[Node]:
        """What a REF names, best first. Raises `UnknownReference`."""
        ...

    def of_key(self, key: Hashable) -> Node | None:
        """What another view's row is about."""
        ...

    def above(self, node: Node, by: str) -> int | None:
        """The number of what a thing belongs to under another grouping; None if it belongs to none."""
        ...

    def edge_rows(self, row: int) -> Sequence[int]:
        """The rows of all edges that a row stands for."""
        ...

    def met(self, patterns: PatternSet) -> Any:
        """bool by thing: whether its name, or that of one of its groups, is met."""
        ...

    def members(self, node: Node) -> Sequence[int]:
        """The things that something is, or is of."""
        ...

    def from_outside(self) -> Any:
        """bool by thing: what is reached from outside."""
        ...

    def id_of(self, thing: int) -> int | None:
        """What the report calls a thing by number."""
        ...

    @property
    def ids(self) -> Any:
        """int64 by thing: the same of all, -1 without one."""
        ...

    def told(self, numbers: Sequence[int]) -> Iterator[tuple[str, ...]]:
        """Of things their names and `attributes`."""
        ...

    def edge_types(self, rows: Any) -> Any:
        """uint8: which of `Words.types` the edges of some rows are of."""
        ...

    def cut_of(self, view: View, node: int) -> Node | None:
        """What a row of any view stands for that can be thought away: an edge, a root, a thing, a group."""
        ...

    def cut_of_ref(self, ref: str) -> Node:
        """The same for a REF. Raises `UnknownReference`."""
        ...

    def trace_of(self, node: Node) -> Any:
        """What finds it again when the report is opened anew; None: nothing does."""
        ...

    def found_by(self, trace: Any) -> Node | None:
        """What that finds."""
        ...

    def edges_met(self, patterns: PatternSet) -> tuple[Any, Any]:
        """uint32: places of roots and of edges whose own names are met."""
        ...

    def remark(self, node: Node) -> str:
        """What stands behind the label of a thing."""
        ...

    def row_of(self, node: Node) -> int | None:
        """The row of the report's first view that stands for it."""
        ...

    def sections(self, node: Node) -> Sequence[Section]:
        """What the side pane says of it anyway."""
        ...


def noted(things: GraphModel, sections: Sequence[Section]) -> Sequence[Section]:
    """Sections, and behind them what is to be known of all answers."""
    return (*sections, Section("Of this report", (SectionRow("", things.note),))) if things.note else sections
