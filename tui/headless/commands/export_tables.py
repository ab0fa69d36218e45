"""`export --to parquet|arrow`: all tables of a report as files of columns, those of many builds in one folder.

    DIR/<table>/<build>.parquet

Each file begins with the columns `build`, `image` and `created`, so that the files of a table are one table.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from parsers.io.report_name import split_name
from parsers.model.report import ReportError
from parsers.model.suggestion import suggestion
from parsers.model.table import Tables
from parsers.reporting.sql.database import MEMORY, Database, SqlError, literal, quoted
from parsers.reports.members import MembersReport

if TYPE_CHECKING:
    from parsers.model.report import Report
    from tui.headless.session import CommandSession

LONGEST_NAME = 200
"""Most characters of a file's name."""


def export_tables(session: CommandSession) -> int:
    """Writes the tables; returns the exit status."""
    arguments, report = session.arguments, session.report
    form, folder = arguments.text("to") or "", os.path.abspath(arguments.word)
    tables = _tables(report)
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
    build, image, created = _build_of(report)
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


def _tables(report: Report) -> Tables:
    """The tables of a report; of a build those of all its reports, under the same names as alone."""
    if not isinstance(report, MembersReport):
        return report.tables
    found: Any = Tables()
    report.open_all()
    for member in report.members:
        member.report.wait()
        found = Tables({**member.report.tables, **found}.values())
    return Tables({**found, **report.tables}.values())


def _build_of(report: Report) -> tuple[str, str, str | None]:
    """Build, image and time of a report, from its file's name or facts."""
    path = report.files[0] if report.files else report.title
    named = split_name(os.path.basename(path))
    image = str(report.facts.get("image") or named.image)
    created = report.facts.get("written") or report.facts.get("created") or named.written
    stem = re.sub(r"(\.\w{1,8})*$", "", os.path.basename(path))
    build = f"{image}_{named.written:%Y%m%d_%H%M%S}" if named.image and named.written else stem
    return build, image, None if created is None else str(created)


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
