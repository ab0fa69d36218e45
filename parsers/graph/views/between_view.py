"""The view "Between": all paths between two sets of vertices, merged, as one small tree.

Each vertex is expanded once, at the place with the fewest steps; elsewhere it is a reference to that place.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.graph.cuts import ARROW, find_things
from parsers.graph.graph_model import EDGE, THING, GraphModel, Node, noted
from parsers.model.patterns import Subject, advice
from parsers.model.report import (
    Badge,
    Column,
    Link,
    References,
    ReportError,
    Row,
    Section,
    SectionRow,
    UnknownReference,
)
from parsers.views.list_view import Entry, ListView

if TYPE_CHECKING:
    from parsers.graph.between import Ways

BETWEEN_VIEW = "Between"
NOTHING = (
    "nothing is asked: B asks for all ways to what a row shows (from tagged rows, if there are any); :between A -> B"
)
ID = Column("id", "id", "count", (("id", "#"), ("id_ref", "↩")), width=8, priority=2)
TO_GO = Column("to_go", "to go", badges=(("to_go", ""),), width=7, priority=4)


class Question(NamedTuple):
    """A query; made of texts, numbers and lists, so that it can be sent to another process."""

    begin: str | Sequence[Sequence[Any]]
    """Patterns or REFs, or nodes; empty: the roots."""
    end: str | Sequence[Sequence[Any]]
    title: str
    most: int | None
    """Maximum of steps; None: the default."""


class BetweenView(ListView):
    """A `View` of the result of the last query."""

    name = BETWEEN_VIEW
    has_headings = True
    commands = (("tag", "tag"), ("between", "ways from tagged rows to here"))
    """Further commands, for the key line."""
    orders: tuple[str, ...] = ("to_go", "edges", "name")

    def __init__(self, things: GraphModel) -> None:
        super().__init__()
        self.things = things
        edges = things.words.edges
        self.columns = (Column("edges", edges, badges=(("edges", ""),), width=len(edges) + 2, priority=3), TO_GO, ID)
        self._asked = 0
        self._title = ""
        self._ways: Ways | None = None
        self._nodes: list[Node | None] = []
        self._question: Question | None = None

    # -- queries ------------------------------------------------------------------------------------------------------

    def ask(self, begin: str, end: str, most: int | None = None) -> Ways:
        """Finds all paths between matches of patterns or REFs; empty: from the roots. Raises `ReportError`.

        most: maximum of steps, by default a thousand
        """
        return self._find(Question(begin, end, f"{begin or 'outside'}{ARROW}{end}", most))

    def of_nodes(self, begin: Sequence[Node], end: Node) -> Ways:
        """Finds all paths from these nodes, or from the roots, to another node."""
        names = self.things.entry(begin[0]).label if begin else "outside"
        more = f" and {len(begin) - 1:,} more" if len(begin) > 1 else ""
        return self._find(Question(list(begin), [end], f"{names}{more}{ARROW}{self.things.entry(end).label}", None))

    @property
    def asked(self) -> Any:
        """The query, for another process."""
        return [self.things.cuts.asked, self._question]

    def ask_again(self, asked: Any) -> None:
        """Repeats a query of `asked`."""
        cuts, question = asked
        self.things.cuts.ask(cuts)
        if question is not None:
            self._find(Question(*question))

    def _find(self, question: Question) -> Ways:
        """Finds the paths that the cuts leave."""
        from parsers.graph.between import MOST, find_ways

        kept, cuts = self.things.kept, self.things.cuts
        begin, end = self._mask(question.begin), self._mask(question.end)
        most = MOST if question.most is None else question.most
        ways = find_ways(kept.edges, kept.shortest, begin & ~end, end, *cuts.closed_and_lost(), most)
        self._ways, self._title, self._question = ways, question.title, question
        self._asked += 1
        return ways

    def _mask(self, asked: str | Sequence[Sequence[Any]]) -> Any:
        """Returns the matches of patterns or REFs, or the vertices of nodes: bool by vertex. Empty: entry points."""
        import numpy as np

        if not asked:
            return self.things.from_outside()
        if isinstance(asked, str):
            mask = find_things(self.things, asked)
            if not mask.any():
                raise ReportError(f"nothing is met by {asked}{advice(asked)}")
            return mask
        mask = np.zeros(self.things.kept.edges.size, bool)
        for node in asked:
            mask[self.things.members(Node(*node))] = True
        return mask

    @property
    def ways(self) -> Ways | None:
        """The last result; None without a query."""
        return self._ways

    def summary(self) -> str:
        """Returns the last result in one line."""
        ways, words = self._ways, self.things.words
        if ways is None:
            return NOTHING
        if not ways.steps:
            return f"{self._title}: no way leads there"
        shortest = min(step.length for step in ways.steps)
        steps = words.edges.removesuffix("s") if shortest == 1 else words.edges
        says = f"{self._title}: {words.counted(len(ways.to_go))}, the shortest way takes {shortest:,} {steps}"
        if ways.left_out:
            bound = (
                f"all ways up to {ways.complete_to:,} are shown" if ways.complete_to >= shortest else "some are shown"
            )
            says += f"; {bound}, {ways.left_out:,} {words.edges} on others are not"
        return says

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Hashable:
        """Identifies the query."""
        return self._asked, self.is_ready

    @property
    def note(self) -> str:
        """A remark on all rows."""
        return self.things.note

    @property
    def is_ready(self) -> bool:
        """True if the graph is complete."""
        return self.things.is_known

    @property
    def row_count(self) -> int | None:
        """Number of rows."""
        return len(self.entries) if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Number of vertices where paths begin."""
        return super().root_count if self.is_ready else None

    def resolve(self, ref: str) -> int:
        """Returns the row of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when the index is finished")
        return super().resolve(ref)

    def make(self) -> Sequence[Entry]:
        """Builds the tree, from the vertices where paths begin."""
        ways = self._ways
        self._nodes = [None]
        if not self.is_ready:
            self._nodes = []
            return []
        if ways is None or not ways.steps:
            return [Entry("group", self.summary(), key=("group", self.name))]
        self._nodes = []
        return self._tree_of(ways)

    def _tree_of(self, ways: Ways) -> list[Entry]:
        below: dict[int, list[Any]] = {}
        for step in sorted(ways.steps, key=lambda step: (ways.to_go[step.target], step.row)):
            below.setdefault(step.source, []).append(step)
        opened_by = self._opened_by(ways, below)
        entries: list[Entry] = []
        stack: list[tuple[Any, int, int]] = [(None, thing, 0) for thing in reversed(ways.begin)]
        while stack:
            step, thing, depth = stack.pop()
            is_here = step is None or opened_by[thing] is step
            node = Node(THING, thing) if step is None else Node(EDGE, step.row)
            if is_here:
                stack += [(each, each.target, depth + 1) for each in reversed(below.get(thing, ()))]
            entries.append(self._entry(node, thing, depth, step, is_here, ways))
            self._nodes.append(node)
        return entries

    @staticmethod
    def _opened_by(ways: Ways, below: dict[int, list[Any]]) -> dict[int, Any]:
        """Returns by vertex the step below which it is expanded, breadth first."""
        opened: dict[int, Any] = dict.fromkeys(ways.begin)
        level = list(ways.begin)
        while level:
            following = []
            for thing in level:
                for step in below.get(thing, ()):
                    if step.target not in opened:
                        opened[step.target] = step
                        following.append(step.target)
            level = following
        return opened

    def _entry(self, node: Node, thing: int, depth: int, step: Any, is_here: bool, ways: Ways) -> Entry:
        entry = self.things.entry(node)
        badges: dict[str, Badge] = {"to_go": ways.to_go[thing]}
        if step is not None:
            badges["edges"] = step.edges
        id = self.things.id_of(thing)
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
        to_go = [entry.badges.get("to_go") for entry in self.entries or ()]
        begin = [
            place for place, entry in enumerate(self.entries or ()) if entry.depth == 0 and to_go[place] is not None
        ]
        return to_go.index(0, min(begin, key=lambda place: (to_go[place], place))) if begin else None

    def node(self, node: int) -> Node | None:
        """Returns the node of a row: the vertex at the top level, the edge below."""
        assert self.entries is not None
        return self._nodes[node]

    def row_of(self, node: int) -> int | None:
        """Returns the row of the first view for this one."""
        this = self.node(node)
        return None if this is None else self.things.row_of(this)

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
        """Returns links to the first view, and to the expanded place of a reference."""
        found = self.entries[node].links
        if "id_ref" in self.entries[node].badges:
            return (Link("where it is opened", f"node:{self._opened_at(node)}", self.name), *found)
        return found

    def references(self, node: int) -> References:
        """Returns all references to the row's vertex."""
        first, row = self.things.first_view, self.row_of(node)
        return References("references", first.name, ()) if row is None else first.references(row)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the query, and what else is known of the row."""
        this = self.node(node)
        asked = Section("Ways", (SectionRow("", self.summary()),))
        return noted(self.things, (asked, *(() if this is None else self.things.sections(this))))
