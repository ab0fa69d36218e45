"""The differences of two reports as tables: one for each view, with a row for each row of the view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parsers.model.tables.column_values import TableColumn
from parsers.model.tables.table import SqlView, Table, Tables, TableType
from parsers.reporting.comparison.compared_view import CHANGE, OLD, VIA, ComparedView
from parsers.reporting.comparison.lines import ADDED, REMOVED
from parsers.views.report_tables import listed, of_type, singular, sql_type

if TYPE_CHECKING:
    from parsers.model.row import Badge

NAMED = {
    "package": ("package", "class", "method"),
    "class": ("package", "class", "method"),
    "method": ("package", "method"),
    "type": ("type",),
}
"""By kind of row: tables that may have such rows, best first; those of a member of a build before those of all."""
PLURALS = {"package": "packages", "class": "classes", "method": "methods", "type": "types"}
CHANGES = {"introduced": (ADDED, "new"), "removed": (REMOVED, "old")}


def compared_tables(views: Sequence[ComparedView]) -> Tables:
    """Returns the tables of some views of a comparison, and views of what was added and removed."""
    tables = {name: _table(view, name) for view in views if (name := singular(view.name))}
    return Tables(tables.values(), tuple(_views(tables)))


def _views(tables: dict[str, Table]) -> Iterator[SqlView]:
    for kind, places in NAMED.items():
        every = sorted(tables, reverse=True)
        named = (name for place in places for name in every if f"{name}_".startswith(f"{place}_"))
        place = next(named, None)
        for word, (change, report) in CHANGES.items() if place is not None else ():
            query = f"FROM {place} WHERE kind = '{kind}' AND change = '{change}'"
            about = f"{PLURALS[kind]} that only the {report} report has, as `diff` lists them"
            yield SqlView(f"{word}_{PLURALS[kind]}", about, query)


def _table(view: ComparedView, name: str) -> Table:
    compared = view.compared_columns
    others = [column for column in view.columns if not column.name.endswith((OLD, CHANGE))]
    others = [column for column in others if all(column.name != each.name for each in compared)]
    numbers = [
        TableColumn(f"{each.name}{suffix}", sql_type(each.unit), f"{each.title}{about}", each.unit, is_nullable=True)
        for each in compared
        for suffix, about in ((OLD, ", old"), ("", ", new"), (CHANGE, ": increase"))
    ]
    texts = [TableColumn(each.name, sql_type(each.unit), each.title, each.unit, is_nullable=True) for each in others]
    type = TableType(
        name,
        view.description,
        (
            TableColumn(f"{name}_id", "BIGINT", "number of the row"),
            TableColumn("parent_id", "BIGINT", "the row above it", is_nullable=True, key=name),
            TableColumn("depth", "INTEGER", "depth of the row, from 0"),
            TableColumn("change", "VARCHAR", "added, removed or changed"),
            TableColumn("kind", "VARCHAR", "kind of the row"),
            TableColumn("name", "VARCHAR", "text of the row, without parts that differ between builds"),
            *numbers,
            *texts,
            TableColumn("ref", "VARCHAR", "REF in the new report", is_nullable=True),
            TableColumn("old_ref", "VARCHAR", "REF in the old report", is_nullable=True),
        ),
    )

    def row(node: int) -> Sequence[Any]:
        change, depth = view.change(node), view.rows.depth(node)
        found: list[Badge] = []
        for column in compared:
            unit = sql_type(column.unit)
            sides = [None if side is None else side.get(column.name, 0) for side in (change.old, change.new)]
            found += [of_type(value, unit) for value in (*sides, change.difference(column.name))]
        badges = {**change.line.badges, VIA.name: change.line.via}
        found += [of_type(badges.get(column.name), sql_type(column.unit)) for column in others]
        new, old = view.refs(change)
        parent = view.rows.parent(node)
        return parent, depth, change.change, change.line.kind, change.line.label, *found, new or None, old or None

    return listed(type, lambda: list(map(row, range(view.differences_count))))
