"""The reports of a folder: their formats, and the builds that wrote them.

Reads the first few KB of each file, and no subfolders, so thousands of files are cheap. Source of the names:
`AnalysisReporter` of GraalVM writes `<report>_<image>_<yyyyMMdd_HHmmss>.<ext>`; the image may contain underscores, and
the times of one run's reports differ by seconds or minutes.
"""

from __future__ import annotations

import contextlib
import os
import stat
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from parsers.formats.registry import FORMATS, accepted, detect, format_named, place_in_zip
from parsers.io.archives.compressed import kind_of, unpacking_of
from parsers.io.archives.unpack import SUFFIXES, without_suffix
from parsers.io.report_name import BUILD_OUTPUT, REPORTS, SAME_RUN, ReportName, split_name
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.formats.format import Format
    from parsers.io.cache import Cache

LOOKED_AT = 4096
"""Bytes of each file used for detection."""

SMALL = 64 << 10
"""Largest file, in bytes, that is read whole when it is opened (`parsers.io.source.HEAD`)."""


@dataclass(frozen=True, slots=True)
class FoundReport:
    """One report of a folder. `path` is its first file; the tables of a CSV call tree are one report."""

    path: str
    name: str
    format: Format
    named: ReportName
    bytes: int
    """Size on disk of all files."""
    modified: datetime
    files: tuple[str, ...] = ()
    """All files if several, in the order that the reader needs."""
    part_of: tuple[str, bool] | None = None
    """Report that the file is a part of, and True if it is the file to open; `Format.part_of`."""
    index_rows: int | None = None
    """Rows of its finished index; None if there is none."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All of its files."""
        return self.files or (self.path,)

    @property
    def can_be_opened(self) -> bool:
        """True if there is a reader for the report."""
        return self.format.open is not None

    @property
    def needs_index(self) -> bool:
        """True if an index is useful: small files, and some formats, are read completely at once."""
        is_large = self.bytes > SMALL or self.path.endswith(SUFFIXES)
        return self.can_be_opened and self.format.index is not None and is_large

    @property
    def written(self) -> datetime:
        """Time of writing from its name, else the file's last change."""
        return self.named.written or self.modified

    @property
    def image(self) -> str:
        """The image that its name contains; empty for formats without images."""
        return self.named.image if self.named.report or self.is_whole_build else ""

    @property
    def is_whole_build(self) -> bool:
        """True for all reports of a build as one."""
        return self.path.endswith("#")


@dataclass(slots=True)
class ImageBuild:
    """The reports that one build of an image wrote: those that can be opened first, then in registry order."""

    image: str
    written: datetime
    reports: list[FoundReport] = field(default_factory=list)


def find_reports(folder: str, cache: Cache | None = None) -> list[FoundReport]:
    """Returns all reports in a folder, newest first. A cache gives the rows of their indexes. Raises `ReportError`."""
    try:
        found = _looked_at(folder, lambda name: True)
    except OSError as error:
        raise ReportError(f"{folder}: can't be read: {(error.strerror or str(error)).lower()}") from error
    reports, below = _join_parts(_join_tables(found)), os.path.join(folder, REPORTS)
    if all(each.named.report == BUILD_OUTPUT for each in found) and os.path.isdir(below) and not os.path.islink(below):
        # native-image writes into this subfolder of its output folder, and its build output beside that.
        with contextlib.suppress(ReportError):
            reports += find_reports(below)
    reports.sort(key=lambda report: report.name)
    reports.sort(key=lambda report: report.written, reverse=True)
    return [with_index(report, cache) for report in reports] if cache is not None else reports


def reports_among(folder: str, names: Container[str]) -> list[FoundReport]:
    """Returns the reports in those files of a folder that have one of the names. Raises `OSError`."""
    return _join_parts(_join_tables(_looked_at(folder, names.__contains__)))


