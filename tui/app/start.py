"""Opening reports in the browser: first the report with its stored index, then Textual is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from parsers.model.capabilities import HasSource
from parsers.model.report import ReportError
from tui.screen.sanitise import safe_lines

if TYPE_CHECKING:
    from threading import Event

    from textual.screen import Screen

    from parsers.io.background_task import BackgroundTask
    from parsers.io.cache import Cache
    from parsers.model.report import Report
    from tui.app.app import CoffeetreeApp
    from tui.command_line.arguments import Arguments
    from tui.live.watch import Watch
    from tui.screen.picker import Picker

USAGE = 2
"""Exit status if no report can be opened."""

PATIENCE = 0.5
"""Seconds after which a screen is shown for a report that is being opened."""


def browse(paths: Sequence[str], arguments: Arguments) -> int:
    """Shows reports until the user quits; returns the exit status. Raises `ReportError`, as the functions below do."""
    from threading import Event

    from parsers.io.background_task import BackgroundTask

    cache = arguments.cache()
    reopen = partial(open_paths, paths, arguments.text("format"), cache)
    if len(paths) == 1 and os.path.isdir(paths[0]):
        check_folder(paths[0], cache)
        choose_from = partial(picker, paths[0], cache, arguments.text("format"))
        return run(None, None, arguments, cache, choose_from)
    stopped = Event()
    opening = BackgroundTask(partial(open_paths, paths, arguments.text("format"), cache, partial(_go_on, stopped)))
    if not opening.ends_within(PATIENCE):
        try:
            return wait_for(opening, paths, None if "-" in paths else reopen, arguments, cache)
        finally:
            # The unpacking code removes an incomplete file.
            stopped.set()
            opening.ends_within(PATIENCE)
    report = opening.result()
    start_known(report, cache)
    return run(report, None if "-" in paths else reopen, arguments, cache)


def _go_on(stopped: Event, done: int, total: int) -> None:
    """Raises `ReportError` after the user has quit."""
    if stopped.is_set():
        raise ReportError("it is not wanted any more")


def tour(arguments: Arguments) -> int:
    """Shows the guided tour; returns the exit status."""
    from tui.tour.steps import SAMPLE

    cache = arguments.cache()
    report = open_paths([SAMPLE], None, cache)
    start_known(report, cache)

    def screen(app: CoffeetreeApp) -> Screen[Any]:
        from tui.tour.tour_screen import TourScreen

        return TourScreen(report)

    return run(report, None, arguments, cache, screen)


def wait_for(
    opening: BackgroundTask[Report],
    paths: Sequence[str],
    reopen: Callable[[], Report] | None,
    arguments: Arguments,
    cache: Cache,
) -> int:
    """Shows that a report is being opened, then the report; returns the exit status. Raises `ReportError`."""
    failures: list[ReportError] = []

    def screen(app: CoffeetreeApp) -> Screen[Any]:
        from tui.app.opening import OpeningScreen

        def failed(error: ReportError) -> None:
            failures.append(error)
            app.exit(USAGE)

        return OpeningScreen(", ".join(map(os.path.basename, paths)), opening, app.show_first, failed)

    status = run(None, reopen, arguments, cache, screen)
    if failures:
        raise failures[0]
    return status


def listen(arguments: Arguments) -> int:
    """Waits for JVMs until the user quits; data that they send later is stored too."""
    from tui.headless.commands.listen import start_listening

    listening = start_listening(arguments)
    cache = arguments.cache()
    watches: list[Watch] = []

    def screen(app: CoffeetreeApp) -> Screen[Any]:
        from tui.live.watch import Watch

        watches.append(Watch(app, listening, cache))
        app.asks_before_quitting = watches[0].asks_before_quitting
        app.call_later(watches[0].start)
        return watches[0].screen

    try:
        return run(None, None, arguments, cache, screen)
    finally:
        words = watches[0].farewell() if watches else ""
        listening.close()
        if words:
            print(safe_lines(words), file=sys.stderr)


def watch(arguments: Arguments) -> int:
    """Shows each new build of a folder until the user quits; returns the exit status."""
    import time

    from parsers.runtime.watching import FolderWatch

    folder = FolderWatch(arguments.word, time.monotonic())
    cache = arguments.cache()
    format = arguments.text("format")

    def screen(app: CoffeetreeApp) -> Screen[Any]:
        from tui.app.watch import Watching

        chosen_on = picker(folder.folder, cache, format, app)
        app.call_later(Watching(app, chosen_on, folder, lambda files: open_paths(files, format, cache)).start)
        return chosen_on

    return run(None, None, arguments, cache, screen)


def browse_dump(arguments: Arguments) -> int:
    """Takes a heap dump of a running JVM and shows it; returns the exit status."""
    from tui.headless.commands.dump import process_of, take_dump
    from tui.headless.session import Remarks

    remarks = Remarks(sys.stderr, arguments.is_given("verbose"))
    try:
        path = take_dump(process_of(arguments.word), arguments, remarks)
    except ReportError as error:
        remarks.show_message(f"coffeetree: {error}")
        return USAGE
    remarks.show_message(path)
    return browse([path], arguments)


def start_known(report: Report, cache: Cache) -> None:
    """Uses an index that may exist, for the first screen. Otherwise one is built after the first screen.

    On two cores a child started during the imports slows them more than it gains.
    """
    if isinstance(report, HasSource) and not report.source.is_spooling:
        folders = cache.index_folders(report.source.identity, report.format)
        if any(map(os.path.isdir, folders)):
            report.start_index()


def check_folder(folder: str, cache: Cache) -> None:
    """Raises `ReportError` for a folder without reports in it and below it."""
    from parsers.formats.folder import find_reports
    from parsers.formats.registry import accepted
    from parsers.formats.subfolders import may_have_reports

    if not find_reports(folder, cache) and not may_have_reports(folder):
        raise ReportError(f"{folder}: no report in this folder or below it; {accepted()}")


def open_paths(
    paths: Sequence[str], format: str | None, cache: Cache, progress: Callable[[int, int], None] | None = None
) -> Report:
    """Opens the files of one run, or two folders of builds as a comparison, the old one first. Raises `ReportError`."""
    from parsers.runtime.opening import open_compared, open_report

    if len(paths) == 2 and all(map(os.path.isdir, paths)):
        return open_compared(paths[0], paths[1], format=format, cache=cache)
    return open_report(paths, format=format, cache=cache, progress=progress)


def picker(folder: str, cache: Cache, format: str | None, app: CoffeetreeApp) -> Picker:
    """The screen with the list of a folder's reports."""
    from tui.screen.picker import Picker

    def opener(files: Sequence[str]) -> Callable[[], Report]:
        return partial(open_paths, files, format, cache)

    def compare(old: Sequence[str], new: Sequence[str]) -> None:
        from parsers.reporting.comparison.compared_report import compared

        app.open_report(partial(compared, opener(old), opener(new)), waits=False)

    return Picker(folder, cache, app.setup, lambda files: app.open_report(opener(files), waits=False), compare)


