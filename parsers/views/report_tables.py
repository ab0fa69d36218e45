"""Tables that every report has: its files, facts and problems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import starmap
from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np
from parsers.model.row import value_in
from parsers.model.tables.column_values import Known, ReadColumn, TableColumn, Values, text_arrays, whole
from parsers.model.tables.table import Table, Tables, TableSet, TableType
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference
from parsers.views.collection import problem_finder

if TYPE_CHECKING:
    from parsers.model.report import Problem, Report
    from parsers.model.row import Badge, Unit
    from parsers.model.tables.column_values import SqlType
    from parsers.model.view import View

FILE = TableType(
    "file",
    "Files of the report.",
    (
        TableColumn("file_id", "BIGINT", "number of the file, from 0"),
        TableColumn("name", "VARCHAR", "path, as the report was opened"),
        TableColumn("bytes", "BIGINT", "size, unpacked", "bytes"),
    ),
)
FACT = TableType(
    "fact",
    "Facts and totals of the report, as `info --json` prints them.",
    (
        TableColumn("fact_id", "BIGINT", "number of the fact, from 0"),
        TableColumn("name", "VARCHAR", "name; parts of nested facts are joined by dots"),
        TableColumn("is_total", "BOOLEAN", "true for a count of `totals`"),
        TableColumn("number", "DOUBLE", "value of a number or truth value", is_nullable=True),
        TableColumn("text", "VARCHAR", "value as text; lists as JSON", is_nullable=True),
    ),
)
PROBLEM = TableType(
    "problem",
    "Problems of the files, as they are printed on standard error.",
    (
        TableColumn("problem_id", "BIGINT", "number of the problem, from 0"),
        TableColumn("kind", "VARCHAR", "kind"),
        TableColumn("what", "VARCHAR", "description"),
        TableColumn("done", "VARCHAR", "response of the reader"),
        TableColumn("file", "VARCHAR", "path", is_nullable=True),
        TableColumn("position", "BIGINT", "byte offset in the unpacked file", "bytes", is_nullable=True),
        TableColumn("line", "BIGINT", "line, from 1", is_nullable=True),
        TableColumn("ref", "VARCHAR", "REF of the row with the problem, where one has it", is_nullable=True),
    ),
)
COMMON = TableSet(
    (FILE, FACT, PROBLEM),
    questions=(
        ("Which counts does the report have?", "SELECT name, number FROM fact WHERE is_total ORDER BY fact_id"),
        ("Which kinds of problems are there?", "SELECT kind, count(*) AS problems FROM problem GROUP BY ALL"),
        ("How large is each file?", "SELECT name, bytes FROM file ORDER BY bytes DESC"),
    ),
)


def listed(
    type: TableType, make: Callable[[], Sequence[Sequence[Any]]], count: Callable[[], int] | None = None
) -> Table:
    """Returns a table of few rows.

    make   returns them, each with the values of all columns but the key
    count  returns their number, if it is known before
    """
    rows = cache(make)
    names = [column for column in type.columns if column.name != f"{type.name}_id"]

    def reader(place: int, type: str) -> ReadColumn:
        return whole(lambda: values_of([row[place] for row in rows()], type))

    readers = {column.name: reader(place, column.type) for place, column in enumerate(names)}
    return Table(type, count or (lambda: len(rows())), readers, is_counted=count is not None)


def values_of(values: Sequence[Any], type: str) -> Values:
    """Returns Python values, None for unknown ones, as those of a column."""
    if type == "VARCHAR":
        return text_arrays(values)
    numbers = np.array([0 if value is None else value for value in values], np.float64 if type == "DOUBLE" else None)
    return Known(numbers, np.array([value is not None for value in values], bool))


def tables_of(report: Report) -> Tables:
    """Returns all tables of a report, which keeps those of its finished index: they have what they have computed."""
    found = report.kept_tables or _make_tables(report)
    if report.is_complete:
        report.kept_tables = found
    return found


def _make_tables(report: Report) -> Tables:
    common = Tables(
        (
            listed(FILE, lambda: _files(report)),
            listed(FACT, lambda: _facts(report)),
            listed(PROBLEM, lambda: [_problem(report, problem) for problem in report.problems]),
        )
    )
    return common | report.own_tables()


def tables_of_all(reports: Iterable[Report]) -> Tables:
    """Returns the tables of some reports without common ones; of several with one name that of the first."""
    common = {type.name for type in COMMON.types}
    found = Tables()
    for report in reports:
        tables = report.tables
        own = [table for name, table in tables.items() if name not in common and name not in found]
        has_all = len(own) + len(common) == len(tables)
        found |= Tables(own, tables.views if has_all else ())
    return found


def _files(report: Report) -> list[Sequence[Any]]:
    counted_each = report.file_totals
    each = [{}] * len(report.files) if counted_each is None else counted_each
    sizes = [of_file.get("bytes", report.size) for of_file in each]
    return list(zip(report.files, sizes, strict=True))


def _facts(report: Report) -> list[Sequence[Any]]:
    named = [(False, report.facts), (True, report.totals)]
    return [
        (name, is_total, float(value) if isinstance(value, int | float) else None, _fact_text(value))
        for is_total, facts in named
        for name, value in _flat("", facts)
    ]


def _flat(prefix: str, facts: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{name}.", value)
        else:
            yield f"{prefix}{name}", value


def _fact_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _problem(report: Report, problem: Problem) -> Sequence[Any]:
    finder = problem_finder(report, report.views[0]) if len(report.views) else None
    node = None
    if finder is not None:
        try:
            node = finder[1](problem)
        except UnknownReference:
            node = None
    ref = None if finder is None or node is None else finder[0].tree.row(node).ref or None
    return problem.kind, problem.what, problem.done, problem.file or None, problem.offset, problem.line, ref


# -- tables of views --------------------------------------------------------------------------------------------------

LABEL = "label"


def view_tables(report: Report, name: str = "") -> Tables:
    """Returns a table for each view with a known number of rows. name: of the table, if there is one view"""
    views = [view for view in report.views if view.tree.preorder is not None or view.shape == "table"]
    names = [name] if name and len(views) == 1 else [singular(view.name) for view in views]
    return Tables(starmap(_view_table, zip(views, names, strict=True)))


def singular(name: str) -> str:
    """Returns the name of a view as that of a table: `Allocation sites` becomes `allocation_site`.

    `Packages (call tree)`, a view of a member, becomes `package_call_tree`.
    """
    name, _, member = name.removesuffix(")").partition(" (")
    if member:
        return f"{singular(name)}_{re.sub(r'[^a-z0-9]+', '_', member.lower())}"
    plain = re.sub(r"[ /-]+", "_", name.lower())
    if plain.endswith(("sses", "xes", "ches")):
        return plain[:-2]
    return f"{plain[:-3]}y" if plain.endswith("ies") else plain.removesuffix("s")


def _view_table(view: View, name: str) -> Table:
    columns = [column for column in view.columns if column.name not in (LABEL, "kind", "depth", "ref")]
    types = tuple(
        TableColumn(column.name, sql_type(column.unit), column.title, column.unit, is_nullable=True)
        for column in columns
    )
    type = TableType(
        name,
        view.description,
        (
            TableColumn(f"{name}_id", "BIGINT", "number of the row"),
            TableColumn("depth", "INTEGER", "depth of the row, from 0"),
            TableColumn("kind", "VARCHAR", "kind of the row"),
            TableColumn(LABEL, "VARCHAR", "text of the row"),
            *types,
            TableColumn("ref", "VARCHAR", "REF of the row, if it has one", is_nullable=True),
        ),
    )

    def rows() -> Sequence[Sequence[Any]]:
        found = []
        for node, depth in walk(view.tree):
            row = view.tree.row(node)
            numbers = [of_type(value_in(row, column), each.type) for column, each in zip(columns, types, strict=True)]
            found.append((depth, row.kind, row.label, *numbers, row.ref or None))
        return found

    preorder = view.tree.preorder
    return listed(type, rows, None if preorder is None else lambda: preorder.rows)


def sql_type(unit: Unit) -> SqlType:
    """Returns the type of the column of a view."""
    if unit == "text":
        return "VARCHAR"
    return "BIGINT" if unit in ("count", "bytes", "ns", "ticks") else "DOUBLE"


def of_type(value: Badge, type: SqlType) -> Badge:
    """Returns a value in the type of its column; None if it is of another kind."""
    if value is None or type == "VARCHAR":
        return None if value is None else str(value)
    if not isinstance(value, int | float):
        return None
    return int(value) if type == "BIGINT" else float(value)