def group_runs(reports: Iterable[FoundReport]) -> list[ImageBuild]:
    """Groups reports by the build that wrote them, newest build first."""
    by_image: dict[str, list[FoundReport]] = {}
    for report in reports:
        by_image.setdefault(report.named.image, []).append(report)
    nameless = by_image.pop("", [])
    runs = [run for image, of_image in by_image.items() for run in _runs_of_image(image, of_image)]
    left = [report for report in nameless if not _join_deferred(report, runs)]
    runs.extend(_runs_of_image("", left))
    for run in runs:
        run.reports.sort(key=lambda report: (not report.can_be_opened, FORMATS.index(report.format), report.name))
    return sorted(runs, key=lambda run: run.written, reverse=True)


def only_report(folder: str, wanted: Format | None = None) -> tuple[str, ...]:
    """Returns the files of the only report in a folder that can be opened, or of all reports of one build.

    Raises `ReportError` if there are several, or none.
    """
    reports = find_reports(folder)
    able = able_of(reports, wanted)
    files = as_one(able)
    if files:
        return files
    if able:
        names = ", ".join(report.name for report in able[:3]) + (", …" if len(able) > 3 else "")
        raise ReportError(f"{folder}: holds {len(able)} reports ({names}): name one of them")
    what = f"expected {wanted.title}" if wanted else accepted()
    others = f"; there are {len(reports)} others that are not read yet" if reports else ""
    raise ReportError(f"{folder}: no report in it can be opened{others}; {what}")


def able_of(reports: Iterable[FoundReport], wanted: Format | None = None) -> list[FoundReport]:
    """Reports that can be opened, as a wanted format or as parts of it."""
    return [
        report
        for report in reports
        if report.can_be_opened and (wanted in (None, report.format) or wanted.name == report.format.together)
    ]


def as_one(able: Sequence[FoundReport]) -> tuple[str, ...]:
    """Returns the files of the only report, or of the only build; empty if there are several reports, or none."""
    if len(able) == 1:
        return (able[0].path,)
    runs = group_runs(able)
    return files_of(runs[0]) if len(runs) == 1 and is_build(runs[0]) else ()


def tables_in_folder(path: str) -> tuple[str, ...]:
    """Files of the CSV call tree of which a file is a table, including the file; for other files just that one.

    A link to a table of its folder is replaced by that table; a dangling link by the newest such table.
    """
    folder, name = os.path.split(os.path.abspath(path))
    if not _is_table(name):
        return (path,)
    if os.path.islink(path) and os.path.exists(path) and _stays_in_folder(path):
        folder, name = os.path.split(os.path.realpath(path))
    try:
        found = _looked_at(folder, _is_table)
    except OSError:
        return (path,)
    sets = [report.files for report in _join_tables(found)]
    return next((files for files in sets if os.path.join(folder, name) in files), (path,))


def newest_table(link: str) -> str | None:
    """Returns the newest file of the table that a dangling link names; None if there is none beside it.

    Until 22.0 links contain absolute paths, so they dangle in a copied folder.
    """
    folder, name = os.path.split(os.path.abspath(link))
    if not os.path.islink(link) or os.path.exists(link) or not _is_table(name):
        return None
    table = split_name(name).table
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name for entry in entries if not entry.is_symlink() and split_name(entry.name).table == table
            ]
    except OSError:
        return None
    newest = max(names, key=lambda each: (split_name(each).written or datetime.min, each), default=None)
    return None if newest is None else os.path.join(folder, newest)


def _is_table(name: str) -> bool:
    return bool(split_name(name).table)


def build_of(run: ImageBuild) -> FoundReport | None:
    """Returns all reports of a build as one report, if they can be opened together."""
    if not is_build(run):
        return None
    able = [report for report in run.reports if report.can_be_opened]
    return FoundReport(
        path=f"{able[0].path}#",
        name=run.image,
        format=format_named(able[0].format.together),
        named=ReportName("", "", run.image, run.written),
        bytes=sum(report.bytes for report in able),
        modified=max(report.modified for report in able),
        files=files_of(run),
    )


