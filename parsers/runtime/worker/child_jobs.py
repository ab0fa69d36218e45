"""The work of the worker's child for each kind of job, in steps of some milliseconds.

A step yields what to report: `fraction`, `count`, `state`, `says` and the fields of the kind of job.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from typing import TYPE_CHECKING

from parsers.model.capabilities import (
    AsksAgain,
    DecodesText,
    Filterable,
    FoldsFrames,
    HasNames,
    HasSwitches,
    MatchesRows,
    RepresentsRows,
)
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from parsers.query.search.names import NameMatch, NameSearch
    from parsers.runtime.worker.job import JobMessage

MOST_GROUPS = 5
"""Maximum of groups listed before the names that match a query."""


class Jobs:
    """The jobs of one child, and their report."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._asked: JobMessage | None = None
        self._is_ready = False
        self._report: Report | None = None
        self._names: NameSearch | None = None
        self._groups: tuple[list[str], NameSearch] | None = None
        self._kinds: dict[str, Callable[[JobMessage], Iterator[JobMessage]]] = {
            "find": self._find,
            "select": self._select,
            "names": self._find_names,
        }

    def warm_up(self) -> None:
        """Imports what a search needs, so that the first one starts at once."""
        from parsers.kernels.library import loaded
        from parsers.query.search.line_finder import KERNEL
        from parsers.query.search.names import fuzzy_kernels
        from parsers.query.search.state_finder import state_kernels

        loaded(KERNEL)
        state_kernels()
        fuzzy_kernels()

    def forget(self, job: int) -> None:
        """Removes the files of a stopped job."""
        for name in os.listdir(self._folder):
            if name.startswith(f"{job}."):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._folder, name))

    def follow_index(self, message: JobMessage) -> None:
        """Sets the report, and whether its index is finished."""
        if "report" in message:
            if self._report is not None:
                self._report.close()
            self._asked, self._report, self._names, self._groups = message["report"], None, None, None
        self._is_ready = bool(message["is_ready"])

    def steps(self, message: JobMessage) -> Iterator[JobMessage]:
        """Yields the steps of one job."""
        return self._kinds[message["kind"]](message)

    def _find(self, message: JobMessage) -> Iterator[JobMessage]:
        from parsers.query.search.pattern import Pattern
        from parsers.query.search.scan import scan
        from parsers.query.selection.number_file import NumberWriter

        pattern, start, stop = Pattern.from_json(message["pattern"]), message["start"], message["stop"]
        separator = message["separator"]
        with contextlib.ExitStack() as opened:
            writers = {kind: NumberWriter(self._path(message, kind), 8) for kind in ("regex", "text")}
            for writer in writers.values():
                opened.callback(writer.close)
            # From here on everything is imported, and the job may be interrupted anywhere.
            yield {}
            files, total = [], 0
            for path, base in message["files"]:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                opened.callback(os.close, descriptor)
                # To the current end of the file: bytes written meanwhile are left to the next search.
                size = os.fstat(descriptor).st_size if stop is None else stop
                files.append((descriptor, base, size))
                total += size - start
            done, kind = 0, "text"
            for descriptor, base, size in files:
                for step in scan(descriptor, pattern, message["encoding"], start, size, separator=separator):
                    writers["regex"].append((step.regex_lines + base).astype(np.uint64, copy=False))
                    writers["text"].append((step.text_lines + base).astype(np.uint64, copy=False))
                    # Once it is an expression in one file, it is one in all.
                    kind = "regex" if step.kind == "regex" else kind
                    fraction = (done + step.done - start) / max(total, 1)
                    yield {"as": kind, "count": writers[kind].count, "fraction": fraction}
                done += size - start

    def _select(self, message: JobMessage) -> Iterator[JobMessage]:
        yield from self._wait_for_index()
        from parsers.query.search.pattern import Pattern
        from parsers.query.selection.number_file import NumberFile, NumberWriter
        from parsers.query.selection.selecting import LineMatches, MatchingRows, known_rows, select
        from parsers.query.selection.selection import Filters
        from parsers.query.selection.view_rows import ViewRows

        report = self._open()
        asked, made = message["matches"], message["made"]
        filtered = report if made is None else configured_view(_view(report, message), made)
        assert isinstance(filtered, Filterable)
        source = filtered.row_filters()
        matches = None if asked is None else NumberFile(asked["path"], 8, asked["count"])
        wanted: MatchingRows | None = None if matches is None else LineMatches(source, matches).mask
        if made is not None and made["pattern"] is not None:
            assert isinstance(source, MatchesRows)
            wanted = known_rows(source.matching(Pattern.from_json(made["pattern"])))
        elif made is None and message["view"] != report.views[0].name:
            view = report.view(message["view"])
            assert isinstance(view, RepresentsRows)
            rows = ViewRows(view, source)
            if wanted is not None:
                for step in rows.wanted(wanted, Pattern.from_json(asked["pattern"])):
                    if isinstance(step, float):
                        yield {"fraction": step}
                    else:
                        wanted = known_rows(step)
            source = rows
        nodes = NumberWriter(self._path(message, "nodes"), 4)
        suppressed = NumberWriter(self._path(message, "suppressed"), 4)
        try:
            for fraction in select(source, Filters.from_json(message["filters"]), wanted, nodes, suppressed):
                yield {"fraction": fraction}
            yield {"count": nodes.count, "suppressed": suppressed.count}
        finally:
            nodes.close()
            suppressed.close()
            if matches is not None:
                matches.close(remove=False)

    def _find_names(self, message: JobMessage) -> Iterator[JobMessage]:
        yield from self._wait_for_index()
        report = self._open()
        if self._names is None:
            yield {"says": "reading the names"}
            self._names = names_of(report, self._folder)
        from parsers.io.charset import codec_of

        codec = codec_of(report.encoding)
        found = self._names.search(
            message["query"], lambda text: text.encode(codec), message["is_fuzzy"], message["limit"]
        )
        groups = self._matching_groups(report, message["query"], not found.names)
        names = [astuple(name) for name in (*groups, *found.names)]
        yield {"names": names, "count": found.count + len(groups), "is_fuzzy": found.is_fuzzy}

    def _matching_groups(self, report: Report, query: str, has_all: bool) -> list[NameMatch]:
        """The groups whose names end with a query; or all with its words in their names."""
        if self._groups is None:
            self._groups = groups_of(report, self._folder)
        refs, search = self._groups
        found = search.search(query, lambda text: text.encode("utf-8", "replace"), is_fuzzy=False)
        ending = query.lower()
        names = [name for name in found.names if has_all or name.text.lower().endswith(ending)]
        return [replace(name, ref=refs[name.number]) for name in names[:MOST_GROUPS]]

    def _wait_for_index(self) -> Iterator[JobMessage]:
        while self._asked is None or not self._is_ready:
            yield {"state": "waiting", "says": "waits for the index"}
        yield {"state": "running", "says": ""}

    def _open(self) -> Report:
        """The report, with its finished index."""
        if self._report is None:
            assert self._asked is not None
            self._report = opened_report(self._asked)
        return self._report

    def _path(self, message: JobMessage, name: str) -> str:
        return os.path.join(self._folder, f"{message['job']}.{name}")


