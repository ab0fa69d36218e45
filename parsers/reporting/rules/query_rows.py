"""The rows of a query for a rule: texts are the label, numbers are columns, `ref` names a row of the report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from parsers.model.late import numpy as np
from parsers.model.row import Badge, Column, Row
from parsers.model.view import UnknownReference, View
from parsers.reporting.sql.result_view import ResultView
from parsers.reporting.sql.stored_rows import RowWriter, StoredRows

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.reporting.rules.array_rows import ArrayRows
    from parsers.reporting.sql.database import Database


def stored(database: Database, query: str, prefix: str) -> StoredRows:
    """Runs a query and stores its rows in files; prefix: beginning of their paths. Raises `SqlError`, `OSError`."""
    columns, result = database.run_stored(query)
    with RowWriter(prefix, columns) as writer:
        for rows in result.batches():
            writer.append(rows)
    found = StoredRows(prefix)
    found.follow(writer.rows)
    return found


class QueryRows(ResultView):
    """The stored rows of a query over a report."""

    columns: tuple[Column, ...]
    """The numbers."""

    def __init__(self, report: Report, query: str, rows: StoredRows) -> None:
        super().__init__("Query", query, rows)
        self.follow(rows.rows, True)
        self._report = report
        is_text = [column.form == "text" for column in rows.columns]
        self._texts = [place for place, each in enumerate(is_text) if each and place != self._ref]
        numbers = [column.name for column, each in zip(rows.columns, is_text, strict=True) if not each]
        self.columns = tuple(Column(name, name, width=max(9, len(name)), adds_up=True) for name in numbers)

    def values(self, node: int) -> list[Badge]:
        """The values of a row; None for numbers without a finite value."""
        columns = self.stored.columns
        return [_value(column.form, value) for column, value in zip(columns, super().values(node), strict=True)]

    def row(self, node: int) -> Row:
        """One row."""
        values = self.values(node)
        badges = {name: value for name, value in zip(self.value_names, values, strict=True) if name != "ref"}
        # A column of that name is the row's own number, see `value_in`.
        below = badges.get("rows_below", 0)
        return Row(
            node=node,
            kind="row",
            label=self._label_of(values),
            badges=badges,
            ref=self._ref_of(values),
            rows_below=below if isinstance(below, int) else None,
        )

    def _label_of(self, values: Sequence[Badge]) -> str:
        texts = [str(values[place]) for place in self._texts if values[place] is not None]
        if texts:
            return "  ".join(texts)
        named = zip(self.value_names, values, strict=True)
        return self._ref_of(values) or ", ".join(f"{name} {value}" for name, value in named)

    def _ref_of(self, values: Sequence[Badge]) -> str:
        ref = None if self._ref is None else values[self._ref]
        return "" if ref is None else str(ref)

    def origin(self, node: int) -> tuple[View, int] | None:
        """The view and row of the report that the REF of a row names; None: it names none."""
        ref = self._ref_of(self.values(node))
        try:
            return self._report.locate(ref) if ref else None
        except UnknownReference:
            return None

    def named_rows(self, kind: str) -> ArrayRows:
        """All rows by their labels."""
        from parsers.query.selection.texts_met import MatchedTexts
        from parsers.reporting.rules.array_rows import ArrayRows

        count = self.stored.rows
        every = np.arange(count)
        return ArrayRows(lambda: MatchedTexts.of_texts(self.labels(0, count)), every, every, self._numbers_of)

    def _numbers_of(self, column: Column, nodes: Iterable[int]) -> list[int | float | None]:
        place = self.value_names.index(column.name)
        form = self.stored.columns[place].form
        return [_value(form, values[place]) for values in self.values_of(list(nodes))]  # type: ignore[misc]

    def labels(self, start: int, stop: int) -> list[str]:
        """The labels of some rows."""
        return [self._label_of(self.values(node)) for node in range(start, min(stop, self.stored.rows))]


def _value(form: str, value: Badge) -> Badge:
    """A value as a whole number, a finite one or a text; otherwise None."""
    if form == "exact" and isinstance(value, str):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
