"""Watching of a folder for new builds: reports that are new there, and no longer being written.

A build is reported when none of its files has changed for a while. It writes its reports one after the other, a set of
tables as several files, and links to them last. Reports written later are reported as more of the same build. A file
that ends in the middle of a line is awaited longer, because its writer may only be slow. The caller passes the time.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.formats.folder import LOOKED_AT, FoundReport, ImageBuild, find_reports, group_runs
from parsers.io.archives.compressed import kind_of
from parsers.model.report import ReportError

QUIET = 2.0
"""Seconds without changes after which the files of a build are complete."""
PATIENCE = 20.0
"""The same for a file that ends in the middle of a line."""
ENDS = b"\n\r}] \t"
"""Last bytes of complete text and JSON."""

State = tuple[int, int]
"""Bytes of a file, and the time of its last change."""


NEW, MORE, REWRITTEN = "new", "more", "anew"
"""A new build; more reports of a known build; only reports that were written again."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A build with new reports."""

    run: ImageBuild
    """All of its reports."""
    reports: Sequence[FoundReport]
    """Those that can be opened and are new."""
    before: ImageBuild | None
    """The previous build of that image, if there is one."""
    news: str = NEW
    """One of `NEW`, `MORE` and `REWRITTEN`."""

    def pairs(self, of_all: bool = False) -> list[tuple[FoundReport, FoundReport | None]]:
        """Each new report with that of the previous build; the largest first. of_all: each of the build."""
        before = () if self.before is None else self.before.reports
        older = {_compared_as(each): each for each in reversed(before) if each.can_be_opened}
        found = [each for each in self.run.reports if each.can_be_opened] if of_all else self.reports
        return [(each, older.get(_compared_as(each))) for each in sorted(found, key=lambda report: -report.bytes)]


def _compared_as(report: FoundReport) -> str:
    return report.format.compared_as or report.format.name


def files_of(run: ImageBuild) -> list[str]:
    """The files of all reports of a build that can be opened."""
    return [file for report in run.reports if report.can_be_opened for file in report.paths]


class FolderWatch:
    """The changes in a folder since the first look."""

    def __init__(self, folder: str, now: float) -> None:
        """Treats existing files as old. Raises `ReportError` if it is not a folder."""
        self.folder = folder
        find_reports(folder)
        self._files: Mapping[str, State] = states(folder)
        self._since = dict.fromkeys(self._files, now - PATIENCE)
        """Time at which each file was last seen to have changed."""
        self._reported_files = dict(self._files)
        self._passed = dict(self._files)
        """Files examined: they are not reported again unless they change."""

    def poll(self, now: float) -> list[Arrival]:
        """Builds with reports that are new or written again, and complete by now; the oldest first."""
        files = states(self.folder)
        self._since = {path: now if self._files.get(path) != files[path] else self._since[path] for path in files}
        if not self._files.keys() <= files.keys():
            # Reports withheld because of a file that is gone may be reported now.
            self._passed = {}
        self._files = files
        # A file that was removed and exists again is new.
        self._reported_files = {path: state for path, state in self._reported_files.items() if path in files}
        stable = {path: state for path, state in files.items() if self._is_stable(path, now)}
        if all(self._passed.get(path) == state for path, state in stable.items()):
            return []
        self._passed = stable
        try:
            runs = group_runs(find_reports(self.folder))
        except ReportError:
            return []
        arrivals = [self._arrival(run, runs[place + 1 :], stable) for place, run in enumerate(runs)]
        found = [arrival for arrival in arrivals if arrival is not None]
        for arrival in found:
            self._reported_files.update((path, files[path]) for path in _paths(arrival.reports) if path in files)
        return found[::-1]

    def _is_stable(self, path: str, now: float) -> bool:
        """True if a file is probably no longer being written."""
        still = now - self._since[path]
        return still >= PATIENCE or (
            still >= QUIET and (self._passed.get(path) == self._files[path] or ends_whole(path))
        )

    def _arrival(self, run: ImageBuild, older: Sequence[ImageBuild], stable: Mapping[str, State]) -> Arrival | None:
        able = [report for report in run.reports if report.can_be_opened]
        new = [report for report in able if self._is_new(report)]
        if not new or not all(path in stable for path in _paths(able)):
            return None
        known = [report for report in able if any(path in self._reported_files for path in _paths([report]))]
        news = NEW if not known else REWRITTEN if all(report in known for report in new) else MORE
        return Arrival(run, new, next((each for each in older if is_before(each, run)), None), news)

    def _is_new(self, report: FoundReport) -> bool:
        return any(self._files.get(path) != self._reported_files.get(path) for path in _paths([report]))


def is_before(older: ImageBuild, run: ImageBuild) -> bool:
    """True if an older build is of the same image; for files without a time in their names, of the same format."""
    formats = {report.format.name for report in run.reports if report.named.written is None}
    return older.image == run.image or any(report.format.name in formats for report in older.reports)


def _paths(reports: Sequence[FoundReport]) -> list[str]:
    return [os.path.realpath(path) for report in reports for path in report.paths]


def ends_whole(path: str) -> bool:
    """True if a text file ends like a complete one; for other files always True."""
    try:
        with open(path, "rb") as file:
            head = file.read(LOOKED_AT)
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
    except OSError:
        return True
    return b"\0" in head or kind_of(head) is not None or last in ENDS


def states(folder: str) -> Mapping[str, State]:
    """All files of a folder, and of `reports` in it, by their paths; links are replaced by their targets."""
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
