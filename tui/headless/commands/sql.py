"""`sql`: a query over the tables of reports; rows as text, JSON, CSV, Parquet or Arrow."""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING

from parsers.io.report_name import split_name
from parsers.model.report import ReportError
from parsers.reporting.export.table import csv_rows
from parsers.reporting.sql.database import MEMORY, Database, SqlError, import_duckdb, parquet_tables
from parsers.reporting.sql.stored_rows import form_of, unique
from parsers.runtime.report_set import exported_folders, is_pattern, reports_matching
from tui.command_line.arguments import ALL
from tui.headless.given_reports import GivenReports
from tui.headless.json_row import encode
from tui.headless.problems import CANNOT, DAMAGED, DONE, show_problems
from tui.headless.text_row import BOLD, joined, value_text
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.tables.table import Tables
    from parsers.reporting.sql.database import Result
    from parsers.runtime.report_set import ReportSet
    from tui.command_line.arguments import Arguments
    from tui.headless.session import Invocation, Output

FIRST = 200
"""Rows that decide the widths of columns as text."""
WIDEST = 100
"""Maximum cells that a text takes before the last column; longer ones move the rest of their row."""
DIFFERENCES = "diff"
"""Schema of the tables of a comparison."""
FORMATS = ("csv", "json", "parquet", "arrow")
"""Values of `--to`."""


def run(invocation: Invocation) -> int:
    """Runs the query; returns the exit status."""
    import_duckdb()
    arguments, remarks = invocation.arguments, invocation.remarks
    out = _taken_out(arguments)
    query = _query(arguments.word)
    with ExitStack() as opened:
        given = GivenReports(invocation, opened)
        data = _compare(given, arguments.reports) if arguments.is_given("compare") else _open(given, arguments.reports)
        for report in data.reports.values():
            given.know(report)
        try:
            _answer(invocation, data, query, out)
        except SqlError as error:
            invocation.output.flush()
            for line in f"coffeetree: {error}".splitlines():
                remarks.show_message(line)
            return CANNOT
        statuses = [show_problems(report, list(report.files), invocation) for report in data.reports.values()]
        for path, reason in data.damaged.items():
            remarks.show_message(f"{path}: {reason}")
        return max([*statuses, DAMAGED if data.damaged else DONE])


@dataclass
class Data:
    """The given data, by schema."""

    reports: dict[str, Report] = field(default_factory=dict)
    sets: dict[str, ReportSet] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    """Folders of exported tables."""
    differences: Tables | None = None
    """Tables of a comparison, in a schema whose names need no prefix."""

    def schema(self, wanted: str) -> str:
        """Returns a name that no schema has yet."""
        taken = {*self.reports, *self.sets, *self.exported, *RESERVED}
        schema, number = wanted, 2
        while schema in taken:
            schema, number = f"{wanted}_{number}", number + 1
        return schema

    @property
    def tables(self) -> dict[str, Tables]:
        """The tables of reports and sets of reports."""
        of_reports = {schema: report.tables for schema, report in self.reports.items()}
        of_differences = {} if self.differences is None else {DIFFERENCES: self.differences}
        return of_reports | {schema: each.tables for schema, each in self.sets.items()} | of_differences

    @property
    def damaged(self) -> dict[str, str]:
        """Reports of sets that were read only in part, or not at all, by path, each with the reason."""
        return {path: reason for each in self.sets.values() for path, reason in each.damaged.items()}

    @property
    def files(self) -> list[str]:
        """Files that are read."""
        opened = [file for report in self.reports.values() for file in report.files]
        return opened + [file for each in self.sets.values() for file in each.files]


def _taken_out(arguments: Arguments) -> str:
    """The file to write to, the last word after `--to`; the query is the word before it. Raises `ReportError`."""
    form = arguments.text("to")
    if form is None:
        return "-"
    if form not in FORMATS:
        raise ReportError(f"--to {form}: no such format of sql: expected {', '.join(FORMATS)}")
    if len(arguments.reports) < 2:
        raise ReportError("sql --to needs REPORT, QUERY and OUT: coffeetree sql REPORT... QUERY --to FORMAT OUT")
    out, arguments.word = arguments.word, arguments.reports.pop()
    if out == "-" and form in ("parquet", "arrow"):
        raise ReportError(f"--to {form} needs a file: standard output can't be written at any place")
    return out


