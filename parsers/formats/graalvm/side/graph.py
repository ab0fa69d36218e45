"""Dependencies between class initializers: the graph that builders up to 23 write for graphviz.

A line declares a class, green if its initializer was proven harmless and red if not, or an edge from a class to one
that it needs. Source: `TypeInitializerGraph` and `ClassInitializationFeature` of oracle/graal 20.1 to 23.0; real files.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.layout import TableLayout
from parsers.formats.graalvm.side.lines import SideLines, read_lines
from parsers.formats.graalvm.side.report import OneViewReport
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Column, Link, Section, SectionRow, SortKey
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References, View
from parsers.views.base import OfWholeReport
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.reporting.comparison.lines import ComparableSubject

FORMAT = "graalvm-class-initialization-dependencies"
VIEW = "Initialization graph"

NEEDS = Column("needs", "Needs", badges=(("needs", ""),), width=7, priority=2)
NEEDED_BY = Column("needed_by", "Needed by", badges=(("needed_by", ""),), width=9, priority=3)
SAFETY = Column("safety", "Safety", "text", (("safety", ""),), width=7, priority=1)

MOST_SHOWN = 20
"""Most classes that the side pane lists."""

_DECLARED = re.compile(rb'"(.*)"\[fillcolor=(\w+)\];?\s*', re.DOTALL)
_BEGIN = re.compile(rb"digraph\s.*\{\s*", re.DOTALL)


class InitializationGraph:
    """Content of a file: classes by number, and pairs of them."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.safety: list[str] = []
        """Safety by class; empty if no line declares it."""
        self.rows = array("q")
        """By class the row that declares it, -1 if none does."""
        self.sources = array("I")
        self.targets = array("I")
        self._numbers: dict[bytes, int] = {}
        self._row = -1

    def take(self, line: bytes) -> tuple[str, int] | None:
        """Adds a line; returns the name of its count, and 1. None if it fits no form."""
        self._row += 1
        plain = line.rstrip().removesuffix(b";")
        source, arrow, target = plain[1:-1].rpartition(b'" -> "')
        if arrow and plain.startswith(b'"') and plain.endswith(b'"'):
            self.sources.append(self._number(source))
            self.targets.append(self._number(target))
            return "dependencies", 1
        if found := _DECLARED.fullmatch(line):
            number = self._number(found[1])
            self.safety[number] = {b"green": "safe", b"red": "unsafe"}.get(found[2], "")
            self.rows[number] = self._row
            return self.safety[number] or "other", 1
        if line.strip() == b"}":
            return "ends", 1
        return ("begins", 1) if _BEGIN.fullmatch(line) else None

    def number(self, name: bytes) -> int | None:
        """Returns the number of a class."""
        return self._numbers.get(name)

    def _number(self, name: bytes) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.names)
            self.names.append(name)
            self.safety.append("")
            self.rows.append(-1)
        return number

    def adjacent(self, of: array[int], to: array[int]) -> tuple[array[int], array[int]]:
        """Start of the neighbours of each class, and all neighbours: the values of `to` where `of` has the class."""
        firsts = array("Q", bytes(8 * (len(self.names) + 1)))
        for number in of:
            firsts[number + 1] += 1
        for number in range(len(self.names)):
            firsts[number + 1] += firsts[number]
        places, found = array("Q", firsts), array("I", bytes(4 * len(to)))
        for number, other in zip(of, to, strict=True):
            found[places[number]] = other
            places[number] += 1
        return firsts, found


class GraphLines:
    """Data read from a file."""

    def __init__(self, lines: SideLines, graph: InitializationGraph) -> None:
        self.is_complete, self.lines = lines.is_complete, lines.lines
        self.problems, self.problem_count = lines.problems, lines.problem_count
        self.starts, self.numbers, self.counts = lines.starts, lines.numbers, lines.counts
        self.graph = graph
        self.needs = graph.adjacent(graph.sources, graph.targets)
        self.needed_by = graph.adjacent(graph.targets, graph.sources)


