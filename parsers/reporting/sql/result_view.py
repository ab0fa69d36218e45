"""The rows of a query as a view: texts are the label, numbers are columns, `ref` names a row of the report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.preorder import FlatPreorder
from parsers.model.ref_number import numbered_node
from parsers.model.report import (
    Badge,
    Column,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    UnknownReference,
    View,
    value_in,
)
from parsers.reporting.sql.result_columns import is_number, unique_names
from parsers.views.base import LabelFiltered
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.reporting.rules.named_rows import ArrayRows
    from parsers.reporting.sql.database import Database

REF = "ref"
"""The column with REFs of the report's rows."""
KIND = "row"
"""Kind of the rows."""
PAGE = 512
"""Rows taken at once."""


class ResultView(LabelFiltered, PositionsView):
    """The result of one query over a report. It runs when its rows are first needed."""

    name = "Query"
    description = "Rows of a query"
    shape: Shape = "table"

    def __init__(self, report: Report, database: Database, query: str, number: int) -> None:
        """Raises `SqlError` for a query that the report can't answer. number: unique in the database"""
        self._report, self._database, self._query = report, database, query
        self._stored = f"result_{number}"
        typed = database.columns_of(query)
        self._names = unique_names(name for name, _ in typed)
        self._pages: dict[int, list[tuple[Any, ...]]] = {}
        of_numbers = [is_number(type) for _, type in typed]
        numbers = [name for name, each in zip(self._names, of_numbers, strict=True) if each]
        self._texts = [place for place, name in enumerate(self._names) if not of_numbers[place] and name != REF]
        self.columns = tuple(Column(name, name, width=max(9, len(name)), adds_up=True) for name in numbers)
        self.orders = (*numbers, "name")

    @cached_property
    def rows(self) -> FlatPreorder:
        """The rows of the query. Raises `SqlError`."""
        count = self._database.store(self._query, self._stored)
        return FlatPreorder(lambda: count, lambda: True)

    def values(self, node: int) -> tuple[Any, ...]:
        """Returns the values of a row. Raises `SqlError`."""
        page = node // PAGE
        if page not in self._pages:
            count = self.rows.rows
            self._pages = {page: self._database.stored(self._stored, page * PAGE, min((page + 1) * PAGE, count))}
        return self._pages[page][node % PAGE]

    def row(self, node: int) -> Row:
        """Returns a row."""
        values = self.values(node)
        badges = {name: _badge(value) for name, value in zip(self._names, values, strict=True) if name != REF}
        # A column of that name is the row's own number, see `value_in`.
        below = badges.get("rows_below", 0)
        return Row(
            node=node,
            kind=KIND,
            label=self._label(values),
            badges=badges,
            ref=self._ref(values),
            rows_below=below if isinstance(below, int) else None,
        )

    def _label(self, values: Sequence[Any]) -> str:
        texts = [str(values[place]) for place in self._texts if values[place] is not None]
        if texts:
            return "  ".join(texts)
        named = zip(self._names, values, strict=True)
        return self._ref(values) or ", ".join(f"{name} {_badge(value)}" for name, value in named)

    def _ref(self, values: Sequence[Any]) -> str:
        ref = values[self._names.index(REF)] if REF in self._names else None
        return "" if ref is None else str(ref)

    def origin(self, node: int) -> tuple[View, int] | None:
        """Returns the view and row of the report that the REF of a row names; None: it names none."""
        ref = self._ref(self.values(node))
        try:
            return self._report.locate(ref) if ref else None
        except UnknownReference:
            return None

    def named_rows(self, kind: str) -> ArrayRows:
        """Returns all rows by their labels."""
        import numpy as np

        from parsers.reporting.rules.name_table import NameTable
        from parsers.reporting.rules.named_rows import ArrayRows

        count = self.rows.rows
        every = np.arange(count)
        return ArrayRows(lambda: NameTable.of(self.labels(0, count)), every, every, self._numbers)

    def _numbers(self, column: Column, nodes: Iterable[int]) -> list[int | float | None]:
        values = self._database.stored_numbers(self._stored, self._names.index(column.name))
        return [values[node] for node in nodes]

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of rows."""
        return [self._label(self.values(node)) for node in range(start, stop)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Returns sort keys: texts, or numbers, -1 where there is none."""
        if order == "name":
            return [self.labels(node, node + 1)[0] for node in nodes]
        column = next(each for each in self.columns if each.name == order)
        values = (value_in(self.row(node), column) for node in nodes)
        return [value if isinstance(value, int | float) else -1 for value in values]

    def resolve(self, ref: str) -> int:
        """Returns the row `node:N`. Raises `UnknownReference`."""
        node = numbered_node(ref, self.rows.rows)
        if node is None:
            raise UnknownReference(f"{ref}: rows of a query are node:0, node:1 …")
        return node

    def key(self, node: int) -> Hashable | None:
        """Returns None: other views have no such rows."""
        return None

    def find_key(self, key: Hashable) -> int | None:
        """Returns None."""
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns all values of a row."""
        pairs = zip(self._names, self.values(node), strict=True)
        return (Section("Row", tuple(SectionRow(name, str(value)) for name, value in pairs if value is not None)),)

    def references(self, node: int) -> References:
        """Returns nothing."""
        return References(f"references to {self.labels(node, node + 1)[0]}", self.name, ())


def _badge(value: Any) -> Badge:
    """Returns a value as a number or text; None for numbers without a finite value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)
