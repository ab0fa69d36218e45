"""Tables that reports of a format have, by its declaration."""

from __future__ import annotations

from functools import cache

from parsers.formats.registry import format_named
from parsers.model.late import named
from parsers.model.tables.table import TableSet
from parsers.views.report_tables import COMMON


def own_tables_of(declaration: str) -> TableSet:
    """Returns the declared tables of a format, without common ones. declaration: `Format.tables`"""
    found: TableSet = named(declaration)
    return found


@cache
def declared_tables(format: str) -> TableSet:
    """Returns the tables that reports of a format may have; open if it declares none. Raises `ReportError`."""
    declaration = format_named(format).tables
    own = own_tables_of(declaration) if declaration else TableSet(is_open=True)
    return TableSet((*COMMON.types, *own.types), (*COMMON.views, *own.views), is_open=own.is_open)