class GraphReport(OneViewReport):
    """One file."""

    format, view_name = FORMAT, VIEW
    recording: GraphLines

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> GraphLines:
        """Reads classes and those that they need."""
        graph = InitializationGraph()
        layout = TableLayout(FORMAT, VIEW, "class", lambda text: None, lambda cells: (), tally=graph.take)
        lines = read_lines(pread, stop, is_all, layout, self.source.path, report_progress)
        if is_all and not lines.is_cut and not lines.counts["ends"]:
            what = f"cut at byte {stop:,}: the graph has no closing bracket"
            lines.add_problem("cut", what, "everything before it is shown", stop, lines.lines + 1)
        return GraphLines(lines, graph)

    def make_view(self) -> View:
        """Returns the graph, by class."""
        return InitializationView(self)

    def counts(self) -> dict[str, int]:
        """Returns the numbers of classes, of unsafe ones, and of pairs."""
        counted = self.recording.counts
        classes = len(self.recording.graph.names)
        return {"classes": classes, "unsafe": counted["unsafe"], "dependencies": counted["dependencies"]}

    @property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """The graph, by class."""
        from parsers.formats.graalvm.side.comparable import comparable_graph

        graph = self.recording.graph
        return comparable_graph(graph.names, graph.safety, self.recording.needs, self.text, self.view_name)

    @property
    def names(self) -> Sequence[bytes]:
        """The classes; empty until the whole file is read."""
        return self.recording.graph.names if self.is_complete else ()

    def name_count(self, name: int) -> int:
        """Returns the number of rows of the class: its own, and those below classes that need it."""
        firsts, _ = self.recording.needed_by
        return 1 + firsts[name + 1] - firsts[name]

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the row of the class."""
        view = self.views[0]
        assert isinstance(view, InitializationView)
        return [view.rows.node(name)]


class InitializationView(OfWholeReport, GroupedView):
    """A group for each class, and below it the classes that it needs."""

    name = VIEW
    description = "Classes with what initialised them"
    columns: tuple[Column, ...] = (NEEDED_BY, NEEDS, SAFETY)
    orders: tuple[str, ...] = ("needed_by", "needs", "safety", "name")

    def __init__(self, report: GraphReport) -> None:
        self.report = report

    @property
    def lines(self) -> GraphLines:
        """Data read from the file."""
        return self.report.recording

    def make_rows(self) -> GroupedPreorder:
        """Builds a group for each class."""
        firsts, _ = self.lines.needs
        classes = len(self.lines.graph.names)
        return GroupedPreorder([0] * classes, [firsts[each + 1] - firsts[each] for each in range(classes)])

    def label(self, number: int) -> str:
        """Returns the label of a class."""
        return self.report.text(self.lines.graph.names[number])

    def target(self, group: int, leaf: int) -> int:
        """Returns the class of a row."""
        firsts, needed = self.lines.needs
        return group if leaf < 0 else needed[firsts[group] + leaf]

    def group(self, group: int) -> ListRow:
        """Returns the entry of a class with its numbers."""
        lines, label = self.lines, self.label(group)
        row = lines.graph.rows[group]
        badges: dict[str, Badge] = {
            name: firsts[group + 1] - firsts[group]
            for name, (firsts, _) in (("needed_by", lines.needed_by), ("needs", lines.needs))
        }
        return ListRow(
            "class",
            label,
            badges={**badges, "safety": lines.graph.safety[group]},
            ref=f"class:{label}",
            offset=lines.starts[row] if row >= 0 else None,
            line=lines.numbers[row] if row >= 0 else None,
            spans=tuple(class_spans(label)),
            key=("class", label),
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the entry of a needed class."""
        label = self.label(self.target(group, leaf))
        link = Link("the class itself", f"class:{label}", VIEW)
        return ListRow("dependency", label, spans=tuple(class_spans(label)), links=(link,), key=("class", label))

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order: numbers, or texts."""
        if order == "safety":
            return [str(self.row(node).badges.get(order, "")) for node in nodes]
        return super().sort_keys(order, nodes)

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the nodes of `class:` and `name:`."""
        kind, _, value = ref.partition(":")
        found = self._class(value) if kind in ("class", "name") else None
        return super().nodes_of(ref) if found is None else [self.rows.node(found)]

    def _class(self, name: str) -> int | None:
        return self.lines.graph.number(name.encode(self.report.encoding, "replace"))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a class."""
        match key:
            case ("class", str(name)) if self.is_ready and (found := self._class(name)) is not None:
                return self.rows.node(found)
        return None

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Sections: safety of the initializer, classes that it needs, and classes that need it."""
        number, lines = self.target(group, leaf), self.lines
        safety = lines.graph.safety[number]
        says = {"safe": "proven to have no side effects", "unsafe": "not proven to have no side effects"}
        rows = (SectionRow("", self.label(number)), SectionRow("initializer", says.get(safety, "not declared")))
        found = [Section("Class", rows)]
        for title, (firsts, others) in (("Needs", lines.needs), ("Needed by", lines.needed_by)):
            all_ = others[firsts[number] : firsts[number + 1]]
            if all_:
                labels = [self.label(each) for each in all_[:MOST_SHOWN]]
                shown = tuple(SectionRow("", label, f"class:{label}") for label in labels)
                found.append(Section(f"{title} ({len(all_):,})", shown, len(all_) - len(shown)))
        return found

    def references(self, node: int) -> References:
        """Returns the rows below the classes that need this one."""
        group, leaf = self.rows.place(node)
        number = self.target(group, leaf)
        firsts, others = self.lines.needed_by
        nodes = []
        for other in dict.fromkeys(others[firsts[number] : firsts[number + 1]]):
            own, needed = self.lines.needs
            at = next(at for at in range(own[other], own[other + 1]) if needed[at] == number)
            nodes.append(self.rows.node(other, at - own[other]))
        return References(f"classes that need {self.label(number)}", VIEW, nodes)
