"""The views "Classes" and "Packages" of a build: tables of the numbers of every report, with links to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from parsers.formats.graalvm.builds.normalised import normalised_text
from parsers.formats.graalvm.calls.kind import METHODS as METHODS_COLUMN
from parsers.formats.graalvm.folder.joined import JoinedReport
from parsers.formats.graalvm.folder.pane import called, class_sections, package_sections
from parsers.formats.graalvm.folder.table import CALL_SITES, IN_TREE, OBJECTS, JoinedTables, NumberTable
from parsers.formats.graalvm.side.layouts import INITIALIZATION
from parsers.model.late.preparation import Preparation
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Column, Link, Section, SortKey, Span
from parsers.model.trees.preorder import FlatPreorder
from parsers.model.view import References, Shape, View
from parsers.reporting.comparison.lines import ComparableSubject, ComparedLine, comparable_lines
from parsers.views.base import LabelFiltered, OfWholeReport
from parsers.views.collection import path_from_root
from parsers.views.entry_view import EntryView
from parsers.views.list_view import ListRow

COLUMNS = (
    METHODS_COLUMN,
    Column(CALL_SITES, "call sites", badges=((CALL_SITES, ""),), width=10, priority=1, adds_up=True),
    Column(OBJECTS, "objects", badges=((OBJECTS, ""),), width=9, priority=4, adds_up=True),
    Column(IN_TREE, "in tree", badges=((IN_TREE, ""),), width=8, priority=0, adds_up=True),
)
CLASSES_COLUMN = Column("classes", "classes", badges=(("classes", ""),), width=8, priority=3, adds_up=True)

STEP = 0.1
"""Seconds between two checks for finished indexes."""


class JoinedView(OfWholeReport, LabelFiltered, EntryView):
    """A table of classes or packages by name."""

    kind = ""
    shape: Shape = "table"
    starts_closed = False
    known_when = "all reports are"

    def __init__(self, report: JoinedReport) -> None:
        self.report = report
        self._is_running = False
        self.columns: tuple[Column, ...] = self.make_columns()
        self.orders: tuple[str, ...] = (*(column.name for column in self.columns), "name")

    # -- for derived views --------------------------------------------------------------------------------------------

    @property
    def table(self) -> NumberTable:
        """Table of the view."""
        raise NotImplementedError

    def make_columns(self) -> tuple[Column, ...]:
        """Returns the columns of the existing reports."""
        raise NotImplementedError

    def words(self, name: str) -> Mapping[str, str]:
        """Returns the texts of a row."""
        return {}

    def sections_of(self, name: str) -> Sequence[Section]:
        """Returns the sections of the side pane."""
        raise NotImplementedError

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def joined(self) -> JoinedTables:
        """Both tables, built on first use."""
        return self.report.made.value

    @property
    def is_prepared(self) -> bool:
        """True if the tables are built."""
        return self.report.made.is_prepared

    def preparation(self) -> Preparation | None:
        """Task that waits for the reports and builds the tables; None if they are built, or never will be."""
        if self.is_prepared or self._is_running or self.report.has_failed:
            return None
        self._is_running = True
        return Preparation(self._step, self._is_finished)

    def _step(self) -> None:
        """One step, in a thread, while the reports are indexed."""
        if self.is_ready:
            assert self.joined is not None
        else:
            time.sleep(STEP)

    def _is_finished(self) -> bool:
        self._is_running = False
        return self.is_prepared or self.report.has_failed

    @property
    def waits_for(self) -> str:
        """Names of the reports that have to be read."""
        return self.report.waiting_for

    @property
    def rows(self) -> FlatPreorder:
        """The rows, all of depth 0."""
        return FlatPreorder(lambda: len(self.table.names), lambda: True)

    def entry_of(self, node: int) -> ListRow:
        """Returns a class or package with its numbers."""
        name = self.table.names[node]
        badges: dict[str, Badge] = {**self.table.of(name), **self.words(name)}
        return ListRow(self.kind, name, badges=badges, ref=f"{self.kind}:{name}", spans=self.spans(name))

    def spans(self, name: str) -> tuple[Span, ...]:
        """Returns the spans of a name."""
        return tuple(class_spans(name))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of nodes."""
        return self.table.names[start:stop]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order: names, texts, or numbers."""
        names = [self.table.names[node] for node in nodes]
        counts = self.table.numbers.get(order)
        if counts is not None:
            return [counts.get(name, 0) for name in names]
        return names if order == "name" else [self.words(name).get(order, "") for name in names]

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of `class:` or `package:`, or of `name:`."""
        kind, _, value = ref.partition(":")
        node = self.table.places.get(value) if kind in (self.kind, "name") else None
        return () if node is None else [node]

    def key(self, node: int) -> Hashable | None:
        """Returns the kind and name, as in all views of such rows."""
        return (self.kind, self.table.names[node])

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row with that key."""
        match key:
            case (str(kind), str(name)) if kind == self.kind and self.is_ready:
                return self.table.places.get(name)
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the sections of the side pane, from all reports."""
        return self.sections_of(self.table.names[node])

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the class or package in the views of the reports."""
        rows = [row for section in self.sections(node) for row in section.rows]
        return [Link(f"{row.label} {row.text}".strip(), row.ref, row.view) for row in rows if row.ref is not None]

    def references(self, node: int) -> References:
        """Returns the calls of its methods, from the call tree."""
        name = self.table.names[node]
        found = called(self.report, self.kind, name)
        if found is None:
            return References(f"references to {name}", self.name, ())
        member, view, there = found
        references = view.references(there)
        return replace(references, view=member.shown_name(references.view))

    def why(self, node: int) -> References:
        """Returns where it is entered from, by the call tree; without one the row alone."""
        found = called(self.report, self.kind, self.table.names[node])
        if found is None:
            return References("no method of it is in the call tree", self.name, [node])
        member, view, there = found
        answer = path_from_root(member.report, view, there)
        return replace(answer, view=member.shown_name(answer.view))

    # -- compared -----------------------------------------------------------------------------------------------------

    @property
    def comparable(self) -> ComparableSubject:
        """Rows by their normalised names, with their numbers; texts as lines below them."""
        columns = tuple(column for column in self.columns if column.unit != "text")
        return comparable_lines(columns, lambda: list(self._lines()))

    def _lines(self) -> Iterator[ComparedLine]:
        for name in self.table.names:
            numbers = self.table.of(name)
            yield ComparedLine(
                normalised_text(name), self.kind, name, numbers, 0, f"{self.kind}:{name}", self.spans(name)
            )
            for what, words in self.words(name).items():
                yield ComparedLine((what, words), "line", f"{what}: {words}", dict.fromkeys(numbers, 0), 1)


class FolderClassesView(JoinedView):
    """Every class that some report knows."""

    name = "Classes"
    description = "Classes, from all reports of the build"
    kind = "class"

    @property
    def table(self) -> NumberTable:
        """The classes."""
        return self.joined.classes

    def make_columns(self) -> tuple[Column, ...]:
        """Returns the columns of the existing reports, and the time of a class's initialization."""
        there = self.report.counted
        has_words = self.report.build.member("graalvm-class-initialization") is not None
        numbers = tuple(column for column in COLUMNS if column.name in there)
        return (*numbers, *((INITIALIZATION,) if has_words else ()))

    def words(self, name: str) -> Mapping[str, str]:
        """Time of a class's initialization."""
        found = self.joined.initialized.get(name)
        return {} if found is None else {"initialization": found[0]}

    def sections_of(self, name: str) -> Sequence[Section]:
        """Sections: initialization, objects, methods, and the path to them."""
        return class_sections(self.report, name)


class JoinedPackagesView(JoinedView):
    """Every package with its size in each report."""

    name = "Packages"
    description = "Packages, from all reports of the build"
    kind = "package"

    @property
    def table(self) -> NumberTable:
        """The packages."""
        return self.joined.packages

    def make_columns(self) -> tuple[Column, ...]:
        """Returns the number of classes, and columns of the existing reports."""
        there = self.report.counted
        return (CLASSES_COLUMN, *(column for column in COLUMNS if column.name in there))

    def spans(self, name: str) -> tuple[Span, ...]:
        """One span: the whole text is the name."""
        return (Span(0, len(name), "class"),)

    def sections_of(self, name: str) -> Sequence[Section]:
        """Sections: its numbers, its largest classes, and the path to it."""
        return package_sections(self.report, name)


class JoinedViews(JoinedReport):
    """The joined data with its views."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name."""
        return {"Classes": lambda: FolderClassesView(self), "Packages": lambda: JoinedPackagesView(self)}

    @property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """Both views."""
        return {view.name: cast(JoinedView, view).comparable for view in self.views}
