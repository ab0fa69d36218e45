"""What tells reports of one format apart in a baseline: their images, as times and folders change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from parsers.io.report_name import split_name

if TYPE_CHECKING:
    from parsers.model.report import Report


def image_of(report: Report) -> str:
    """The image that a report is of; of one that is of none its name without times."""
    files = report.files
    return split_name(os.path.basename(files[0]) if files else report.title).image


def names_of(reports: Iterable[Report]) -> Mapping[int, str]:
    """By `id` of a report what tells it from others of its format; empty: there is no other."""
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
