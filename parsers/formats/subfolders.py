"""Subfolders that hold reports, with the number of reports in each and below it.

Links are never followed, hidden folders are skipped, and the search is limited: a file is recognised by its head, but a
home folder may hold millions of files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from parsers.formats.folder import reports_among

MOST_DEPTH = 8
"""Maximum levels of folders below the listed one that are examined."""

MOST_EACH = 5_000
"""Maximum files and folders below one subfolder that are examined."""

MOST = 100_000
"""Maximum files and folders below the listed folder that are examined."""

MOST_AT_ONCE = 5_000
"""Maximum files and folders that are examined while a user waits."""


@dataclass(frozen=True, slots=True)
class Subfolder:
    """A folder with reports in it or below it."""

    path: str
    name: str
    reports: int
    is_complete: bool
    """False: a limit was reached, or a folder below can't be read; there may be more reports."""


class SubfolderSearch:
    """The search below one folder: an iterator over the subfolders with reports, by name."""

    def __init__(self, folder: str, most: int = MOST, most_each: int = MOST_EACH) -> None:
        """
        most       files and folders that are examined
        most_each  of these below one subfolder
        """
        self._folder = folder
        self._left = most
        self._most_each = most_each
        self.is_wanted = True
        """False ends the search soon; may be set by another thread."""
        self.is_complete = True
        """False: a limit was reached before all subfolders were examined."""

    def __iter__(self) -> Iterator[Subfolder]:
        """Yields the subfolders with reports."""
        try:
            below, _ = contents(self._folder)
        except OSError:
            return
        for path in below:
            if not self.is_wanted or self._left <= 0:
                self.is_complete = False
                return
            found = self._examine(path)
            if found.reports:
                yield found

    def _examine(self, path: str) -> Subfolder:
        """Counts the reports in and below a subfolder."""
        waiting, reports, is_complete = [(path, 1)], 0, True
        left = min(self._left, self._most_each)
        self._left -= left
        while waiting and self.is_wanted and left > 0:
            place, depth = waiting.pop()
            try:
                below, names = contents(place)
                left -= 1
                is_complete = is_complete and len(names) <= left and (depth < MOST_DEPTH or not below)
                reports += len(reports_among(place, set(names[:left]))) if names else 0
            except OSError:
                is_complete = False
                continue
            left -= min(left, len(names))
            if depth < MOST_DEPTH:
                waiting += [(each, depth + 1) for each in reversed(below)]
        self._left += left
        return Subfolder(path, os.path.basename(path), reports, is_complete and not waiting)


def has_reports(folder: str) -> bool:
    """True if a report is found soon in a subfolder; not all files are examined if there are very many."""
    return next(iter(SubfolderSearch(folder, MOST_AT_ONCE)), None) is not None


def may_have_reports(folder: str) -> bool:
    """True if a subfolder holds a report, or if there are too many files to know it soon."""
    search = SubfolderSearch(folder, MOST_AT_ONCE)
    return next(iter(search), None) is not None or not search.is_complete


def contents(folder: str) -> tuple[list[str], list[str]]:
    """Paths of the folders in a folder and names of its files, sorted, without links. Raises `OSError`."""
    folders: list[str] = []
    files: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                files.append(entry.name)
            elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                folders.append(entry.path)
    return sorted(folders), sorted(files)
