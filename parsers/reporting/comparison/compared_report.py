"""Comparison of two reports: a report whose rows are the differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import HasMembers
from parsers.model.report import Progress, Report, ReportError, file_name
from parsers.model.row import Kind
from parsers.model.view import View
from parsers.model.views import Views
from parsers.reporting.comparison.compared_view import ComparedView
from parsers.reporting.comparison.lines import ADDED, CHANGED, REMOVED, Comparing
from parsers.reporting.comparison.rows import ComparableRows, comparable_of
from parsers.views.collection import CombinesReports

if TYPE_CHECKING:
    from parsers.model.tables.table import Tables

KINDS = (
    Kind(ADDED, "+", "+", "only in the new report"),
    Kind(REMOVED, "−", "-", "only in the old report"),
    Kind(CHANGED, "≠", "~", "in both, with other numbers"),
)


def compared(open_old: Callable[[], Report], open_new: Callable[[], Report]) -> ComparedReport:
    """Opens two reports and compares them. Raises `ReportError`."""
    opened: list[Report] = []
    try:
        opened += [open_old()]
        opened += [open_new()]
        return ComparedReport(opened[0], opened[1], open_new)
    except BaseException:
        for report in opened:
            report.close()
        raise


def files_of(report: Report, name: str) -> Sequence[str]:
    """Returns the files of the part of a combined report that is compared under a name; for one report its own."""
    if not isinstance(report, HasMembers):
        return report.files
    for member in report.members:
        if name in map(member.shown_name, comparable_of(member.report)):
            return member.files
    return ()


def _has(report: Report, name: str) -> bool:
    """Returns True if a report has something to compare under a name. Only for a complete report."""
    found = comparable_of(report).get(name)
    if found is None or not report.views.has(found.needs or name):
        return False
    return not isinstance(found, ComparableRows) or found.is_there


def path_of(report: Report) -> str:
    """Returns the path of a report's file; of a combined report the folder of its files, with its title."""
    file = report.files[0]
    return os.path.join(os.path.dirname(file), report.title) if isinstance(report, HasMembers) else file_name(file)


def apart(old: str, new: str) -> tuple[str, str]:
    """Returns names of two files; for equal names with the last folder that differs."""
    olds, news = old.split(os.sep), new.split(os.sep)
    place = next((place for place in range(1, min(len(olds), len(news)) + 1) if olds[-place] != news[-place]), 1)
    if place == 1:
        return olds[-1], news[-1]
    return os.path.join(olds[-place], "…" * (place > 2), olds[-1]), os.path.join(
        news[-place], "…" * (place > 2), news[-1]
    )


