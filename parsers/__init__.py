"""Readers of JVM tool output. Bytes become arrays, arrays become a lazy `Report`. Nothing here knows a screen.

report = parsers.open_report("heap.hprof")       opens a report and waits for its index
report.tables["object"].numpy("shallow")         a column, see `parsers.model.tables.table`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parsers.model.report import Report


def open_report(*paths: str, **options: Any) -> Report:
    """Opens the files of one run, and waits until all numbers are final. Raises `ReportError`.

    options  as in `parsers.runtime.opening.open_report`
    """
    # Imported here: this module is imported with any of the others.
    report: Report = import_module("parsers.runtime.opening").open_report(paths, **options)
    try:
        report.wait()
    except BaseException:
        report.close()
        raise
    return report
