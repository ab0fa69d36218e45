"""The schema as a list above the prompt: columns of the tables that the query names, then all tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from parsers.model.row import counted
from tui.interaction.sql.completion import word_before
from tui.interaction.sql.schema import plain
from tui.list.list_pane import FixedList, ListColumn, PaneRow, cell_text, heading_row
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from tui.interaction.sql.schema import Schema, SchemaColumn

COLUMNS = (ListColumn("name", 22), ListColumn("type", 10), ListColumn("content"))
KEYS = (("Tab", "complete"), ("Up", "history"), ("PgDn", "more"), ("Esc", "back"))


def schema_list(schema: Schema, query: str, insert: Callable[[str], object], waits: str) -> FixedList:
    """
    insert  called with the name in a row that is double clicked
    waits   message as long as there are no tables
    """
    listed = list(_rows(schema, query))

    def choose(index: int) -> None:
        insert(listed[index][1])

    rows = [row for row, _ in listed]
    return FixedList("tables of the report", COLUMNS, rows, choose, keys=KEYS, empty=waits)


def _rows(schema: Schema, query: str) -> Iterator[tuple[PaneRow, str]]:
    """Yields rows with the names that they are for, as written in a query; headings have none."""
    used = schema.used(query)
    for alias, table in used.items():
        name = table.name if alias == table.name else f"{table.name}, as {alias}"
        yield heading_row(name, "", [Piece(safe(table.about), "quiet")]), ""
        for column in table.columns:
            cells = (safe(column.name), safe(column.type.lower()), [Piece(_about(column), "quiet")])
            yield PaneRow(cells), schema.quoted(column.name)
    if used:
        yield heading_row("all tables", "", ""), ""
    for table in schema.tables:
        name = f"{table.schema}.{table.name}" if len(schema.schemas) > 1 else table.name
        cells = (safe(name), counted(len(table.columns), "column"), [Piece(safe(table.about), "quiet")])
        yield PaneRow(cells), schema.written(table)


def _about(column: SchemaColumn) -> str:
    """Description of a column, with its unit and key unless the description has them."""
    unit = f"; {column.unit}" if column.unit and column.unit not in column.about else ""
    key = f"; key of {column.key}" if column.key and f"key of {column.key}" not in column.about else ""
    return safe(f"{column.about}{unit}{key}")


def row_of_word(rows: FixedList, text: str) -> int:
    """The first row whose name begins with the word at the end of a text; without one the first row."""
    wanted = plain(word_before(text)[0]).lower()
    if wanted:
        for index, row in enumerate(rows.rows):
            name = cell_text(row.cells[0]).lower()
            if not row.is_heading and (name.startswith(wanted) or f".{wanted}" in name):
                return index
    return 0
