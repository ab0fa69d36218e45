"""The columns that distinguish builds: the first ones of exported tables, and of tables over several reports."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from parsers.io.report_name import split_name
from parsers.model.tables.column_values import TableColumn

if TYPE_CHECKING:
    from parsers.model.report import Report

BUILD_COLUMNS = (
    TableColumn(
        "build", "VARCHAR", "build that wrote the report: image and time, else name of the file", is_interned=True
    ),
    TableColumn("image", "VARCHAR", "image", is_interned=True),
    TableColumn(
        "created", "VARCHAR", "time of writing, as in the file or its name", is_nullable=True, is_interned=True
    ),
)


class BuildOf(NamedTuple):
    """Values of these columns."""

    build: str
    image: str
    created: str | None


def build_of(report: Report) -> BuildOf:
    """Returns build, image and time of a report, from its file's name or facts."""
    path = report.files[0] if report.files else report.title
    named = split_name(os.path.basename(path))
    image = str(report.facts.get("image") or named.image)
    created = report.facts.get("written") or report.facts.get("created") or named.written
    stem = re.sub(r"(\.\w{1,8})*$", "", os.path.basename(path))
    build = f"{image}_{named.written:%Y%m%d_%H%M%S}" if named.image and named.written else stem
    return BuildOf(build, image, None if created is None else str(created))