def run(
    report: Report | None,
    reopen: Callable[[], Report] | None,
    arguments: Arguments,
    cache: Cache,
    choose_from: Callable[[CoffeetreeApp], Screen[Any]] | None = None,
) -> int:
    """Shows a report, or the list of reports: its first rows at once, the rest when Textual is imported."""
    from tui.screen.palettes import choose
    from tui.terminal.crash import INTERNAL_ERROR
    from tui.terminal.environment import prepare
    from tui.terminal.run import Session

    palette = choose(os.environ)
    prepare(os.environ)
    app: CoffeetreeApp | None = None
    try:
        with Session() as session:
            if report is not None and choose_from is None:
                from tui.app.first_frame import first_frame

                session.show(palette, partial(first_frame, report, palette))
            from tui.app.app import CoffeetreeApp

            app = CoffeetreeApp(
                report, reopen, arguments.patterns, palette, choose_from=choose_from,
                open_run=partial(open_paths, format=arguments.text("format"), cache=cache),
            )  # fmt: skip
            session.run(app)
        shown = report if app is None else app.report
        if session.status == INTERNAL_ERROR and shown is not None:
            # If the index was damaged, the next opening rebuilds it.
            shown.forget_index()
        return session.status
    finally:
        for each in [report] if app is None else app.open_reports:
            if each is not None:
                each.close()
