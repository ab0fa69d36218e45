"""Reports that a report can be compared with: in its folder, and in neighbouring folders.

Builds are kept one per folder as often as all in one folder. A neighbouring folder is listed by names only, until one
of them resembles the report's name: then its reports of the same kind are returned.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from parsers.formats.folder import FoundReport, build_of, find_reports, group_runs
from parsers.io.archives.unpack import without_suffix
from parsers.io.report_name import REPORTS, split_name
from parsers.model.capabilities import HasMembers
from parsers.model.report import Report, ReportError

MOST_FOLDERS = 100
"""Maximum neighbouring folders examined, most recently changed first."""
MOST_NAMES = 10_000
"""Maximum number of files of such a folder whose names are examined."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A report, or a whole build."""

    files: tuple[str, ...]
    """Paths that open it."""
    name: str
    """Its name, with its folder if that is another one."""
    bytes: int
    written: datetime
    is_newer: bool
    """True if it was written after the report."""
    is_elsewhere: bool
    """True if it is in another folder."""
    is_of_image: bool
    """True if its name contains the same image."""


def candidates(report: Report) -> list[Candidate]:
    """Candidates of the same image first; of each older ones first, of these those in the same folder, newest first."""
    of_report = {os.path.realpath(file) for file in report.files}
    own_folder = os.path.dirname(os.path.realpath(report.files[0]))
    folders = (own_folder, *_neighbours(own_folder, {_kind(os.path.basename(file)) for file in report.files}))
    # A folder may also list what is in `reports` below it.
    found = {each.path: (each, folder) for folder in folders for each in _of_kind(report, folder)}
    own = next(
        (each for each, _ in found.values() if not of_report.isdisjoint(map(os.path.realpath, each.paths))), None
    )
    others = [_candidate(each, folder, own_folder, own) for each, folder in found.values() if each is not own]
    others.sort(key=lambda each: each.written, reverse=True)
    return sorted(others, key=lambda each: (not each.is_of_image, each.is_newer, each.is_elsewhere))


def _candidate(found: FoundReport, folder: str, own_folder: str, own: FoundReport | None) -> Candidate:
    name = found.name
    if folder != own_folder:
        name = os.path.join(os.path.relpath(folder, os.path.dirname(_build_folder(own_folder))), name)
    is_newer = own is not None and found.written > own.written
    return Candidate(
        found.paths,
        name,
        found.bytes,
        found.written,
        is_newer,
        folder != own_folder,
        own is not None and found.named.image == own.named.image,
    )


def _of_kind(report: Report, folder: str) -> Sequence[FoundReport]:
    """Reports in a folder of the same kind as a report; builds if that is a build."""
    try:
        reports = find_reports(folder)
    except ReportError:
        return ()
    kinds = {report.format, report.compared_as}
    if isinstance(report, HasMembers):
        reports = [build for run in group_runs(reports) if (build := build_of(run)) is not None]
    return [each for each in reports if not kinds.isdisjoint((each.format.name, each.format.compared_as))]


def _kind(name: str) -> tuple[str, str]:
    """The common part of names of files of one kind: the report, else everything except the time."""
    named = split_name(name)
    return (named.report, "") if named.report else (os.path.splitext(without_suffix(name))[1], named.image)


def _build_folder(folder: str) -> str:
    return os.path.dirname(folder) if os.path.basename(folder) == REPORTS else folder


def _neighbours(folder: str, kinds: set[tuple[str, str]]) -> list[str]:
    """Folders beside that of a build that contain a file named like one of its reports."""
    own = _build_folder(folder)
    try:
        with os.scandir(os.path.dirname(own)) as entries:
            # A link may be another name of one of them.
            times = {os.path.realpath(entry.path): entry.stat().st_mtime for entry in entries if entry.is_dir()}
    except OSError:
        return []
    newest = sorted(times.keys() - {own}, key=lambda path: times[path], reverse=True)[:MOST_FOLDERS]
    return [path for each in newest for path in (each, os.path.join(each, REPORTS)) if _has_any(path, kinds)]


def _has_any(folder: str, kinds: set[tuple[str, str]]) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(_kind(entry.name) in kinds for entry, _ in zip(entries, range(MOST_NAMES), strict=False))
    except OSError:
        return False