def opened_report(asked: JobMessage) -> Report:
    """Opens a report with its finished index. Raises `ReportError`."""
    from parsers.io.cache import Cache
    from parsers.runtime.opening import open_report

    report = open_report(asked["paths"], format=asked["format"], cache=Cache(asked["cache"]), end=asked["end"])
    report.wait()
    return report


def _view(report: Report, message: JobMessage) -> View:
    """The view of a job: of the report, or one whose rows are in files."""
    stored = message["made"].get("stored")
    if stored is None:
        return report.view(message["view"])
    from parsers.reporting.sql.result_view import ResultView
    from parsers.reporting.sql.stored_rows import StoredRows

    view = ResultView(message["view"], "", StoredRows(stored["at"]))
    view.follow(stored["rows"], is_complete=True)
    return view


def configured_view(view: View, made: JobMessage) -> View:
    """Configures a view with the settings of another process."""
    if isinstance(view, HasSwitches):
        for name, choice in made["chosen"].items():
            view.choose(name, choice)
    if isinstance(view, FoldsFrames):
        view.fold_frames(made["patterns"], made["hide"])
    if isinstance(view, AsksAgain) and made.get("asked") is not None:
        view.ask_again(made["asked"])
    return view


def groups_of(report: Report, folder: str) -> tuple[list[str], NameSearch]:
    """REFs and names of the groups of all views that name some, such as packages."""
    from parsers.query.search.names import NameSearch

    groups = [group for view in report.views for group in view.group_names()]
    groups.sort(key=lambda group: len(group[1]))
    texts = [name.replace("\n", " ").encode("utf-8", "replace") for _, name, _ in groups]
    return [ref for ref, _, _ in groups], NameSearch(texts, bytes.decode, lambda number: groups[number][2], folder)


def names_of(report: Report, folder: str) -> NameSearch:
    """The names of a report with a finished index, ready to be searched."""
    from parsers.query.search.names import NameSearch

    assert isinstance(report, HasNames) and isinstance(report, DecodesText)
    search = NameSearch(report.names, report.text, report.name_count, folder)
    search.prepare()
    return search
