"""Waits for the builds that write into a folder: which reports are new there, and no longer being written.

A report is whole when nothing of its folder has changed for a while: a build writes its reports one after the other, a
set of tables as several files, and links to them last. Whoever waits says what time it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.folder import FoundReport, Run, find_reports, group_runs
from parsers.report import ReportError

QUIET = 2.0
"""Seconds in which nothing of a folder changes once all is written."""

State = tuple[int, int]
"""Bytes of a file, and when it was changed last."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a build has written."""

    run: Run
    """All of its reports."""
    reports: Sequence[FoundReport]
    """Those that can be opened and weren't told before."""
    before: Run | None
    """The build of that image before it, if there is one."""

    def pairs(self) -> list[tuple[FoundReport, FoundReport | None]]:
        """Each new report with that of the build before it; the largest first."""
        older = {} if self.before is None else {each.format.name: each for each in reversed(self.before.reports)}
        largest = sorted(self.reports, key=lambda report: -report.bytes)
        return [(report, older.get(report.format.name)) for report in largest]


def files_of(run: Run) -> list[str]:
    """The files of all reports of a build that can be opened."""
    return [file for report in run.reports if report.can_be_opened for file in report.files or (report.path,)]


class FolderWatch:
    """What is new in a folder since it was looked at first."""

    def __init__(self, folder: str, now: float, quiet: float = QUIET) -> None:
        """Takes what is there as old. Raises `ReportError` for no folder."""
        self.folder = folder
        self._quiet = quiet
        find_reports(folder)
        self._files = self._known = self._told = states(folder)
        self._since = now

    def look(self, now: float) -> list[Arrival]:
        """Builds with reports that are new, or written anew, and whole by now; the oldest first."""
        files = states(self.folder)
        if files != self._files:
            self._files, self._since = files, now
        if files == self._known or now - self._since < self._quiet:
            return []
        self._known = files
        try:
            runs = group_runs(find_reports(self.folder))
        except ReportError:
            return []
        arrivals = [arrival for place, run in enumerate(runs) if (arrival := self._arrival(run, runs[place + 1 :]))]
        # What went and comes again is new.
        self._told = files
        return arrivals[::-1]

    def _arrival(self, run: Run, older: Sequence[Run]) -> Arrival | None:
        new = [report for report in run.reports if report.can_be_opened and self._is_new(report)]
        before = next((each for each in older if each.image == run.image), None)
        return Arrival(run, new, before) if new else None

    def _is_new(self, report: FoundReport) -> bool:
        paths = [os.path.realpath(path) for path in report.files or (report.path,)]
        return any(self._files.get(path) != self._told.get(path) for path in paths)


def states(folder: str) -> Mapping[str, State]:
    """All files of a folder, and of `reports` in it, by their paths; links stand for what they lead to."""
    found: dict[str, State] = {}
    for place in (folder, os.path.join(folder, "reports")):
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    _note(entry.path, found)
        except OSError:
            continue
    return found


def _note(path: str, found: dict[str, State]) -> None:
    try:
        path = os.path.realpath(path)
        status = os.stat(path)
    except (OSError, ValueError):
        return
    if stat.S_ISREG(status.st_mode):
        found[path] = (status.st_size, status.st_mtime_ns)