class ComparedReport(CombinesReports):
    """An old and a new report."""

    def __init__(self, old: Report, new: Report, open_newer: Callable[[], Report]) -> None:
        """Takes ownership of both: closing this closes them. Raises `ReportError` if they can't be compared.

        open_newer: opens the new report once more, by itself
        """
        names = f"{file_name(old.files[0])} and {file_name(new.files[0])}"
        if old.compared_as != new.compared_as:
            raise ReportError(f"{names}: {old.format_title} and {new.format_title} can't be compared")
        self.old, self.new, self.open_newer = old, new, open_newer
        self.format, self.format_title = new.format, f"{new.format_title}s compared"
        self.title = " → ".join(apart(path_of(old), path_of(new)))
        self.kinds: Mapping[str, Kind] = {**new.kinds, **{kind.name: kind for kind in KINDS}}
        makers = {name: self._maker(name, each.description) for name, each in comparable_of(new).items()}
        self.views = Views(makers, self._is_there)

    def _maker(self, name: str, description: str) -> Callable[[], View]:
        return lambda: ComparedView(name, lambda: self._both(name), lambda: self._files(name), description)

    def _both(self, name: str) -> tuple[Comparing, Comparing] | None:
        if not self.is_complete:
            return None
        old, new = map(comparable_of, (self.old, self.new))
        return (old[name], new[name]) if self._is_there(name) else None

    def _files(self, name: str) -> tuple[str, str]:
        """Returns the files of the reports of a view, old first."""
        old, new = (next(iter(files_of(each, name)), "") for each in (self.old, self.new))
        return old, new

    @property
    def only_in(self) -> tuple[Sequence[str], Sequence[str]]:
        """Subjects of comparison of the old report only, and of the new one only; empty before both are complete."""
        if not self.is_complete:
            return (), ()
        old, new = ([name for name in comparable_of(report) if _has(report, name)] for report in (self.old, self.new))
        return [name for name in old if name not in new], [name for name in new if name not in old]

    def _is_there(self, name: str) -> bool:
        """True if both reports have its data, as far as is known."""
        if not self.is_complete:
            return True
        if not all(_has(each, name) for each in (self.old, self.new)):
            return False
        old, new = ({each.name: each.unit for each in comparable_of(of)[name].columns} for of in (self.old, self.new))
        # Samples and milliseconds can't be compared, though both measure cost.
        return all(old[column] == new[column] for column in old.keys() & new.keys())

    @property
    def format_version(self) -> str | None:
        """Versions of both, if they have one."""
        found = dict.fromkeys(each.format_version for each in (self.old, self.new) if each.format_version)
        return " → ".join(found) or None

    @property
    def encoding(self) -> str:
        """Encoding of the new report."""
        return self.new.encoding

    @property
    def line_end(self) -> str:
        """Line end of the new report."""
        return self.new.line_end

    @property
    def size(self) -> int:
        """Bytes of both."""
        return self.old.size + self.new.size

    @property
    def files(self) -> Sequence[str]:
        """Files of both."""
        return [*self.old.files, *self.new.files]

    @property
    def facts(self) -> Mapping[str, object]:
        """Facts of both; summaries of the views compared so far."""
        views = self.views if self.is_complete else ()
        compared = {view.name: dict(view.summary) for view in views if isinstance(view, ComparedView) and view.summary}
        facts: dict[str, object] = {"old": dict(self.old.facts), "new": dict(self.new.facts)}
        only = zip(("only in the older one", "only in the newer one"), map(list, self.only_in), strict=True)
        others = {"compared": compared, **dict(only)}
        return facts | {name: each for name, each in others.items() if each}

    @property
    def totals(self) -> Mapping[str, object]:
        """Totals of both; empty until they are known."""
        return {"old": dict(self.old.totals), "new": dict(self.new.totals)} if self.is_complete else {}

    @property
    def opened(self) -> Sequence[Report]:
        """Both reports."""
        return self.old, self.new

    @property
    def progress(self) -> Progress:
        """Progress of both."""
        old, new = self.old.progress, self.new.progress
        slower = new if old.state == "ready" else old
        return Progress(
            done=old.done + new.done,
            total=old.total + new.total,
            rows=old.rows + new.rows,
            seconds=max(old.seconds, new.seconds),
            state=slower.state,
            says=slower.says,
        )

    @property
    def is_complete(self) -> bool:
        """True if both are complete."""
        return self.old.is_complete and self.new.is_complete

    def start_index(self) -> None:
        """Starts the indexes of both, of all comparable parts of combined reports."""
        comparable_of(self.old)
        self.old.start_index()
        self.new.start_index()

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Blocks until both are complete. Raises `ReportError`, also if there is nothing to compare."""
        self.old.wait(progress)
        self.new.wait(progress)
        if not self.views:
            names = f"{file_name(self.old.files[0])} and {file_name(self.new.files[0])}"
            raise ReportError(f"{names}: one has nothing that can be compared")

    def own_tables(self) -> Tables:
        """A table of the rows of each view, and views of what was added and removed."""
        from parsers.reporting.comparison.compared_tables import compared_tables

        return compared_tables([cast(ComparedView, view) for view in self.views])

    def why(self, view: str, node: int) -> Sequence[int]:
        """Returns the path to a row."""
        return self.view(view).path(node)
