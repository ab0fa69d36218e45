"""The reports given to a command: files, and folders of builds. Each is read only when it is needed."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from parsers.formats.folder import ImageBuild, find_reports, group_runs
from parsers.model.report import ReportError
from parsers.runtime.opening import open_compared, open_report
from tui.headless.session import show_private

if TYPE_CHECKING:
    from parsers.formats.folder import FoundReport
    from parsers.model.report import Report
    from parsers.reporting.comparison.compared_report import ComparedReport
    from parsers.runtime.report_set import ReportSet
    from tui.headless.session import Invocation


class GivenReports:
    """Opens reports; closing the stack `opened` closes them."""

    def __init__(self, invocation: Invocation, opened: ExitStack) -> None:
        self._arguments, self._cache, self._remarks = invocation.arguments, invocation.cache, invocation.remarks
        self._opened = opened
        self._builds: list[Sequence[str]] = []
        """The files of each build in a folder, if it has several reports."""
        self._made: list[Report] = []
        self.known: dict[int, Report] = {}
        """Completely indexed reports by identity."""
        self._states: dict[str, object] = {}
        """By file: identifying state at the time of its opening."""

    def open(self, paths: Sequence[str]) -> list[Report]:
        """Opens the reports of some paths, each once; of a folder those of the newest build of each image in it."""
        reports: list[Report] = []
        known: set[str] = set()
        for files in (files for path in paths for files in self._files_of(path)):
            report = self._open(files)
            self._opened.callback(report.close)
            self._states |= {file: _state(file) for file in report.files}
            own = {os.path.realpath(file) for file in report.files}
            if not own <= known or not own:
                reports.append(report)
            known |= own
        return reports

    def compared(self, old: str, new: str) -> ComparedReport:
        """Opens two reports as a comparison. Raises `ReportError`."""
        compared = open_compared(old, new, format=self._arguments.text("format"), cache=self._cache)
        self._opened.callback(compared.close)
        for report in (compared.old, compared.new):
            show_private(report, self._arguments)
        self.know(compared)
        return compared

    def set_of(self, pattern: str, found: Sequence[FoundReport]) -> ReportSet:
        """Returns the reports that match a pattern, each opened when its rows are needed. Raises `ReportError`."""
        from parsers.runtime.report_set import ReportSet

        wanted = self._arguments.text("format")
        chosen = [report for report in found if wanted in (None, report.format.name)]
        if not chosen:
            raise ReportError(f"{pattern}: no report matches")

        def open(files: Sequence[str]) -> Report:
            self._remarks.show(f"reading {files[0]}")
            report = self._open(files)
            try:
                report.wait()
            except BaseException:
                report.close()
                raise
            return report

        return ReportSet(chosen, open)

    def _open(self, files: Sequence[str]) -> Report:
        report = open_report(files, format=self._arguments.text("format"), cache=self._cache)
        show_private(report, self._arguments)
        return report

    def know(self, report: Report) -> None:
        """Waits until a report is completely indexed."""
        if id(report) not in self.known:
            self._remarks.wait_for(report)
            self.known[id(report)] = report

    @property
    def changed(self) -> list[str]:
        """Files of known reports that were replaced or modified since they were opened."""
        files = {file for report in self.known.values() for file in report.files}
        return sorted(file for file in files if file in self._states and self._states[file] != _state(file))

    def joined(self) -> list[Report]:
        """Combined reports of each folder; opened when a rule needs a view that no single report has."""
        files, self._builds = self._builds, []
        self._made += [report for each in files for report in self._opened_joined(each)]
        return self._made

    def _opened_joined(self, files: Sequence[str]) -> list[Report]:
        try:
            report = open_report(files, cache=self._cache)
        except ReportError:
            # Their formats can't be combined.
            return []
        self._opened.callback(report.close)
        return [report]

    def _files_of(self, path: str) -> list[Sequence[str]]:
        """The files of each report at a path."""
        if not os.path.isdir(path):
            return [[path]]
        wanted = self._arguments.text("format")
        able = [report for report in find_reports(path) if report.can_be_opened]
        able = [report for report in able if wanted in (None, report.format.name)]
        if not able:
            raise ReportError(f"{path}: no report in it can be opened")
        newest: dict[str, ImageBuild] = {}
        runs = group_runs(able)
        for run in runs:
            newest.setdefault(run.image, run)
        if len(newest) < len(runs):
            times = ", ".join(f"{run.image} {run.written:%Y-%m-%d %H:%M}".strip() for run in newest.values())
            self._remarks.show_message(f"{path}: several builds; the newest are checked: {times}")
        files: list[Sequence[str]] = []
        for run in newest.values():
            of_run: list[Sequence[str]] = [report.files for report in run.reports]
            if len(of_run) > 1:
                self._builds.append([file for of_report in of_run for file in of_report])
            files += of_run
        return files

    def open_older(self, path: str, formats: set[str]) -> list[Report]:
        """Opens the reports of a baseline; also combined reports of its builds if single ones lack a format."""
        builds, self._builds = self._builds, []
        older = self.open([path])
        if not formats <= {report.format for report in older}:
            older += [report for files in self._builds for report in self._opened_joined(files)]
        self._builds = builds
        return older


def _state(path: str) -> object:
    """State that changes when a file is replaced or modified; None if it is not a plain file."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return (status.st_size, status.st_mtime_ns, status.st_ino) if stat.S_ISREG(status.st_mode) else None
