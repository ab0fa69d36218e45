"""Waits for the builds that write into a folder: which reports are new there, and no longer being written.

A build has come when none of its files has changed for a while: it writes its reports one after the other, a set of
tables as several files, and links to them last. What it writes later still is told as more of it. A file that ends in
the midst of a line is waited for longer, as whoever writes or copies it may only be slow. Whoever waits says what time
it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.formats.folder import LOOKED_AT, FoundReport, Run, find_reports, group_runs
from parsers.io.archives.compressed import kind_of
from parsers.model.report import ReportError

QUIET = 2.0
"""Seconds in which no file of a build changes once it is written."""
PATIENCE = 20.0
"""The same where a file ends in the midst of a line."""
ENDS = b"\n\r}] \t"
"""What text and JSON that are whole end in."""

State = tuple[int, int]
"""Bytes of a file, and when it was changed last."""


NEW, MORE, ANEW = "new", "more", "anew"
"""Nothing of the build was told before; some of it was; all that is told now was, and has been written once more."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a build has written."""

    run: Run
    """All of its reports."""
    reports: Sequence[FoundReport]
    """Those that can be opened and weren't told before."""
    before: Run | None
    """The build of that image before it, if there is one."""
    news: str = NEW
    """Which of `NEW`, `MORE` and `ANEW` it is."""

    def pairs(self, of_all: bool = False) -> list[tuple[FoundReport, FoundReport | None]]:
        """Each new report with that of the build before it; the largest first. of_all: each of the build."""
        before = () if self.before is None else self.before.reports
        older = {_compared_as(each): each for each in reversed(before) if each.can_be_opened}
        found = [each for each in self.run.reports if each.can_be_opened] if of_all else self.reports
        return [(each, older.get(_compared_as(each))) for each in sorted(found, key=lambda report: -report.bytes)]


def _compared_as(report: FoundReport) -> str:
    return report.format.compared_as or report.format.name


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
        self._files: Mapping[str, State] = states(folder)
        self._since = dict.fromkeys(self._files, now - PATIENCE)
        """By file when it was seen to have changed last."""
        self._told = dict(self._files)
        self._passed = dict(self._files)
        """What was looked into: nothing more is to be told of it unless it changes."""

    def look(self, now: float) -> list[Arrival]:
        """Builds with reports that are new, or written anew, and whole by now; the oldest first."""
        files = states(self.folder)
        self._since = {path: now if self._files.get(path) != files[path] else self._since[path] for path in files}
        if not self._files.keys() <= files.keys():
            # What was not told because of a file that is gone may be told now.
            self._passed = {}
        self._files = files
        # What went and comes again is new.
        self._told = {path: state for path, state in self._told.items() if path in files}
        settled = {path: state for path, state in files.items() if self._is_settled(path, now)}
        if all(self._passed.get(path) == state for path, state in settled.items()):
            return []
        self._passed = settled
        try:
            runs = group_runs(find_reports(self.folder))
        except ReportError:
            return []
        arrivals = [self._arrival(run, runs[place + 1 :], settled) for place, run in enumerate(runs)]
        found = [arrival for arrival in arrivals if arrival is not None]
        for arrival in found:
            self._told.update((path, files[path]) for path in _paths(arrival.reports) if path in files)
        return found[::-1]

    def _is_settled(self, path: str, now: float) -> bool:
        """Whether a file isn't written any more, as far as can be seen."""
        still = now - self._since[path]
        return still >= PATIENCE or (
            still >= self._quiet and (self._passed.get(path) == self._files[path] or ends_whole(path))
        )

    def _arrival(self, run: Run, older: Sequence[Run], settled: Mapping[str, State]) -> Arrival | None:
        able = [report for report in run.reports if report.can_be_opened]
        new = [report for report in able if self._is_new(report)]
        if not new or not all(path in settled for path in _paths(able)):
            return None
        known = [report for report in able if any(path in self._told for path in _paths([report]))]
        news = NEW if not known else ANEW if all(report in known for report in new) else MORE
        return Arrival(run, new, next((each for each in older if is_before(each, run)), None), news)

    def _is_new(self, report: FoundReport) -> bool:
        return any(self._files.get(path) != self._told.get(path) for path in _paths([report]))


def is_before(older: Run, run: Run) -> bool:
    """Whether an older build is of the same image; of files whose names tell no time, of the same format."""
    formats = {report.format.name for report in run.reports if report.named.written is None}
    return older.image == run.image or any(report.format.name in formats for report in older.reports)


def _paths(reports: Sequence[FoundReport]) -> list[str]:
    return [os.path.realpath(path) for report in reports for path in report.files or (report.path,)]


def ends_whole(path: str) -> bool:
    """Whether a file of text ends where one may that is whole; others say nothing by their ends."""
    try:
        with open(path, "rb") as file:
            head = file.read(LOOKED_AT)
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
    except OSError:
        return True
    return b"\0" in head or kind_of(head) is not None or last in ENDS


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