def _query(word: str) -> str:
    """The query: the word itself, the content of a file `*.sql`, or standard input for `-`."""
    if word == "-":
        return sys.stdin.read()
    if word.endswith(".sql") and os.path.isfile(word):
        with open(word, encoding="utf-8", errors="replace") as file:
            return file.read()
    return word


def _compare(given: GivenReports, words: Sequence[str]) -> Data:
    """Opens two reports and compares them. Raises `ReportError`."""
    if len(words) != 2:
        raise ReportError("sql --compare needs two reports and a query: coffeetree sql --compare OLD NEW QUERY")
    compared = given.compared(*words)
    reports: dict[str, Report] = {"old": compared.old, "new": compared.new}
    return Data(reports, differences=compared.own_tables())


def _open(given: GivenReports, words: Sequence[str]) -> Data:
    """Opens reports, sets of reports and folders of tables. Schemas: NAME of NAME=PATH, else from the file's name."""
    data = Data()
    for word in words:
        name, mark, path = word.partition("=")
        is_named = bool(mark) and name.isidentifier() and not os.path.exists(word)
        path = path if is_named else word
        if is_pattern(path):
            folders = exported_folders(path)
            found = reports_matching(path)
            if found or not folders:
                data.sets[data.schema(name if is_named else "reports")] = given.set_of(path, found)
        else:
            folders = [path] if os.path.isdir(path) and parquet_tables(path) else []
            for report in given.open([path]) if not folders else ():
                data.reports[data.schema(name if is_named else _short_name(report))] = report
        for folder in map(os.path.abspath, folders):
            data.exported[data.schema(name if is_named else _plain_name(os.path.basename(folder)))] = folder
    return data


RESERVED = ("main", "temp", "system", "information_schema", "pg_catalog")
"""Schemas that DuckDB has itself."""


def _short_name(report: Report) -> str:
    """Name of a report as a schema: the kind of a report of native-image, else the name of the file."""
    named = split_name(os.path.basename(report.files[0]) if report.files else report.title)
    return _plain_name(named.report or named.image)


def _plain_name(name: str) -> str:
    """A name that needs no quotes in SQL."""
    text = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return text if text and not text[0].isdigit() else f"r_{text}" if text else "report"


def _answer(invocation: Invocation, data: Data, query: str, out: str) -> None:
    output = invocation.output
    words = query.split()
    if words[:1] in ([".tables"], [".schema"]):
        for each in data.sets.values():
            each.look_into_files()
    if words[:1] == [".tables"] and len(words) == 1:
        _print_lines(output, ("schema", "table", "columns", "about"), _tables(data.tables), (2,))
        return
    if words[:1] == [".schema"] and len(words) <= 2:
        heads = ("schema", "table", "column", "type", "unit", "nullable", "key", "about")
        _print_lines(output, heads, _columns(data.tables, words[1] if len(words) == 2 else ""), ())
        return
    try:
        _run(invocation, data, query, out)
    except SqlError as error:
        if not (error.missing_table and any(each.look_into_files() for each in data.sets.values())):
            raise
        _run(invocation, data, query, out)


def _run(invocation: Invocation, data: Data, query: str, out: str) -> None:
    arguments = invocation.arguments
    form = arguments.text("to")
    folder = beside(out) if form in ("parquet", "arrow") else None
    database = Database(
        data.tables,
        allow_external=arguments.is_given("allow-external"),
        memory=arguments.text("memory") or MEMORY,
        seconds=arguments.count("timeout", ALL),
        folders=[folder.name] if folder is not None else [],
        exported=data.exported,
        default=DIFFERENCES if data.differences is not None else "",
    )
    try:
        if folder is not None:
            _write_columns(arguments, database, query, out, folder.name, data)
        else:
            _write_rows(invocation, database.run(query), out, data)
    finally:
        database.close()
        if folder is not None:
            folder.cleanup()


# -- schema -----------------------------------------------------------------------------------------------------------


