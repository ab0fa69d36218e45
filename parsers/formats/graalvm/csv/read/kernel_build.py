"""Builds the arrays of a set's index from its files with kernels, and its totals, facts and problems."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.index.row import CONTINUED
from parsers.formats.graalvm.csv.read.chunk import CHUNK
from parsers.formats.graalvm.csv.read.graph import version_of_seven
from parsers.formats.graalvm.csv.read.index import CsvKernelIndex
from parsers.formats.graalvm.csv.read.table import more_columns_of
from parsers.formats.graalvm.csv.read.table_problems import found_rows
from parsers.formats.graalvm.csv.read.table_rows import TableFile
from parsers.formats.graalvm.csv.read.tables import CsvKernelTables
from parsers.formats.graalvm.csv.set import layout_of
from parsers.formats.graalvm.csv.summary import CsvProblem, CsvProblemKind, kept
from parsers.formats.graalvm.folder.format import header_of
from parsers.formats.graalvm.text.read.plain_counts import LINE_ENDS

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.io.source import Source
    from parsers.model.report import Problem

ReportProgress = Callable[[int, str], None]


def build(
    writer: Writer,
    sources: Mapping[str, Source],
    is_whole: bool,
    report_progress: ReportProgress | None,
    chunk: int = CHUNK,
) -> tuple[int, dict[str, Any], dict[str, Any], tuple[Problem, ...], int]:
    """Writes all arrays; returns rows, totals, facts, problems and the number of problems.

    sources   by table
    is_whole  True if no table is missing
    report_progress      receives the number of bytes read, and after that the current step
    """
    layout = layout_of(list(sources))
    names = {table: os.path.basename(source.path) for table, source in sources.items()}
    others = [table for table in sources if table not in layout]
    sources = {table: source for table, source in sources.items() if table in layout}
    with contextlib.ExitStack() as opened:
        files = []
        for table, source in sources.items():
            descriptor = os.open(source.plain_path, os.O_RDONLY | os.O_CLOEXEC)
            opened.callback(os.close, descriptor)
            files.append(TableFile(table, descriptor, source.size, header_of(source.head)))
        headers = {file.table: file.header for file in files}
        more = more_columns_of(headers)
        report = report_progress or (lambda done, says: None)
        tables = CsvKernelTables(writer, files, more, lambda done: report(done, ""), chunk)
        tables.read()
        report(0, "putting calls in order")
        index = CsvKernelIndex(writer, tables, is_whole)
        report(0, "unfolding the tree")
        index.run()
        problems, count = found_rows(tables)
        problems += index.calls.problems
        missing = [table for table in layout if table not in sources]
        problems += [CsvProblem(table, 0, CsvProblemKind.MISSING_TABLE, 0) for table in missing]
        problems += [CsvProblem(table, 0, CsvProblemKind.OTHER_LAYOUT, 0) for table in others]
        depth_rows = index.depth_rows()
        too_deep = [CsvProblem("methods", 0, CsvProblemKind.TOO_DEEP, 0)] if index.kinds[CONTINUED] else []
        problems += too_deep
        facts = {
            "format_version": index.calls.version or version_of_seven(headers, min(names.values())),
            "encoding": "utf-8",
            "line_end": LINE_ENDS[2 * tables.sums.crlf > tables.sums.lines],
            "missing_tables": missing,
            "depth_rows": depth_rows,
            "as_tree": index.tree_totals(),
        }
        count += index.calls.found + len(missing) + len(others) + len(too_deep)
        return index.rows, index.totals(), facts, kept(problems, names), count
