"""What if: things and edges that are thought away, and what would no longer be reached then."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.graph.graph_algorithms import NONE
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, THING, Node
from parsers.model.patterns import PatternSet, split

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges
    from parsers.graph.graph_model import GraphModel
    from parsers.graph.reachability import Reached

ARROW = " -> "
"""Between two patterns: all edges from what the one meets to what the other does."""

REFERENCES = ("line", "id", "class", "package", "method", "type", "name")
"""What a REF begins with that may stand in place of a pattern."""


class Cut(NamedTuple):
    """One mark."""

    key: Hashable
    node: Node | None
    """What it was put on; None for a pattern."""
    label: str
    things: Any = ()
    """uint32: what may not be entered any more."""
    edges: Any = ()
    """uint32: places of edges that are gone."""
    roots: Any = ()
    """uint32: places of roots that are none any more."""
    trace: Any = None
    """What finds `node` in another opening."""

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        return not (len(self.things) or len(self.edges) or len(self.roots))


class Carried(NamedTuple):
    """One mark, as another opening of the report can take it over."""

    label: str
    """Of a mark that is a pattern the pattern."""
    is_pattern: bool
    trace: Any
    """What finds what it was put on."""


class Outcome(NamedTuple):
    """What all marks together come to."""

    reached: Reached
    """What is still reached, and how."""
    gone: Any
    """uint32: things that were reached and are not any more."""
    before: Any
    """bool by thing: what is reached without any cut."""


class Cuts:
    """The marks of one report."""

    def __init__(self, things: GraphModel) -> None:
        self._things = things
        self._marks: dict[Hashable, Cut] = {}
        self._undone: list[dict[Hashable, Cut]] = []
        self._outcome: tuple[int, Outcome] | None = None
        self._before: Any = None
        self.state = 0
        """Another number whenever marks have changed."""

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def marks(self) -> Sequence[Cut]:
        """All of them, in the order in which they were put."""
        return list(self._marks.values())

    def holds(self, node: Node | None) -> bool:
        """Whether something is marked itself."""
        return node is not None and node in self._marks

    def toggle(self, node: Node) -> bool:
        """Puts a mark, or takes it away; whether there is one now."""
        if node in self._marks:
            self._change({key: cut for key, cut in self._marks.items() if key != node})
            return False
        self._change({**self._marks, node: self._cut(node)})
        return True

    def cut(self, text: str) -> list[str]:
        """Marks what comma-separated patterns meet; those that meet nothing.

        A pattern is met by names of things and of their groups; `A -> B` stands for all edges from what A meets to what
        B does; `line:12`, `class:a.B` and other REFs are what they name. Raises `UnknownReference` for such a one.
        """
        found, missed = dict(self._marks), []
        for pattern in split(text):
            cut = self._met(pattern.strip())
            if cut.is_empty:
                missed.append(pattern.strip())
            else:
                found[cut.key] = cut
        self._change(found)
        return missed

    @property
    def carried(self) -> list[Carried]:
        """All marks, for another opening of the report; still good when this one is closed."""
        return [Carried(cut.label, cut.node is None, cut.trace) for cut in self._marks.values()]

    def carry(self, carried: Sequence[Carried]) -> list[str]:
        """Puts marks of another opening; what they were put on and is not here any more."""
        found, missed = dict(self._marks), []
        for label, is_pattern, trace in carried:
            node = None if trace is None else self._things.found_by(trace)
            cut = self._met(label) if is_pattern else None if node is None else self._cut(node)
            if cut is None or cut.is_empty:
                missed.append(label)
            else:
                found[cut.key] = cut
        self._change(found)
        self._undone.clear()
        # Also where nothing was found: it has been looked for.
        self.state = self.state or 1
        return missed

    @property
    def asked(self) -> list[str | list[Any]]:
        """All marks as another process can put them that has opened the same report: patterns, or nodes."""
        return [cut.label if cut.node is None else list(cut.node) for cut in self._marks.values()]

    def ask(self, asked: Sequence[str | Sequence[Any]]) -> None:
        """Puts exactly these."""
        cuts = (self._met(each) if isinstance(each, str) else self._cut(Node(*each)) for each in asked)
        self._change({cut.key: cut for cut in cuts})

    def clear(self) -> None:
        """Takes all marks away."""
        self._change({})

    def undo(self) -> bool:
        """As it was before the last change. False: there was none."""
        if not self._undone:
            return False
        self._marks = self._undone.pop()
        self.state += 1
        return True

    @property
    def can_undo(self) -> bool:
        """Whether there was a change."""
        return bool(self._undone)

    def summary(self) -> str:
        """What the marks come to, in a line."""
        if not self._marks:
            return "nothing is cut any more"
        outcome, words = self.outcome, self._things.words
        count = len(self._marks)
        return (
            f"{count:,} cut{'' if count == 1 else 's'}: {len(outcome.gone):,} of {int(outcome.before.sum()):,} "
            f"{words.things} would no longer be reached  (D shows them)"
        )

    def _change(self, marks: dict[Hashable, Cut]) -> None:
        if list(marks) != list(self._marks):
            self._undone.append(self._marks)
            self._marks = marks
            self.state += 1

    # -- what a mark means --------------------------------------------------------------------------------------------

    def _cut(self, node: Node) -> Cut:
        import numpy as np

        things = self._things
        cut = Cut(node, node, things.entry(node).label, trace=things.trace_of(node))
        if node.by == EDGE:
            rows = np.array(things.edge_rows(node.number), np.uint32)
            return cut._replace(edges=np.flatnonzero(np.isin(things.kept.edges.rows, rows)).astype(np.uint32))
        if node.by == EDGE_FROM_OUTSIDE:
            return cut._replace(roots=np.array([node.number], np.uint32))
        if node.by == THING:
            return cut._replace(things=np.array([node.number], np.uint32))
        members = np.flatnonzero(things.groups(node.by) == node.number).astype(np.uint32)
        return cut._replace(things=members)

    def _met(self, pattern: str) -> Cut:
        import numpy as np

        things = self._things
        if pattern.partition(":")[0] in REFERENCES:
            return self._cut(things.cut_of_ref(pattern))
        source, arrow, target = pattern.partition(ARROW)
        if not arrow:
            met = np.flatnonzero(find_things(things, pattern)).astype(np.uint32)
            # Names of roots and edges are looked through only if nothing else is meant.
            roots, edges = ((), ()) if len(met) else things.edges_met(PatternSet((pattern,)))
            return Cut(pattern, None, pattern, met, edges, roots)
        known = things.kept.edges
        begin, end = (find_things(things, each.strip()) for each in (source, target))
        is_begin = np.repeat(begin, np.diff(known.starts.astype(np.int64)))
        return Cut(pattern, None, pattern, edges=np.flatnonzero(is_begin & end[known.targets]).astype(np.uint32))

    # -- what comes of it ---------------------------------------------------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """What would be; worked out when it is first asked for."""
        if self._outcome is None or self._outcome[0] != self.state:
            self._outcome = self.state, self.work_out()
        return self._outcome[1]

    def work_out(self) -> Outcome:
        """What would be, worked out now."""
        from parsers.graph.shortest_paths import reach_without

        kept = self._things.kept
        if self._before is None:
            self._before = kept.shortest.distance != NONE
        reached, gone = reach_without(kept.edges, kept.shortest, *map(self._all, ("things", "edges", "roots")))
        return Outcome(reached, gone, self._before)

    def _all(self, what: str) -> Any:
        """uint32: what all marks together take of things, edges or roots; some perhaps several times."""
        import numpy as np

        found = [np.empty(0, np.uint32), *(getattr(cut, what) for cut in self._marks.values())]
        return np.concatenate(found).astype(np.uint32)

    def closed_and_lost(self) -> tuple[Any, Any]:
        """bool by thing: what may not be entered; bool by edge: what is not there. None: there is nothing of it."""
        import numpy as np

        edges: Edges = self._things.kept.edges
        closed = lost = None
        for cut in self._marks.values():
            if len(cut.things):
                closed = np.zeros(edges.size, bool) if closed is None else closed
                closed[cut.things] = True
            if len(cut.edges):
                lost = np.zeros(len(edges.targets), bool) if lost is None else lost
                lost[cut.edges] = True
        return closed, lost


def find_things(things: GraphModel, text: str) -> Any:
    """bool by thing: those that comma-separated patterns meet, and that REFs name or are of a class … they name.

    Raises `UnknownReference`.
    """
    import numpy as np

    found = np.zeros(things.kept.edges.size, bool)
    patterns = [each.strip() for each in split(text)]
    for each in patterns:
        if each.partition(":")[0] in REFERENCES:
            for node in things.found(each):
                found[things.members(node)] = True
    names = tuple(each for each in patterns if each.partition(":")[0] not in REFERENCES)
    return found | things.met(PatternSet(names)) if names else found
