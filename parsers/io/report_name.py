"""Names of report files: `<report>_<image>_<yyyyMMdd_HHmmss>.<ext>`, as `AnalysisReporter` of GraalVM writes them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from parsers.io.archives.unpack import without_suffix

SAME_RUN = timedelta(minutes=30)
"""Maximum time between reports of one build; those of one image further apart belong to different builds."""

REPORT_NAMES = (
    "analysis_heap_histogram",
    "analysis_stats",
    "build-output",
    "call_tree",
    "class_initialization_configuration",
    "class_initialization_dependencies",
    "class_initialization_report",
    "connected_components",
    "feature_info",
    "native_library_info",
    "object_tree",
    "substitutions",
    "svm_err",
    "target_info",
    "trace_fields",
    "trace_methods",
    "trace_types",
    "universe",
    "used_classes",
    "used_methods",
    "used_packages",
)
"""Prefixes of file names; the rest, up to the time, is the image."""

BUILD_OUTPUT = "build-output"
REPORTS = "reports"
"""Folder that native-image writes its reports to; the build output is beside that folder."""

TABLES = (
    "direct_edges",
    "entry_points",
    "invokes",
    "methods",
    "override_by_edges",
    "targets",
    "virtual_edges",
    "virtual_methods",
    "vm",
)
"""Tables of a CSV call tree: `call_tree_<table>_<image>_<time>.csv`, until 21.3.1 with the prefix `csv_`."""

_TIMED = re.compile(r"(?P<stem>.*?)_?(?P<time>\d{8}_\d{6})(?:\.\w{1,8})?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReportName:
    """The parts of a file name: report, table, image, time of writing. Parts may be missing."""

    report: str
    table: str
    image: str
    written: datetime | None

    @property
    def facts(self) -> dict[str, str]:
        """Image and time of writing, if it is the name of a report."""
        written = "" if self.written is None else str(self.written)
        found = {"image": self.image, "written": written} if self.report else {}
        return {name: fact for name, fact in found.items() if fact}


def split_name(name: str) -> ReportName:
    """Splits the name of a file from both ends; a name of another form is an image by itself."""
    plain = without_suffix(name)
    timed = _TIMED.fullmatch(plain)
    stem = (timed["stem"] if timed else os.path.splitext(plain)[0]).removeprefix("csv_")
    written = _time(timed["time"]) if timed else None
    for report in REPORT_NAMES:
        if stem == report or stem.startswith(f"{report}_"):
            rest = stem[len(report) + 1 :]
            table = _table(rest) if report == "call_tree" and plain.endswith(".csv") else ""
            return ReportName(report, table, rest[len(table) :].lstrip("_"), written)
    return ReportName("", "", stem, written)


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y%m%d_%H%M%S")
    except ValueError:
        return None


def _table(rest: str) -> str:
    return next((table for table in TABLES if rest == table or rest.startswith(f"{table}_")), "")
