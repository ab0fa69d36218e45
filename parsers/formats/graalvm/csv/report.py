"""GraalVM call tree as CSV: a set of tables opened as one report, with the views of a text tree.

Source: `CallTreePrinter` of oracle/graal, versions 21.3 to 25. The rows are those that it would have printed as text,
in that order; `line:N` is the line that a row would have had.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.graalvm.calls.index.row import CONTINUED, OVERRIDDEN, VIRTUAL
from parsers.formats.graalvm.calls.kind import KIND_MARKS, OF_TABLES
from parsers.formats.graalvm.calls.label import CallText
from parsers.formats.graalvm.calls.sites import owner_row
from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.formats.graalvm.csv.format import HEADERS, NAME, SEVEN_TABLES
from parsers.formats.graalvm.csv.printed_lines.row import ComposedRows
from parsers.formats.graalvm.csv.read.table import more_columns
from parsers.formats.graalvm.csv.set import layout_of, strange_tables, table_of, title_of
from parsers.formats.graalvm.csv.summary import MISSING
from parsers.formats.graalvm.csv.view import CsvTreeView
from parsers.formats.graalvm.folder.format import header_of
from parsers.formats.graalvm.text.report import fits_head
from parsers.io.group import SourceGroup
from parsers.io.report_name import split_name
from parsers.model.row import Kind, Section, SectionRow

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.view import CallRowsView
    from parsers.formats.graalvm.csv.indexed import IndexedCsvTree
    from parsers.formats.graalvm.csv.tree import CsvTree
    from parsers.index.in_memory import MemoryIndex
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Problem


INEXACT = (
    "a virtual call may mean all that override its target anywhere in the program, so some of these calls, and "
    "paths through them, don't exist"
)
"""Measured on a program printed both ways: 65,000 pairs of caller and callee by virtual calls, 36,000 of them real."""

INEXACT_GRAPH = (
    "Seven tables join a virtual call with all overrides of its target: some paths don't exist, and a method may"
    " dominate, or a cut remove, more than is shown."
)


class CsvReport(CallTreeReport):
    """One opened set, with the views of a text tree."""

    format = NAME
    format_title = "GraalVM call tree as CSV"
    kinds: Mapping[str, Kind] = {**KIND_MARKS, OF_TABLES.name: OF_TABLES}
    entry_points_view = "parsers.formats.graalvm.csv.view:CsvEntryPointsView"
    packages_view = "parsers.formats.graalvm.csv.view:CsvPackagesView"

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """sources: all existing tables, by their names"""
        self._sources = sources
        self.composed = ComposedRows(self)
        self._small: CsvTree | None = None
        super().__init__(SourceGroup(sources), cache)
        self.title = title_of([source.name for source in sources])

    # -- overrides of reading the file --------------------------------------------------------------------------------

    def _fits_head(self) -> bool:
        """Returns True if the heads are the whole files, and plain code can build the tree."""
        fit = [fits_head(source) for source in self._sources]
        if not all(fit):
            return False
        from parsers.formats.graalvm.csv.tree import MOST_PLAIN, TooManyRowsError, tree_of

        with contextlib.suppress(TooManyRowsError):
            self._small = tree_of(self._sources, MOST_PLAIN)
        return self._small is not None

    def plain_tree(self, head: bytes) -> CsvTree:
        """Returns the tree of a small set, else an empty one."""
        from parsers.formats.graalvm.csv.tree import CsvTree

        return CsvTree(None) if self._small is None else self._small

    def _indexed_tree(self, reader: IndexReader | MemoryIndex) -> IndexedCsvTree:
        from parsers.formats.graalvm.csv.indexed import IndexedCsvTree

        return IndexedCsvTree(reader)

    def _index_in_memory(self) -> MemoryIndex:
        from parsers.formats.graalvm.csv.build import PLAIN_COLUMNS, csv_arrays
        from parsers.formats.graalvm.text.read.plain_index import index_in_memory

        assert self._small is not None
        return index_in_memory(self._small, csv_arrays, PLAIN_COLUMNS)

    def parse(self, row: int) -> CallText:
        """Returns the content of a row."""
        return self.composed.parsed(row)

    def offset_of(self, row: int) -> int | None:
        """None, as a row is composed from rows of several tables."""
        return None

    def _named(self, problem: Problem) -> Problem:
        """Returns a problem with the path of its file instead of the name; for a missing table also similar names."""
        if problem.kind == MISSING:
            table = next(table for table in HEADERS if f" {table} " in problem.what)
            strange = strange_tables(self._sources[0], table)
            what = f"{problem.what}; {', '.join(strange)} is empty or has another first line"
            return replace(problem, what=what) if strange else problem
        paths = {os.path.basename(source.path): source.path for source in self._sources}
        return replace(problem, file=paths.get(problem.file, problem.file))

    def node_of_problem(self, problem: Problem) -> int | None:
        """Returns the row of the first view for a problem; None if there is none."""
        from parsers.formats.graalvm.csv.problem_rows import row_of_problem

        return row_of_problem(self, self._sources, problem)

    @property
    def has_reasons(self) -> bool:
        """Always False: tables have no reasons of entries."""
        return False

    def version_of_head(self) -> str | None:
        """Version proved by the headers of seven tables; three tables must be read whole."""
        return self._version_of_headers

    @cached_property
    def _version_of_headers(self) -> str | None:
        from parsers.formats.graalvm.csv.read.graph import version_of_seven

        headers = {table_of(source): header_of(source.head) for source in self._sources}
        if layout_of(list(headers)) != SEVEN_TABLES:
            return None
        return version_of_seven(headers, min(source.name for source in self._sources))

    def read_sibling_files(self, waits: bool = True) -> None:
        """Does nothing: the layout of tables narrows the version more than other reports."""

    def notes(self, row: int) -> Sequence[Section]:
        """Returns the additional facts from the table of methods.

        For seven tables: the targets of a virtual call are all overriding methods, so some calls are not real.
        """
        sections = [self._in_table(row)]
        if self.is_inexact and self.tree.kind(row) in (VIRTUAL, OVERRIDDEN):
            sections.append(Section("Of these tables", (SectionRow("", INEXACT),)))
        return sections

    @property
    def is_inexact(self) -> bool:
        """True if the tables don't distinguish the targets of a call from those of any call of the same method."""
        return not any(table_of(source) in ("invokes", "targets") for source in self._sources)

    def _in_table(self, row: int) -> Section:
        """Returns the section with the row of the method in its table, if it is found quickly."""
        from parsers.formats.graalvm.csv.method_row import facts_of, find_id, find_method, place_text

        tables = {table_of(source): source for source in self._sources}
        id = self.parsed(row).id
        table = "virtual_methods" if id is None and "virtual_methods" in tables else "methods"
        source = tables.get(table)
        if source is None or not source.is_whole:
            return Section("", ())
        more = more_columns(header_of(tables.get("methods", source).head))
        found = find_method(source, self.composed.method(row), more) if id is None else find_id(source, id, more)
        if found is None:
            return Section("", ())
        file = SectionRow("table", os.path.basename(source.path))
        return Section("In its table", (*facts_of(found.method, more), file, SectionRow("at", place_text(found))))

    @property
    def graph_note(self) -> str:
        """Remark that concerns all answers about the graph."""
        return INEXACT_GRAPH if self.is_inexact else ""

    def why(self, view: str, node: int) -> Sequence[int]:
        """Returns the path from an entry, through the calls of methods that are continued at the top."""
        path = list(super().why(view, node))
        while path and not self.graph.cuts and self.tree.kind(path[0]) == CONTINUED:
            site = self._first_call(path[0])
            if site is None:
                break
            path = [*self.views[0].path(site), *path]
        return path

    def _first_call(self, row: int) -> int | None:
        """Returns the first call of a method on a shortest path from an entry."""
        tree, vertex = self.tree, self.tree.vertex(row)
        distance = tree.distance(vertex)
        for site in map(int, tree.vertex_rows(vertex)):
            owner = None if site == row else owner_row(tree, site)
            before = None if owner is None else tree.distance(tree.vertex(owner))
            if distance is not None and before is not None and before + 1 == distance:
                return site
        return None

    # -- the whole ----------------------------------------------------------------------------------------------------

    @property
    def files(self) -> Sequence[str]:
        """The existing tables."""
        return [source.path for source in self._sources]

    @property
    def file_totals(self) -> Sequence[Mapping[str, object]]:
        """Table, bytes and rows of each file."""
        rows = cast("Mapping[str, int]", self.totals.get("rows", {}))
        tables = [table_of(source) for source in self._sources]
        return [
            {"table": table, "bytes": source.size} | ({"rows": rows[table]} if table in rows else {})
            for table, source in zip(tables, self._sources, strict=True)
        ]

    @property
    def facts(self) -> Mapping[str, object]:
        """Image and time, missing tables, facts of the tree, and limits of the tables."""
        named = split_name(self._sources[0].name)
        facts = {key: fact for key, fact in super().facts.items() if key not in ("image", "written")}
        if named.image:
            facts = {"image": named.image} | facts
        facts |= {"written": str(named.written)} if named.written else {}
        return facts | ({"virtual_calls": INEXACT} if self.is_inexact else {})

    # -- views --------------------------------------------------------------------------------------------------------

    def _document_view(self) -> CallRowsView:
        if self.is_small:
            return CsvTreeView(self)
        from parsers.formats.graalvm.csv.head_view import CsvHeadView
        from parsers.views.preview_switch import PreviewSwitch

        return cast("CallRowsView", PreviewSwitch(CsvHeadView(self, self._sources), CsvTreeView(self)))
