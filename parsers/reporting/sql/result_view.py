"""The result of a query as a view: a table of stored rows, which may still be arriving.

The first column of texts is the label; a column `ref` is the REF of the row that Enter goes to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np
from parsers.model.late.cached import forget
from parsers.model.names.java_name import class_spans, method_spans
from parsers.model.names.ref_number import is_number_of, numbered_node
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, SortKey, Span, Unit, counted
from parsers.model.tables.column_values import Known, python_texts
from parsers.model.trees.preorder import FlatPreorder
from parsers.model.view import References, Shape, StrangeReference
from parsers.reporting.sql.stored_rows import StoredColumn, StoredRows
from parsers.views.base import LabelFiltered
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

MEASURED = 200
"""First rows, whose texts decide the widths of columns."""
WIDEST_TEXT, WIDEST, NARROWEST = 28, 40, 5
"""Cells of a column: of texts and of numbers at most, and at least."""
FRONT, LEAST_LABEL = 6, 36
"""Cells before a label, and cells that a long label has at least."""
SPARE, REAL = 4, 12
"""Cells for larger numbers in rows that have not arrived yet; cells of numbers with six digits and an exponent."""
IS_METHOD = re.compile(r"[\w$.<>/]+\([^()]*\)(:\S*)?")
"""Names of methods as reports write them: class, name and types."""
REF = "ref"
NULL = "NULL"
KEPT_CHUNK = 256
"""Rows read at once: those around the one that is asked for."""


class ResultView(LabelFiltered, PositionsView):
    """One result. Its owner calls `follow` as rows arrive."""

    shape: Shape = "table"
    commands = (("sql", "SQL"), ("sort", "sort"), ("filter", "filter"))

    def __init__(self, name: str, query: str, rows: StoredRows) -> None:
        self.name, self.description, self.stored = name, query, rows
        self.is_complete = False
        self.cut_because = ""
        """Reason why the result lacks rows; empty: it is whole."""
        names = [column.name for column in rows.columns]
        self._ref = names.index(REF) if REF in names and len(names) > 1 else None
        self._label = self._label_place()
        self._others = [place for place in range(len(names)) if place not in (self._label, self._ref)]
        self.orders: tuple[str, ...] = tuple(names[place] for place in (self._label, *self._others))
        self._chunk: tuple[int, int, list[list[Badge]]] = (0, 0, [])
        """Start and end of the rows read last, and their values by column."""
        self._rows = FlatPreorder(lambda: self.stored.rows, lambda: self.is_complete)

    def _label_place(self) -> int:
        """Place of the first column of texts; without one of the first column."""
        texts = (place for place, each in enumerate(self.stored.columns) if each.form == "text" and place != self._ref)
        others = (place for place in range(len(self.stored.columns)) if place != self._ref)
        return next(texts, next(others))

    # -- progress -----------------------------------------------------------------------------------------------------

    def follow(self, rows: int, is_complete: bool, cut_because: str = "") -> None:
        """Has the first `rows` rows."""
        self.stored.follow(rows)
        if is_complete:
            # Numbers may be longer than those of the first rows.
            forget(self, ResultView.columns)
        self.is_complete, self.cut_because = is_complete, cut_because

    @property
    def stored_at(self) -> str:
        """Where another process finds the rows."""
        return self.stored.prefix

    @property
    def note(self) -> str:
        """A remark on a result that lacks rows."""
        return f"{counted(self.stored.rows, 'row')}: {self.cut_because}" if self.cut_because else ""

    @property
    def partial(self) -> str:
        """The rows so far, as long as more arrive, or if some were left out."""
        if not self.is_complete:
            return f"{counted(self.stored.rows, 'row')} so far"
        return ""

    def status_text(self, node: int) -> str:
        """The reason why the result lacks rows."""
        return f"cut: {self.cut_because}" if self.cut_because else ""

    @property
    def empty_because(self) -> str:
        """A message for a result without rows."""
        return "the query returns no rows"

    # -- columns ------------------------------------------------------------------------------------------------------

    @cached_property
    def _measured(self) -> list[list[Badge]]:
        return self.stored.python(0, min(MEASURED, self.stored.rows))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns but the label and `ref`: the first ones with the highest priority, ids with the lowest."""
        count = len(self._others)
        is_id = [is_number_of(self.stored.columns[place].name) for place in self._others]
        priorities = [count * (not is_id[number]) + count - number for number in range(count)]
        return tuple(map(self._column, self._others, priorities))

    def _column(self, place: int, priority: int) -> Column:
        stored = self.stored.columns[place]
        cells = [len(_shown(stored, value)) for value in self._measured[place] if value is not None]
        is_text = stored.form == "text"
        if self.stored.rows > MEASURED and not is_text:
            cells.append(self._longest(place) if self.is_complete else max(cells, default=0) + SPARE)
        width = min(max([NARROWEST, len(stored.name) + 1, *cells]), WIDEST_TEXT if is_text else WIDEST)
        unit: Unit = "text" if is_text or is_number_of(stored.name) else "number"
        return Column(stored.name, stored.name, unit, width=width, priority=priority)

    def _longest(self, place: int) -> int:
        """Cells of the longest number of a column."""
        values, form = self.stored.values(place, 0, self.stored.rows), self.stored.columns[place].form
        if form == "exact":
            digits = int(np.diff(values.starts).max())
            return digits + digits // 3
        if form == "real":
            return REAL
        ends = (int(values.numbers.min()), int(values.numbers.max()))
        return max(len(_shown(self.stored.columns[place], number)) for number in ends)

    @cached_property
    def label_width(self) -> int:
        """Cells of the labels of the first rows, of long ones as many as make them known."""
        longest = max((len(_text(value)) for value in self._measured[self._label]), default=0)
        return min(longest + FRONT, LEAST_LABEL)

    @property
    def label_title(self) -> str:
        """Name of the column of labels."""
        return self.stored.columns[self._label].name

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> FlatPreorder:
        """The rows so far, as roots."""
        return self._rows

    @property
    def value_names(self) -> list[str]:
        """Names of the columns, each once."""
        return [column.name for column in self.stored.columns]

    def values(self, node: int) -> list[Badge]:
        """The values of a row; numbers too long for 64 bits, and decimals, are exact."""
        start, stop, columns = self._chunk
        if not start <= node < stop:
            if not 0 <= node < self.stored.rows:
                raise IndexError(f"no row {node}")
            start = node - node % KEPT_CHUNK
            stop = min(start + KEPT_CHUNK, self.stored.rows)
            columns = self.stored.python(start, stop)
            self._chunk = start, stop, columns
        return [_badge(column, each[node - start]) for column, each in zip(self.stored.columns, columns, strict=True)]

    def values_of(self, nodes: Sequence[int]) -> Iterator[Sequence[Badge]]:
        """The values of some rows, a sequence a row."""
        columns = zip(self.stored.columns, self.stored.python_of(nodes), strict=True)
        yield from zip(*([_badge(column, value) for value in values] for column, values in columns), strict=True)

    def row(self, node: int) -> Row:
        """One row."""
        values = self.values(node)
        ref = None if self._ref is None else values[self._ref]
        columns = self.stored.columns
        badges = {columns[place].name: values[place] for place in self._others}
        label = _text(values[self._label], columns[self._label])
        return Row(
            node=node,
            kind="row",
            label=label,
            badges={name: badge for name, badge in badges.items() if badge is not None},
            ref=_text(ref) if ref else f"node:{node}",
            link=_text(ref) if ref else None,
            spans=self._spans(label),
        )

    def _spans(self, label: str) -> tuple[Span, ...]:
        """The parts of methods and classes, which a narrow screen shortens."""
        if IS_METHOD.fullmatch(label):
            return method_spans(label)
        is_class = self.label_title == "class" or self.label_title.endswith("_class")
        return tuple(class_spans(label)) if is_class else ()

    def labels(self, start: int, stop: int) -> list[str]:
        """The values of all columns of some rows, in which searches and filters look."""
        columns = self.stored.python(start, min(stop, self.stored.rows))
        order = [self._label, *self._others]
        texts = [["" if value is None else str(value) for value in columns[place]] for place in order]
        return ["  ".join(values) for values in zip(*texts, strict=True)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Ranks: of numbers, sorted with the largest first; of labels, texts and ids, from the first."""
        place = next(place for place, each in enumerate(self.stored.columns) if each.name == order)
        column = self.stored.columns[place]
        ranks = self._ranks(place)
        rises = place == self._label or column.form == "text" or is_number_of(column.name)
        if rises:
            # NULL is last.
            ranks = -ranks
            ranks[ranks > 0] = -len(ranks)
        found: Any = ranks[np.asarray(nodes, np.int64)]
        return found  # type: ignore[no-any-return]  # an array is a sequence

    def _ranks(self, place: int) -> I64Array:
        from parsers.reporting.sql.ranks import number_ranks, text_ranks

        values = self.stored.values(place, 0, self.stored.rows)
        form = self.stored.columns[place].form
        if form == "text":
            return text_ranks(values)
        if form == "exact":
            numbers = [0.0 if text is None else float(text) for text in python_texts(values)]
            return number_ranks(Known(np.array(numbers), values.is_known))
        return number_ranks(values)

    def resolve(self, ref: str) -> int:
        """The row `node:N`, or the first one with a REF. Raises `UnknownReference`."""
        numbered = numbered_node(ref, self.stored.rows, "rows")
        if numbered is not None:
            return numbered
        found = None if self._ref is None else self.stored.rows_of(self._ref, ref)
        if found is None or not len(found):
            raise StrangeReference(f"{ref}: not in this result")
        return int(found[0])

    def node(self, node: int) -> None:
        """None: rows of a result are no nodes of a graph."""

    def why(self, node: int) -> References:
        """None: rows of a result have no paths."""
        return References("the shortest path from a root", self.name, ())

    def sections(self, node: int) -> Sequence[Section]:
        """All columns of a row, with its link."""
        rows = []
        for place, (column, value) in enumerate(zip(self.stored.columns, self.values(node), strict=True)):
            is_link = place == self._ref and value
            rows.append(SectionRow(column.name, _shown(column, value), ref=_text(value) if is_link else None))
        return (Section(f"row {node + 1:,}", tuple(rows)),)

    def links(self, node: int) -> Sequence[Link]:
        """The row of the report that `ref` names."""
        link = self.row(node).link
        return () if link is None else (Link("the row of the report", link),)

    def references(self, node: int) -> References:
        """None: nothing refers to a result."""
        return References(f"references to row {node + 1:,} of {self.name}", self.name, ())


def _badge(column: StoredColumn, value: Badge) -> Badge:
    """A value as the browser shows it: exact whole numbers as int."""
    if column.form != "exact" or not isinstance(value, str):
        return value
    return int(value) if value.lstrip("-").isdecimal() else _text(value)


def _text(value: Badge, column: StoredColumn | None = None) -> str:
    if value is None:
        return NULL
    return str(value) if column is None else _shown(column, value)


def _shown(column: StoredColumn, value: Badge) -> str:
    """A value in full: numbers are grouped in thousands, but not those that are names."""
    badge = _badge(column, value)
    if badge is None:
        return NULL
    if isinstance(badge, str) or is_number_of(column.name):
        return str(badge)
    return f"{badge:,}"
