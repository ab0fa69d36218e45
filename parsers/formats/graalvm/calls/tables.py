"""Tables of a call tree, read from text or CSV: methods, calls, entries, classes and packages."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import ENTRY, KINDS, UNCALLED, package_of
from parsers.formats.graalvm.text.columns_of_rows import OfRows, RowsOfTree, known, of_places
from parsers.formats.graalvm.text.indexed_tree import signed
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Named,
    TableColumn,
    TextArrays,
    Values,
    constant,
    gathered,
    headed,
    numbered,
    python_texts,
    taken,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U32Array

METHOD = TableType(
    "method",
    "Methods, by first mention.",
    (
        TableColumn("method_id", "BIGINT", "number of the method"),
        TableColumn("name", "VARCHAR", "`holder.name(types):type`, without loader"),
        TableColumn("class_id", "INTEGER", "its class, unless it is declared nowhere", is_nullable=True, key="class"),
        TableColumn("class", "VARCHAR", "name of the class", is_nullable=True),
        TableColumn("package_id", "INTEGER", "its package", is_nullable=True, key="package"),
        TableColumn("package", "VARCHAR", "name of the package", is_nullable=True, is_interned=True),
        TableColumn("loader", "VARCHAR", "class loader, printed by 24.2 and newer", is_nullable=True),
        TableColumn("id", "BIGINT", "id in the report; targets of virtual calls have none", is_nullable=True),
        TableColumn("distance", "INTEGER", "calls on a shortest path from an entry, if there is any", is_nullable=True),
        TableColumn("calls_in", "BIGINT", "call sites of the method"),
        TableColumn("calls_out", "BIGINT", "calls in the method of methods with an id"),
        TableColumn(
            "retained_methods", "BIGINT", "methods reachable only through it, itself included", is_nullable=True
        ),
        TableColumn("rows_below", "BIGINT", "rows below its declaration", is_nullable=True),
        TableColumn("line", "BIGINT", "line of its declaration", is_nullable=True),
        TableColumn("ref", "VARCHAR", "REF of its declaration, else of the first row that names it"),
    ),
)
CALL = TableType(
    "call",
    "Rows of the tree that are calls, in its order. Possible targets of a virtual call are rows of their own.",
    (
        TableColumn("call_id", "BIGINT", "number of the call"),
        TableColumn("caller_id", "BIGINT", "the method that contains the call", is_nullable=True, key="method"),
        TableColumn("callee_id", "BIGINT", "the method that is called", is_nullable=True, key="method"),
        TableColumn("kind", "VARCHAR", "kind of the row: direct call, virtual call, overridden by …", is_interned=True),
        TableColumn("bci", "VARCHAR", "bytecode index; of inlined code several, joined by `->`", is_nullable=True),
        TableColumn("caller_class_id", "INTEGER", "class of the caller", is_nullable=True, key="class"),
        TableColumn("callee_class_id", "INTEGER", "class of the callee", is_nullable=True, key="class"),
        TableColumn("caller_package", "VARCHAR", "package of the caller", is_nullable=True, is_interned=True),
        TableColumn("callee_package", "VARCHAR", "package of the callee", is_nullable=True, is_interned=True),
        TableColumn("is_declaration", "BOOLEAN", "true if the calls of the callee are below this row"),
        TableColumn("is_reference", "BOOLEAN", "true if the row refers to a declaration elsewhere"),
        TableColumn("depth", "INTEGER", "depth of the row in the tree, from 0"),
        TableColumn("rows_below", "BIGINT", "rows below it"),
        TableColumn("line", "BIGINT", "line of the row"),
        TableColumn("ref", "VARCHAR", "REF of the row"),
    ),
)
ENTRY_POINT = TableType(
    "entry",
    "Rows that show a method without calling it: entry points, and in CSV sets unreachable and continued methods.",
    (
        TableColumn("entry_id", "BIGINT", "number of the entry"),
        TableColumn("method_id", "BIGINT", "its method", is_nullable=True, key="method"),
        TableColumn("kind", "VARCHAR", "entry, unreached or continued", is_interned=True),
        TableColumn("reason", "VARCHAR", "parsing reason, printed by 24.1 and newer", is_nullable=True),
        TableColumn("is_declaration", "BOOLEAN", "true if the calls of the method are below this row"),
        TableColumn("rows_below", "BIGINT", "rows below it"),
        TableColumn("line", "BIGINT", "line of the row"),
        TableColumn("ref", "VARCHAR", "REF of the row"),
    ),
)
CLASS = TableType(
    "class",
    "Classes that declare methods, by package.",
    (
        TableColumn("class_id", "INTEGER", "number of the class"),
        TableColumn("name", "VARCHAR", "name"),
        TableColumn("package_id", "INTEGER", "its package", key="package"),
        TableColumn("package", "VARCHAR", "name of the package", is_interned=True),
        TableColumn("methods", "BIGINT", "methods that it declares"),
        TableColumn("calls_in", "BIGINT", "call sites of these"),
        TableColumn("rows_below", "BIGINT", "rows below their declarations, each counted once"),
        TableColumn("ref", "VARCHAR", "REF of the class"),
    ),
)
PACKAGE = TableType(
    "package",
    "Packages, by name.",
    (
        TableColumn("package_id", "INTEGER", "number of the package"),
        TableColumn("name", "VARCHAR", "name; a class without package is its own"),
        TableColumn("classes", "BIGINT", "classes"),
        TableColumn("methods", "BIGINT", "methods"),
        TableColumn("calls_in", "BIGINT", "call sites of these"),
        TableColumn("rows_below", "BIGINT", "rows below their declarations, each counted once"),
        TableColumn("ref", "VARCHAR", "REF of the package"),
    ),
)
VIEWS = (
    SqlView(
        "largest_packages",
        "packages by rows below their methods, as the view Packages sorts by weight",
        "SELECT name, methods, calls_in, rows_below, ref FROM package ORDER BY rows_below DESC, name",
    ),
    SqlView(
        "most_called_methods",
        "methods by call sites",
        "SELECT name, calls_in, distance, ref FROM method WHERE calls_in > 0 ORDER BY calls_in DESC, name",
    ),
    SqlView(
        "dominating_methods",
        "methods by the number of methods reachable only through them, as the view Dominators",
        "SELECT name, retained_methods, ref FROM method WHERE retained_methods IS NOT NULL"
        " ORDER BY retained_methods DESC, method_id",
    ),
)
CALL_TABLES = TableSet(
    (METHOD, CALL, ENTRY_POINT, CLASS, PACKAGE),
    VIEWS,
    (
        (
            "Which packages call the most methods of other packages?",
            "SELECT caller_package, count(*) AS calls FROM call WHERE caller_package <> callee_package"
            " GROUP BY ALL ORDER BY calls DESC, caller_package LIMIT 10",
        ),
        (
            "Which methods are called from most classes?",
            "SELECT method.name, count(DISTINCT caller_class_id) AS classes, any_value(method.ref) AS ref"
            " FROM call JOIN method ON callee_id = method_id GROUP BY method_id, method.name"
            " ORDER BY classes DESC, method.name LIMIT 10",
        ),
        (
            "Which entry points have the most rows below them?",
            "SELECT method.name, entry.rows_below, entry.ref FROM entry JOIN method USING (method_id)"
            " ORDER BY entry.rows_below DESC, entry_id LIMIT 10",
        ),
    ),
)

BCI = re.compile(rb" @bci=(-?[0-9]+(?:->-?[0-9]+)*) ?\r?(?:\n|\Z)")
"""At the end of a line."""


def call_tables(report: CallReport) -> Tables:
    """Returns the tables of a call tree."""
    return _CallTables(report).tables()


class _CallTables(RowsOfTree):
    """Columns of the tables, each made on first use."""

    report: CallReport

    def tables(self) -> Tables:
        """Returns the tables."""
        return Tables((self._methods(), self._calls(), self._entries(), self._classes(), self._packages()), VIEWS)

    # -- methods ------------------------------------------------------------------------------------------------------

    def _methods(self) -> Table:
        tree = self.tree
        columns = {
            "name": lambda start, stop: Named(signed(self.array("vertex_name")[start:stop]), self.names),
            "class_id": lambda start, stop: known(self._class_of[start:stop]),
            "class": lambda start, stop: Named(self._class_of[start:stop], self._class_names),
            "package_id": lambda start, stop: known(self._package_of[start:stop]),
            "package": lambda start, stop: Named(self._package_of[start:stop], self._package_names),
            "loader": self._loaders,
            "id": whole(lambda: known(tree.ids())),
            "distance": whole(self._distances),
            "calls_in": whole(self.report.call_site_counts),
            "calls_out": whole(self._calls_out),
            "retained_methods": whole(self.retained),
            "rows_below": lambda start, stop: self.below(self.array("declaration")[start:stop]),
            "line": lambda start, stop: self.lines(self.array("declaration")[start:stop]),
            "ref": lambda start, stop: self.refs(self.first_rows[start:stop]),
        }
        return Table(METHOD, lambda: tree.vertices, columns)

    def _loaders(self, start: int, stop: int) -> Values:
        report = self.report
        if not report.facts.get("loaders"):
            return constant(None, stop - start)
        texts = [report.parsed(row) for row in self.first_rows[start:stop].tolist()]
        return text_arrays([text.label.removesuffix(text.method).removesuffix(":") or None for text in texts])

    def _distances(self) -> Values:
        distances = self.array("distance")
        return unless(distances, np.iinfo(distances.dtype).max)

    def _calls_out(self) -> Values:
        callers, callees = self._caller_of, self.array("vertex")
        is_known = _is_call(self.tree.kinds(0, self.tree.rows)) & (callees != NONE) & (callers != NONE)
        is_known[is_known] = self.tree.ids()[callees[is_known]] >= 0
        return np.bincount(callers[is_known], minlength=self.tree.vertices)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _calls(self) -> Table:
        def packages(methods: U32Array) -> Named:
            return Named(of_places(self._package_of, methods), self._package_names)

        callees = self.array("vertex")
        own: dict[str, OfRows] = {
            "caller_id": lambda rows: unless(self._caller_of[rows], NONE),
            "callee_id": lambda rows: unless(callees[rows], NONE),
            "kind": lambda rows: Named(self.kinds_of(rows), text_arrays(KINDS)),
            "bci": self._bcis,
            "caller_class_id": lambda rows: known(of_places(self._class_of, self._caller_of[rows])),
            "callee_class_id": lambda rows: known(of_places(self._class_of, callees[rows])),
            "caller_package": lambda rows: packages(self._caller_of[rows]),
            "callee_package": lambda rows: packages(callees[rows]),
        }
        return self.table_of_rows(CALL, _is_call, own)

    @cached_property
    def _caller_of(self) -> U32Array:
        """By row the method that contains it: of possible targets the one that contains the virtual call; or NONE."""
        from parsers.formats.graalvm.text.graph.rows import owners_of_rows

        return owners_of_rows(self.tree, self.array("vertex"), ENTRY, NONE)

    def _bcis(self, rows: U32Array) -> Values:
        from parsers.formats.graalvm.csv.indexed import NO_BCI, STRANGE, IndexedCsvTree

        tree = self.tree
        if not isinstance(tree, IndexedCsvTree):
            return self._bcis_of_text(rows)
        numbers = tree.array("bci")[rows]
        if (numbers == STRANGE).any():
            return text_arrays([tree.bci(row) for row in rows.tolist()])
        return numbered("", unless(numbers, NO_BCI))

    def _bcis_of_text(self, rows: U32Array) -> Values:
        """Reads the ends of the lines of calls."""
        found: list[bytes | None] = []
        for first in range(0, len(rows), PIECE):
            piece = rows[first : first + PIECE].astype(np.int64)
            offsets = self.tree.offsets(int(piece[0]), int(piece[-1]) + 2)
            begins = offsets[piece - piece[0]]
            is_last = int(piece[-1]) + 1 >= self.tree.rows
            end = self.report.source.size if is_last else int(offsets[-1])
            data = self.report.source.pread(end - int(begins[0]), int(begins[0]))
            matches = [(match.start(), match[1]) for match in BCI.finditer(data)]
            places = np.searchsorted(begins - begins[0], [place for place, _ in matches], "right") - 1
            of_piece: list[bytes | None] = [None] * len(piece)
            for place, (_, bci) in zip(places.tolist(), matches, strict=True):
                of_piece[place] = bci
            found += of_piece
        return text_arrays(found)

    # -- entries ------------------------------------------------------------------------------------------------------

    def _entries(self) -> Table:
        def reasons(rows: U32Array) -> Values:
            if self.report.totals.get("parsing_reasons") == 0:
                return constant(None, len(rows))
            return text_arrays([self.report.parsed(row).reason or None for row in rows.tolist()])

        own: dict[str, OfRows] = {
            "method_id": lambda rows: unless(self.array("vertex")[rows], NONE),
            "kind": lambda rows: Named(self.kinds_of(rows), text_arrays(KINDS)),
            "reason": reasons,
        }
        return self.table_of_rows(ENTRY_POINT, _is_uncalled, own)

    # -- classes and packages -----------------------------------------------------------------------------------------

    def _classes(self) -> Table:
        columns = {
            "name": whole(lambda: self._class_names),
            "package_id": whole(lambda: self._package_of_class),
            "package": whole(lambda: Named(self._package_of_class, self._package_names)),
            "methods": whole(lambda: _differences(self._packed("class_first"))),
            "calls_in": whole(lambda: self._packed("class_call_sites")),
            "rows_below": whole(lambda: self._packed("class_weight")),
            "ref": whole(lambda: headed("class:", self._class_names)),
        }
        return Table(CLASS, lambda: len(self._packed("class_first")) - 1, columns)

    def _packages(self) -> Table:
        columns = {
            "name": whole(lambda: self._package_names),
            "classes": whole(lambda: _differences(self._packed("package_first"))),
            "methods": whole(
                lambda: _differences(self._packed("class_first")[self._packed("package_first").astype("i8")])
            ),
            "calls_in": whole(lambda: self._packed("package_call_sites")),
            "rows_below": whole(lambda: self._packed("package_weight")),
            "ref": whole(lambda: headed("package:", self._package_names)),
        }
        return Table(PACKAGE, lambda: len(self._packed("package_first")) - 1, columns)

    def _packed(self, name: str) -> AnyArray:
        return self.array(f"packages.{name}")

    @cached_property
    def _class_of(self) -> I64Array:
        """By method the row of its class; -1 without one."""
        vertices, firsts = self._packed("vertices"), self._packed("class_first")
        classes = np.full(self.tree.vertices, -1, np.int64)
        classes[vertices] = np.repeat(np.arange(len(firsts) - 1), _differences(firsts))
        return classes

    @cached_property
    def _package_of_class(self) -> I64Array:
        firsts = self._packed("package_first")
        return np.repeat(np.arange(len(firsts) - 1), _differences(firsts))

    @cached_property
    def _package_of(self) -> I64Array:
        """By method the row of its package; -1 without one."""
        return np.append(self._package_of_class, -1)[self._class_of]

    @cached_property
    def _class_names(self) -> TextArrays:
        """Names of classes, each the holder of its first method."""

        from parsers.formats.graalvm.calls.group_names import holder_lengths

        firsts = self._packed("class_first")[:-1]
        methods = self.array("vertex_name")[self._packed("vertices")[firsts]]
        names = gathered(Named(signed(methods), self.names))
        return taken(names.data, names.starts[:-1], holder_lengths(names.starts, names.data))

    @cached_property
    def _package_names(self) -> TextArrays:
        firsts = self._packed("package_first")[:-1]
        classes = python_texts(Named(firsts.astype("i8"), self._class_names))
        return text_arrays([package_of(name) for name in classes if name is not None])


PIECE = 1 << 14
"""Calls whose lines are read at once."""


def _differences(firsts: AnyArray) -> I64Array:
    starts: I64Array = firsts.astype("i8")
    return starts[1:] - starts[:-1]


def _is_call(kinds: AnyArray) -> BoolArray:
    return ~_is_uncalled(kinds)


def _is_uncalled(kinds: AnyArray) -> BoolArray:
    return np.isin(kinds, UNCALLED)
