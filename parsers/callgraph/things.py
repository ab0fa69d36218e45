"""What the views of a graph ask of a report: what its things and their groups are called, and where they stand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parsers.report import Section, View

if TYPE_CHECKING:
    from parsers.callgraph.kept import KeptGraph
    from parsers.listed_view import Entry

THING, EDGE_FROM_OUTSIDE = "thing", "root"
"""In place of a grouping: each thing by itself; each row that is reached from outside."""


class Node(NamedTuple):
    """Something of a graph."""

    by: str
    """THING, EDGE_FROM_OUTSIDE, or a grouping."""
    number: int
    """Of a thing; of a root its place in `Edges.roots`; of a group."""


class Words(NamedTuple):
    """What things are called."""

    things: str
    """`methods`."""
    edges: str
    """`calls`."""
    groupings: Mapping[str, str]
    """What can be chosen, and the `by` of it: things first."""


class Things(Protocol):
    """The graph of one report."""

    kept: KeptGraph
    words: Words

    @property
    def is_known(self) -> bool:
        """Whether all of the report is."""
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

    def row_of(self, node: Node) -> int | None:
        """The row of the report's first view that stands for it."""
        ...

    def sections(self, node: Node) -> Sequence[Section]:
        """What the side pane says of it anyway."""
        ...