def build_around(path: str) -> ImageBuild | None:
    """Build of a file, from the names of the files beside it, if it wrote tables or a build output; else None.

    Only files with names of reports are read, and none if there is no table or build output.
    """
    folder = os.path.dirname(os.path.abspath(path))
    above = os.path.dirname(folder) if os.path.basename(folder) == REPORTS else None
    if not split_name(os.path.basename(path)).report:
        return None
    try:
        siblings = [(name, split_name(name)) for name in os.listdir(folder)]
        outputs = [name for name in os.listdir(above) if name.startswith(BUILD_OUTPUT)] if above is not None else []
        if not outputs and not any(named.table or named.report == BUILD_OUTPUT for _, named in siblings):
            return None
        wanted = {name for name, named in siblings if named.report}
        found = _looked_at(folder, wanted.__contains__)
        found += _looked_at(above, outputs.__contains__) if above is not None else []
    except OSError:
        return None
    own = os.path.realpath(path)
    return next(
        (
            run
            for run in group_runs(_join_tables(found))
            if any(os.path.realpath(file) == own for report in run.reports for file in report.files)
        ),
        None,
    )


def _looked_at(folder: str, is_wanted: Callable[[str], bool]) -> list[FoundReport]:
    """Returns the reports among the files of a folder with wanted names. Raises `OSError`."""
    with os.scandir(folder) as entries:
        wanted = [entry for entry in entries if is_wanted(entry.name)]
        return [report for entry in wanted if (report := _look_at(entry)) is not None]


def is_build(run: ImageBuild) -> bool:
    """Returns True if a build has several readable reports, which can be opened as one."""
    able = [report for report in run.reports if report.can_be_opened]
    return len(able) > 1 and bool(able[0].format.together) and len({each.format.together for each in able}) == 1


def files_of(run: ImageBuild) -> tuple[str, ...]:
    """Returns the files of a build, in the order of its reports."""
    return tuple(file for report in run.reports if report.can_be_opened for file in report.files)


def _look_at(entry: os.DirEntry[str]) -> FoundReport | None:
    """Report of a file of the folder; None if it is no report, can't be read, or is a second name of another file."""
    try:
        if entry.is_symlink() and _stays_in_folder(entry.path):
            return None
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        head = _head(entry.path)
    except (OSError, ValueError):
        return None
    found = detect(head, without_suffix(entry.name))
    if found is None:
        return None
    modified = datetime.fromtimestamp(max(0, status.st_mtime))
    named = split_name(entry.name)
    try:
        part_of = None if found.part_of is None else found.part_of(entry.path, head)
    except OSError:
        part_of = None
    return FoundReport(entry.path, entry.name, found, named, status.st_size, modified, (entry.path,), part_of=part_of)


def _stays_in_folder(link: str) -> bool:
    """Returns True if a link names a file of the same folder, as `call_tree_methods.csv` does."""
    target = os.readlink(link)
    return os.path.dirname(target) == "" or os.path.dirname(os.path.realpath(link)) == os.path.realpath(
        os.path.dirname(link)
    )


