"""Many reports as one set of tables: the rows of all under one name, with the columns `build`, `image`, `created`.

The same tables as those of a folder that `export --to parquet` writes. A report is open only while its rows are read.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.declared_tables import declared_tables
from parsers.formats.folder import FoundReport, reports_among
from parsers.model.late import numpy as np
from parsers.model.report import ReportError
from parsers.model.tables.column_values import Known, TableColumn, Values, constant, text_arrays
from parsers.model.tables.table import DTYPES, Table, Tables, TableType
from parsers.reporting.sql.build_columns import BUILD_COLUMNS, build_of

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.tables.column_values import SqlType

WIDER: tuple[SqlType, ...] = ("BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR")
"""Types, each able to represent the ones before it."""


class EveryName:
    """Contains all names."""

    def __contains__(self, name: object) -> bool:
        return True


def is_pattern(path: str) -> bool:
    """True if a path is a pattern of paths, and not that of a file."""
    return glob.has_magic(path) and not os.path.exists(path)


def reports_matching(pattern: str) -> list[FoundReport]:
    """Returns the reports among the files that match, and in the folders that do, by path. `**` matches any folders."""
    wanted: dict[str, set[str] | EveryName] = {}
    for path in glob.iglob(pattern, recursive=True):
        if os.path.isdir(path):
            wanted[os.path.normpath(path)] = EveryName()
        else:
            folder, name = os.path.split(path)
            names = wanted.setdefault(os.path.normpath(folder), set())
            if isinstance(names, set):
                names.add(name)
    found = (report for folder, names in sorted(wanted.items()) for report in reports_among(folder, names))
    return sorted((report for report in found if report.can_be_opened), key=lambda report: report.path)


def exported_folders(pattern: str) -> list[str]:
    """Returns the folders whose exported tables match a pattern: `FOLDER/<table>/<build>.parquet`."""
    tables = {os.path.dirname(path) for path in glob.iglob(pattern, recursive=True) if path.endswith(".parquet")}
    return sorted({os.path.dirname(table) or "." for table in tables})


class ReportSet:
    """Reports that are opened one after the other."""

    def __init__(self, found: Sequence[FoundReport], open: Callable[[Sequence[str]], Report]) -> None:
        """open: opens the files of a report, and waits for it. Raises `ReportError`"""
        self._found, self._open = tuple(found), open
        self.damaged: dict[str, str] = {}
        """Reports that were read only in part, or not at all, by path, each with the reason."""
        self._types: dict[str, TableType] = {}
        for format in dict.fromkeys(report.format.name for report in found):
            self._add(declared_tables(format).types)

    @property
    def tables(self) -> Tables:
        """The tables, as far as they are known without opening a report."""
        return Tables(_SetTable(type, self._members_with) for type in self._types.values())

    @property
    def files(self) -> list[str]:
        """Files of all reports."""
        return [file for found in self._found for file in found.paths]

    def look_into_files(self) -> bool:
        """Opens reports whose tables depend on the file, and adds these. Returns True if there are any."""
        before = len(self._types)
        for report in self._opened(lambda found: declared_tables(found.format.name).is_open):
            self._add(table.type for table in report.tables.values())
        return len(self._types) > before

    def _add(self, types: Iterable[TableType]) -> None:
        for type in types:
            known = self._types.get(type.name)
            self._types[type.name] = _joined(known or TableType(type.name, type.about, BUILD_COLUMNS), type)

    def _members_with(self, table: str) -> Iterator[Report]:
        """Yields the reports that have a table, open until the next one."""

        def may_have(found: FoundReport) -> bool:
            declared = declared_tables(found.format.name)
            return declared.is_open or any(type.name == table for type in declared.types)

        yield from (report for report in self._opened(may_have) if table in report.tables)

    def _opened(self, is_wanted: Callable[[FoundReport], bool]) -> Iterator[Report]:
        for found in filter(is_wanted, self._found):
            try:
                report = self._open(found.paths)
            except ReportError as error:
                self.damaged[found.path] = str(error)
                continue
            try:
                if report.problem_count:
                    self.damaged[found.path] = _first_problem(report)
                yield report
            finally:
                report.close()


class _SetTable(Table):
    """A table over several reports."""

    def __init__(self, type: TableType, members: Callable[[str], Iterator[Report]]) -> None:
        self.type, self._members = type, members
        self.key, self.is_counted = "", False
        self._types = {column.name: column for column in type.columns}

    @property
    def rows(self) -> int:
        """Number of rows. Opens all reports."""
        return sum(report.tables[self.name].rows for report in self._members(self.name))

    def batches(
        self, names: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[Values]]]:
        """Yields numbers of rows, and the values of these columns, of all rows. start, stop: ignored"""
        for report in self._members(self.name):
            table, about = report.tables[self.name], build_of(report)._asdict()
            own = {column.name: column for column in table.columns}
            asked = [name for name in names if name in own]
            for rows, values in table.batches(asked or [table.columns[0].name]):
                read = dict(zip(asked, values, strict=bool(asked)))
                yield rows, [self._values(name, rows, read, own, about) for name in names]

    def _values(
        self,
        name: str,
        rows: int,
        read: Mapping[str, Values],
        own: Mapping[str, TableColumn],
        about: Mapping[str, str | None],
    ) -> Values:
        if name in about:
            return constant(about[name], rows)
        type = self._types[name].type
        return _unknown(type, rows) if name not in read else _widened(read[name], own[name].type, type)


def _joined(known: TableType, more: TableType) -> TableType:
    """Returns a type with the columns of both, each wide enough for both, none of them a key of the whole."""
    columns = {column.name: column for column in known.columns}
    for column in more.columns:
        before = columns.get(column.name, column)
        type = max(before.type, column.type, key=WIDER.index)
        columns[column.name] = TableColumn(column.name, type, before.about, before.unit, is_nullable=True)
    for build_column in BUILD_COLUMNS:
        columns[build_column.name] = build_column
    return TableType(known.name, known.about, tuple(columns.values()))


def _unknown(type: SqlType, rows: int) -> Values:
    return constant(None, rows) if type == "VARCHAR" else Known(np.zeros(rows, DTYPES[type]), np.zeros(rows, bool))


def _widened(values: Values, type: SqlType, wanted: SqlType) -> Values:
    """Returns values of one type as those of another one, at least as wide."""
    if type == wanted:
        return values
    numbers, is_known = (values.numbers, values.is_known) if isinstance(values, Known) else (values, None)
    if wanted != "VARCHAR":
        numbers = np.asarray(numbers).astype(DTYPES[wanted])
        return numbers if is_known is None else Known(numbers, is_known)
    known = np.ones(len(numbers), bool) if is_known is None else is_known
    pairs: Any = zip(numbers.tolist(), known.tolist(), strict=True)
    return text_arrays(str(number).lower() if each else None for number, each in pairs)


def _first_problem(report: Report) -> str:
    more = f" and {report.problem_count - 1:,} more" if report.problem_count > 1 else ""
    first = next(iter(report.problems), None)
    return "is damaged" if first is None else f"{first.kind}{more}"