def _tables(tables: dict[str, Tables]) -> Iterator[tuple[object, ...]]:
    for schema, of_report in tables.items():
        for table in of_report.values():
            yield schema, table.name, len(table.columns), table.type.about
        for view in of_report.views:
            yield schema, view.name, None, f"view: {view.about}"


def _columns(tables: dict[str, Tables], wanted: str) -> Iterator[tuple[object, ...]]:
    found = False
    for schema, of_report in tables.items():
        for table in of_report.values():
            if wanted in ("", table.name, f"{schema}.{table.name}"):
                found = True
                for each in table.columns:
                    unit = each.unit or ""
                    yield schema, table.name, each.name, each.type, unit, each.is_nullable, each.key, each.about
    if not found:
        raise SqlError(f"no table is called {wanted!r}: .tables lists them")


def _print_lines(output: Output, heads: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int]) -> None:
    if output.is_json:
        for row in rows:
            output.json(dict(zip(heads, row, strict=True)))
        return
    lines = [[_word(head, cell) for head, cell in zip(heads, row, strict=True)] for row in rows]
    output.table([list(heads), *lines], right)


# -- rows -------------------------------------------------------------------------------------------------------------


def _write_rows(invocation: Invocation, result: Result, out: str, data: Data) -> None:
    from tui.headless.commands.export import look_before, write

    arguments, output = invocation.arguments, invocation.output
    form = arguments.text("to")
    if arguments.is_given("safe") and form != "csv" and not arguments.is_given("csv"):
        raise ReportError("--safe quotes formulas of spreadsheets: it is of --csv and --to csv")
    if form == "json" or (form is None and output.is_json and not arguments.is_given("csv")):
        pieces = _json_lines(result)
    elif form == "csv" or arguments.is_given("csv"):
        pieces = csv_rows(chain([result.columns], result.rows()), is_safe=arguments.is_given("safe"))
    else:
        _print_table(result, output)
        return
    look_before(out, data.files, arguments.is_given("force"))
    write(output, pieces, out)


def _json_lines(result: Result) -> Iterator[str]:
    names = unique(result.columns)
    return (f"{encode(dict(zip(names, map(_plain, row), strict=True)))}\n" for row in result.rows())


def _plain(value: object) -> object:
    """A value as JSON has it: numbers without a finite value are null."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return value


def _print_table(result: Result, output: Output) -> None:
    """Prints columns as wide as their texts in the first rows."""
    rows = result.rows()
    first = [_cells(result, row) for row in islice(rows, FIRST)]
    right = [place for place, type in enumerate(result.types) if form_of(type) != "text"]
    heads = [safe(name) for name in result.columns]
    widths = [min(max(map(len, column)), WIDEST) for column in zip(heads, *first, strict=True)]
    output.line(output.paint(joined(heads, widths, right), BOLD))
    for cells in chain(first, (_cells(result, row) for row in rows)):
        output.line(joined(cells, widths, right))


def _cells(result: Result, row: Sequence[object]) -> list[str]:
    return [_word(name, value) for name, value in zip(result.columns, row, strict=True)]


def _word(name: str, value: object) -> str:
    """A value for people, printable; NULL is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return value_text(name, value if isinstance(value, int | str) else str(value))


# -- columns ----------------------------------------------------------------------------------------------------------


def beside(path: str) -> tempfile.TemporaryDirectory[str]:
    """Returns an empty folder beside a file, for what is not complete yet. Raises `ReportError`."""
    where = os.path.dirname(os.path.abspath(path))
    try:
        return tempfile.TemporaryDirectory(prefix=".coffeetree-", dir=where)
    except OSError as error:
        raise ReportError(f"{where}: {error.strerror}") from error


def _write_columns(arguments: Arguments, database: Database, query: str, out: str, folder: str, data: Data) -> None:
    """Writes a file completely or not at all. folder: an empty one beside it"""
    from tui.headless.commands.export import look_before

    look_before(out, data.files, arguments.is_given("force"))
    path = os.path.join(folder, "rows")
    write = database.write_parquet if arguments.text("to") == "parquet" else database.write_arrow
    write(query, path)
    os.replace(path, out)
