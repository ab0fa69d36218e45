"""`export --to parquet|arrow`: all tables of a report as files of columns, those of many builds in one folder.

    DIR/<table>/<build>-<report>.parquet

<report> is the kind of report in a name of GraalVM, so that all reports of a build have a place; others have none. Each
file begins with the columns `build`, `image` and `created`, so that the files of a table are one table.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.io.report_name import split_name
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.reporting.export.table_files import import_pyarrow, write_tables
from parsers.reports.exported import build_tables
from tui.command_line.registry import TABLE_FORMATS

if TYPE_CHECKING:
    from parsers.reporting.export.table_files import BuildTable
    from tui.command_line.arguments import Arguments
    from tui.headless.session import CommandSession, Invocation

LONGEST_NAME = 200
"""Most characters of a file's name."""


def export_tables(session: CommandSession) -> int:
    """Writes the tables; returns the exit status."""
    arguments = session.arguments
    import_pyarrow()
    tables = build_tables(session.report, arguments.text("build"))
    wanted = [name.strip() for name in (arguments.text("tables") or "").split(",") if name.strip()]
    for name in wanted:
        if name not in tables:
            raise ReportError(f"--tables {name}: no such table: {suggestion(name, list(tables))}")
    if not arguments.is_given("each"):
        _look_before(arguments)
    written = {_path(session, name, tables[name]): tables[name] for name in wanted or tables}
    write_tables(written, arguments.text("to") or "")
    return 0


def export_each(invocation: Invocation, export: Callable[[str], int]) -> int:
    """Exports each of many reports, also if some can't be read; returns the highest exit status.

    export  exports the report at a path
    """
    from tui.headless.problems import CANNOT

    arguments, remarks = invocation.arguments, invocation.remarks
    if arguments.text("to") not in TABLE_FORMATS:
        raise ReportError(f"--each exports tables: it is of --to {', '.join(TABLE_FORMATS)}")
    paths = [path for word in arguments.reports for path in _files(word)]
    _look_before(arguments)
    status = 0
    for done, path in enumerate(paths):
        remarks.bar("exporting", done, len(paths))
        try:
            status = max(status, export(path))
        except (ReportError, OSError) as error:
            remarks.show_message(f"coffeetree: {path}: {error}")
            status = CANNOT
    return status


def _files(word: str) -> list[str]:
    """The file of a name, or the files of a pattern with `*`, `?` or `**`, in order. Raises `ReportError`."""
    if os.path.exists(word):
        return [word]
    found = sorted(path for path in glob.glob(word, recursive=True) if os.path.isfile(path))
    if not found:
        raise ReportError(f"{word}: no such file")
    return found


def _look_before(arguments: Arguments) -> None:
    """Raises `ReportError` if the folder has files, unless they are to be added to or written over."""
    folder = arguments.word
    if arguments.is_given("append") or arguments.is_given("force"):
        return
    if os.path.isdir(folder) and os.listdir(folder):
        raise ReportError(f"{folder}: is not empty: --append adds to it")


def _file_name(name: str) -> str:
    """A name that is a file's on any system."""
    return re.sub(r"[^\w.$-]", "_", name)[:LONGEST_NAME] or "_"


def _path(session: CommandSession, name: str, table: BuildTable) -> str:
    """The file of a table, in a folder that is there. Raises `ReportError`."""
    arguments, files = session.arguments, session.report.files
    folder = os.path.join(os.path.abspath(arguments.word), _file_name(name))
    kind = split_name(os.path.basename(files[0])).report if len(files) == 1 else ""
    stem = "-".join(filter(None, (_file_name(table.about.build), kind)))
    path = os.path.join(folder, f"{stem}.{arguments.text('to')}")
    if os.path.exists(path) and not arguments.is_given("force"):
        raise ReportError(f"{path}: is there already: --force writes over it, --build gives another name")
    os.makedirs(folder, exist_ok=True)
    return path
