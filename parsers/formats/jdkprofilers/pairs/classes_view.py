"""The view "Classes" of a `java.prof`: packages, classes, methods with their calls and own time, and the heap part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import ArrayView, RowPlaces, share
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.pairs.table import PairTable, package_of
from parsers.formats.jdkprofilers.pairs.view import CALLS
from parsers.formats.jdkprofilers.texts import method_of
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.pairs.report import PairReport

OWN = Column("own", "Own ms", "ms", width=16, priority=2, bar=6)
COLUMNS_WITH_HEAP = (
    Column("count", "Calls", width=9, priority=1),
    Column("own", "Own ms", "ms", width=7, priority=2),
    Column("instances", "Instances", width=9, priority=3, adds_up=True),
    Column("bytes", "Bytes", "bytes", width=10, priority=4, adds_up=True),
)
"""With a heap part there is no space for bars."""

PACKAGE, CLASS, METHOD = range(3)


@dataclass(slots=True)
class GroupCost:
    """A class or package with its methods, and its values in the heap part."""

    name: str
    methods: list[int] = field(default_factory=list)
    calls: int = 0
    own: int = 0
    heap: list[int] = field(default_factory=list)
    """Its lines of the heap part."""
    instances: int = 0
    """Instances, or arrays of an array type."""
    size: int = 0
    """Their bytes."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """Its place among others, ascending: by own time, then bytes, then calls."""
        return -self.own, -self.size, -self.calls

    def add(self, other: GroupCost) -> None:
        """Adds the values of a class to its package."""
        self.methods += other.methods
        self.calls += other.calls
        self.own += other.own
        self.instances += other.instances
        self.size += other.size

    def number(self, name: str) -> int:
        """Returns the number in a column."""
        return {"count": self.calls, "own": self.own, "instances": self.instances, "bytes": self.size}[name]


class PairClassesView(ArrayView[PairRecording]):
    """Places are (level, number): of packages, of classes, of methods."""

    name = "Classes"
    sorted_by = "own"
    description = "Classes with the time of their methods"
    columns: tuple[Column, ...] = (CALLS, OWN)
    orders: tuple[str, ...] = ("own", "count", "bytes", "instances", "name")
    starts_closed = True
    report: PairReport

    def __init__(self, report: PairReport) -> None:
        super().__init__(report)
        self._groups: tuple[list[GroupCost], list[GroupCost]] = [], []
        """Packages, classes."""
        self.forget()

    @property
    def table(self) -> PairTable:
        """The sums."""
        return self.report.table

    @property
    def is_ready(self) -> bool:
        """True if all pairs are read."""
        return self.report.is_complete

    @property
    def row_count(self) -> int:
        """Number of packages, classes and methods."""
        return len(self.table.packages) + len(self.table.classes) + len(self.table.known)

    @property
    def root_count(self) -> int:
        """Number of packages."""
        return len(self.table.packages)

    def make(self) -> RowPlaces:
        """Returns packages and classes with the most own time first."""
        classes, packages, members = self._all_classes(), dict[str, GroupCost](), dict[str, list[int]]()
        for number, of in enumerate(classes):
            name = package_of(of.name)
            packages.setdefault(name, GroupCost(name)).add(of)
            members.setdefault(name, []).append(number)
        self._groups = sorted(packages.values(), key=lambda of: of.rank), classes
        places, own = RowPlaces(), self.table.own_times
        for number, package in enumerate(self._groups[PACKAGE]):
            places.add(0, PACKAGE, number)
            for of_class in sorted(members[package.name], key=lambda number: classes[number].rank):
                places.add(1, CLASS, of_class)
                for method in sorted(classes[of_class].methods, key=own.__getitem__, reverse=True):
                    places.add(2, METHOD, method)
        return places

    def _all_classes(self) -> list[GroupCost]:
        table, recording = self.table, self.recording
        # Of equal costs, classes of the methods with the most calls are first.
        names = chain(map(table.holders.__getitem__, table.methods), table.heap_classes)
        classes = {name: GroupCost(name) for name in dict.fromkeys(names)}
        for method in table.methods:
            of = classes[table.holders[method]]
            of.methods.append(method)
            of.calls += table.all_calls[method]
            of.own += table.own_times[method]
        heap = zip(recording.heap_signatures, recording.heap_counts, recording.heap_sizes, strict=True)
        for row, (signature, count, size) in enumerate(heap):
            of = classes[table.heap_classes[signature]]
            of.heap.append(row)
            of.instances += count
            of.size += size
        return list(classes.values())

    def show(self, node: int, level: int, number: int) -> Row:
        """Returns the row of a package, a class or a method."""
        if level == METHOD:
            name = method_of(self.recording.methods.texts[number])
            label, spans, kind, ref = name.label, name.spans, "method", f"method:{name.label}"
        else:
            label = self._groups[level][number].name
            kind = "package" if level == PACKAGE else "class"
            spans, ref = tuple(class_spans(label)) if level == CLASS else (), f"{kind}:{label}"
        badges: dict[str, Badge] = {name: self._number(name, level, number) for name in ("count", "own")}
        bars = {name: self._number(name, level, number) / self._most(name, level) for name in ("count", "own")}
        if level != METHOD and (instances := self._number("instances", level, number)):
            badges |= {"instances": instances, "bytes": self._number("bytes", level, number)}
        return self.row_of(
            node,
            kind=kind,
            label=label,
            badges=badges,
            ref=ref,
            link=f"method:{label}" if level == METHOD else None,
            spans=spans,
            bars=bars,
        )

    def _number(self, name: str, level: int, number: int) -> int:
        """Returns a number of a package, class or method."""
        if level == METHOD:
            cost = self.table.cost(number)
            return {"count": cost.calls, "own": cost.own}.get(name, 0)
        return self._groups[level][number].number(name)

    def forget(self) -> None:
        """Clears the lengths of bars and the columns, which depend on the classes and on a heap part."""
        self.columns = COLUMNS_WITH_HEAP if self.recording.heap_rows else (CALLS, OWN)
        self._longest: dict[tuple[str, int], int] = {}

    def _most(self, name: str, level: int) -> int:
        """Returns the largest number of a level, at least 1."""
        most = self._longest.get((name, level))
        if most is None:
            numbers = self.table.methods if level == METHOD else range(len(self._groups[level]))
            values = (self._number(name, level, number) for number in numbers)
            most = self._longest[name, level] = max(values, default=0) or 1
        return most

    def value(self, order: str, level: int, number: int) -> int:
        """Returns a number of the row."""
        return min(self._number(order, level, number), 1 << 62)

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of `package:`, `class:`, and `method:` for keys."""
        if not self.report.is_complete:
            return []
        places, wanted = self.places, {"package": PACKAGE, "class": CLASS, "method": METHOD, "name": CLASS}.get(kind)
        if wanted == METHOD:
            methods = self.table.by_label.get(value, ())
            return [node for method in methods if (node := self.node(METHOD, method)) is not None]
        return [
            node
            for node in range(len(places.depths))
            if places.levels[node] == wanted and self._groups[wanted][places.numbers[node]].name == value
        ]

    def subject(self, level: int, number: int) -> tuple[str, str]:
        """Returns the method or class."""
        if level == METHOD:
            name = method_of(self.recording.methods.texts[number])
            return name.label, name.holder
        return ("", self._groups[CLASS][number].name) if level == CLASS else ("", "")

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the side pane: of a method as in the view of methods; of a class its numbers and their source."""
        level, number = self.place(node)
        if level == METHOD:
            return self.report.view("Methods").sections(number)
        calls, own = self._number("count", level, number), self._number("own", level, number)
        all_own = sum(of.own for of in self._groups[CLASS])
        rows = [
            SectionRow("calls", f"{calls:,}"),
            SectionRow("own time", f"{own:,} ms, {share(own, all_own)} % of all"),
        ]
        sections = [Section("Package" if level == PACKAGE else "Class", tuple(rows))]
        if level == CLASS and (of := self._groups[CLASS][number]).heap:
            facts = [SectionRow("instances", f"{of.instances:,}"), SectionRow("bytes", f"{of.size:,}")]
            facts += [
                SectionRow("line", f"{line:,}", f"line:{line}", "Caller pairs") for line in map(self._line, of.heap[:8])
            ]
            sections.append(Section("Heap", tuple(facts)))
        return sections

    def links(self, node: int) -> Sequence[Link]:
        """Returns links: from a method to its callers, from a class to its line of the heap part."""
        level, number = self.place(node)
        if level == METHOD:
            return (Link("callers and callees", f"method:{self.table.label(number)}", "Methods"),)
        heap = self._groups[level][number].heap[:1]
        return [Link("the heap part", f"line:{self._line(row)}", "Caller pairs") for row in heap]

    def _line(self, row: int) -> int:
        """Returns the line of a row of the heap part."""
        return self.recording.rows.lines[self.recording.heap_rows[row]]

    def references(self, node: int) -> References:
        """Returns the callers of a method; of a class the pairs in which its methods are called."""
        level, number = self.place(node)
        if level == METHOD:
            return self.report.callers_of(number)
        pairs = sorted(pair for method in self._groups[level][number].methods for pair in self.table.as_callee(method))
        return self.report.pair_references(f"calls of {self.row(node).label}", pairs)