def _head(path: str) -> bytes:
    """Returns the first few KB of the plain bytes of a file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        head = os.pread(descriptor, LOOKED_AT, 0)
    finally:
        os.close(descriptor)
    kind = kind_of(head)
    if kind is None:
        return head
    unpacking = unpacking_of(kind, lambda count, offset: head[offset : offset + count], len(head), place_in_zip)
    return next(unpacking.blocks(LOOKED_AT), b"") if unpacking is not None else head


def _join_tables(found: Sequence[FoundReport]) -> list[FoundReport]:
    """Joins the tables of each CSV call tree to one report, named with `*` for the table; keeps the others."""
    reports: list[FoundReport] = []
    tables: dict[str, list[FoundReport]] = {}
    for report in found:
        if report.named.table:
            tables.setdefault(report.named.image, []).append(report)
        else:
            reports.append(report)
    for of_image in tables.values():
        for run in _runs_of_image("", of_image):
            parts = sorted(run.reports, key=lambda part: part.name)
            first = min(parts, key=lambda part: (part.written, part.name))
            reports.append(
                replace(
                    first,
                    name=first.name.replace(f"call_tree_{first.named.table}", "call_tree_*", 1),
                    named=replace(first.named, table=""),
                    bytes=sum(part.bytes for part in parts),
                    files=tuple(part.path for part in parts),
                )
            )
    return reports


def _join_parts(found: Sequence[FoundReport]) -> list[FoundReport]:
    """Joins files that are parts of one report, under the name of the file to open; keeps the others."""
    reports: list[FoundReport] = []
    wholes: dict[tuple[str, str], list[FoundReport]] = {}
    for report in found:
        if report.part_of is None:
            reports.append(report)
        else:
            wholes.setdefault((report.format.name, report.part_of[0]), []).append(report)
    for parts in wholes.values():
        parts.sort(key=lambda part: (not (part.part_of and part.part_of[1]), part.name))
        if sum(bool(part.part_of and part.part_of[1]) for part in parts) > 1:
            # Process ids are reused, so the owner of the others is unknown.
            reports.extend(parts)
            continue
        files, size = tuple(part.path for part in parts), sum(part.bytes for part in parts)
        newest = max(part.modified for part in parts)
        reports.append(replace(parts[0], files=files, bytes=size, modified=newest))
    return reports


def _runs_of_image(image: str, reports: Sequence[FoundReport]) -> list[ImageBuild]:
    """Splits the reports of one image into builds.

    A build writes each report once, so the most frequent report (or table) gives the number and times of the builds;
    each other report belongs to the nearest of them.
    """
    if not reports:
        return []
    counts = Counter((report.format.name, report.named.report, report.named.table) for report in reports)
    most = max(counts, key=lambda kind: (counts[kind], kind))
    anchors = sorted(r.written for r in reports if (r.format.name, r.named.report, r.named.table) == most)
    runs = [ImageBuild(image, time) for time in anchors]
    far: list[ImageBuild] = []
    for report in sorted(reports, key=lambda report: report.written):
        place = bisect_left(anchors, report.written)
        nearest = min(runs[max(0, place - 1) : place + 1], key=lambda run: abs(run.written - report.written))
        if abs(nearest.written - report.written) > SAME_RUN:
            nearest = (
                far[-1] if far and report.written - far[-1].written <= SAME_RUN else ImageBuild(image, report.written)
            )
            far.append(nearest)
        nearest.reports.append(report)
    runs.extend({id(run): run for run in far}.values())
    for run in runs:
        run.written = max((report.written for report in run.reports), default=run.written)
    return [run for run in runs if run.reports]


def _join_deferred(report: FoundReport, runs: Sequence[ImageBuild]) -> bool:
    """Adds a report without image in its name to the build that ended next after it was written."""
    near = [run for run in runs if abs(run.written - report.written) <= SAME_RUN]
    later = sorted((run for run in near if run.written >= report.written), key=lambda run: run.written)
    if report.named.report == BUILD_OUTPUT:
        # Written last, without a time in its name; a single build is its own.
        later = sorted(near or runs[: len(runs) == 1], key=lambda run: abs(run.written - report.written))
    if not report.named.report or not later:
        return False
    later[0].reports.append(report)
    return True


def with_index(report: FoundReport, cache: Cache) -> FoundReport:
    """Returns a copy of a report, with the rows of its index if there is a finished one."""
    if not report.can_be_opened:
        return report
    from parsers.index.store import finished_rows
    from parsers.io.identity import identify_file, identity_of_all

    try:
        identity = identity_of_all([identify_file(path) for path in report.paths])
    except OSError:
        return report
    counts = (finished_rows(folder, identity) for folder in cache.index_folders(identity, report.format.name))
    return replace(report, index_rows=next((rows for rows in counts if rows is not None), None))
