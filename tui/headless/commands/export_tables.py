"""`export --to parquet|arrow`: all tables of a report as files of columns, those of many builds in one folder.

    DIR/<table>/<build>.parquet

Each file begins with the columns `build`, `image` and `created`, so that the files of a table are one table.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.model.suggestion import suggestion
from parsers.reporting.sql.build_columns import build_of
from parsers.reporting.sql.database import MEMORY, Database, SqlError, literal, quoted

if TYPE_CHECKING:
    from tui.headless.session import CommandSession

LONGEST_NAME = 200
"""Most characters of a file's name."""


def export_tables(session: CommandSession) -> int:
    """Writes the tables; returns the exit status."""
    arguments, report = session.arguments, session.report
    form, folder = arguments.text("to") or "", os.path.abspath(arguments.word)
    tables = report.tables
    wanted = [name.strip() for name in (arguments.text("tables") or "").split(",") if name.strip()]
    for name in wanted:
        if name not in tables:
            raise ReportError(f"--tables {name}: no such table: {suggestion(name, list(tables))}")
    if (
        os.path.isdir(folder)
        and os.listdir(folder)
        and not (arguments.is_given("append") or arguments.is_given("force"))
    ):
        raise ReportError(f"{arguments.word}: is not empty: --append adds to it")
    build, image, created = build_of(report)
    about = arguments.text("build") or build, image, created
    os.makedirs(folder, exist_ok=True)
    database = Database({"report": tables}, memory=MEMORY, folders=[folder])
    try:
        for name in wanted or tables:
            _write(database, name, os.path.join(folder, _file_name(name)), about, form, session)
    except SqlError as error:
        raise ReportError(str(error)) from error
    finally:
        database.close()
    return 0


def _file_name(name: str) -> str:
    """A name that is a file's on any system."""
    return re.sub(r"[^\w.$-]", "_", name)[:LONGEST_NAME] or "_"


def _write(
    database: Database, table: str, folder: str, about: tuple[str, str, str | None], form: str, session: CommandSession
) -> None:
    """Writes a table completely or not at all."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{_file_name(about[0])}.{form}")
    if os.path.exists(path) and not session.arguments.is_given("force"):
        raise ReportError(f"{path}: is there already: --force writes over it, --build gives another name")
    values = ", ".join(
        f"{'NULL::VARCHAR' if value is None else literal(value)} AS {name}"
        for name, value in zip(("build", "image", "created"), about, strict=True)
    )
    unfinished = os.path.join(folder, f".{os.path.basename(path)}.{os.getpid()}")
    write = database.write_parquet if form == "parquet" else database.write_arrow
    try:
        write(f"SELECT {values}, * FROM {quoted(table)}", unfinished)
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
