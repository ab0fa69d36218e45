"""Labels of reports of one format in a baseline: their images, as times and folders change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from parsers.io.report_name import split_name

if TYPE_CHECKING:
    from parsers.model.report import Report


def image_of(report: Report) -> str:
    """Returns the image of a report; without one its name without times."""
    files = report.files
    return split_name(os.path.basename(files[0]) if files else report.title).image


def names_of(reports: Iterable[Report]) -> Mapping[int, str]:
    """Returns labels by `id` of a report, unique among those of its format; empty: it is the only one."""
    by_format: dict[str, dict[int, Report]] = {}
    for report in reports:
        by_format.setdefault(report.format, {})[id(report)] = report
    names: dict[int, str] = {}
    for alike in by_format.values():
        counted: dict[str, int] = {}
        for each, report in alike.items():
            name = image_of(report)
            counted[name] = counted.get(name, 0) + 1
            number = f"#{counted[name]}" if counted[name] > 1 or not name else ""
            names[each] = f"{name}{number}" if len(alike) > 1 else ""
    return names
