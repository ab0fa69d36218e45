"""Reports that take long to open: keys are answered meanwhile, and abandoned reports are closed."""

from __future__ import annotations

import gzip
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS
from stage import Stage, browsing

from parsers.io.cache import Cache
from parsers.model.report import Report, ReportError
from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.app.opening import OpeningScreen, begin_opening
from tui.app.start import _go_on

TREE = "VM Entry Points\n├── entry a.B.c():void id=0\n└── entry d.E.f():void id=1\n"


class SlowOpening:
    """Opens a file once it is allowed to."""

    def __init__(self, path: Path, cache: Cache) -> None:
        self._path = path
        self._cache = cache
        self.may_go_on = threading.Event()
        self.error: ReportError | None = None
        self.report: Report | None = None

    def __call__(self) -> Report:
        self.may_go_on.wait()
        if self.error is not None:
            raise self.error
        self.report = open_report([str(self._path)], cache=self._cache)
        return self.report

    @property
    def is_closed(self) -> bool:
        return self.report is not None and self.report.source._descriptor < 0  # type: ignore[attr-defined]


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder without reports of other tests in the folders beside it, which the browser would offer."""
    own = tmp_path / "own"
    own.mkdir()
    return own


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "call_tree_demo.txt"
    path.write_text(TREE, "utf-8")
    return path


@pytest.fixture
def slow(path: Path, cache: Cache) -> Iterator[SlowOpening]:
    slow = SlowOpening(path, cache)
    yield slow
    slow.may_go_on.set()


def waiting_app(slow: SlowOpening, failures: list[ReportError]) -> CoffeetreeApp:
    opening = begin_opening(slow)
    return CoffeetreeApp(
        choose_from=lambda app: OpeningScreen("call_tree_demo.txt", opening, app.show_first, failures.append)
    )


async def test_a_report_that_is_not_open_yet_can_be_quit(slow: SlowOpening) -> None:
    app = waiting_app(slow, [])
    async with app.run_test() as pilot:
        stage = Stage(app, pilot)
        await stage.until(lambda: "call_tree_demo.txt" in stage.screen() and "opening: 0 s" in stage.screen())
        await pilot.press("q")
        await stage.until(lambda: not app.is_running)
    assert (app.return_code, slow.report) == (0, None)


async def test_a_report_covers_the_screen_that_waited_for_it_and_leaving_it_quits(slow: SlowOpening) -> None:
    app = waiting_app(slow, [])
    async with app.run_test() as pilot:
        stage = Stage(app, pilot)
        slow.may_go_on.set()
        await stage.until(lambda: "a.B.c" in stage.screen() and stage.browser._has_begun)
        await stage.press("q")
        await stage.until(lambda: not app.is_running)
    assert app.report is not None
    app.report.close()


async def test_a_report_that_cannot_be_opened_is_reported(slow: SlowOpening) -> None:
    failures: list[ReportError] = []
    app = waiting_app(slow, failures)
    slow.error = ReportError("is none")
    async with app.run_test() as pilot:
        slow.may_go_on.set()
        await Stage(app, pilot).until(lambda: failures)
    assert failures == [slow.error]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app.app.PATIENCE", 0)


@pytest.mark.usefixtures("impatient")
async def test_keys_are_answered_while_the_file_is_read_again(path: Path, slow: SlowOpening) -> None:
    async with browsing(path) as stage:
        before = stage.app.report
        stage.app._reopen = slow
        await stage.press("R")
        await stage.until(lambda: "opening" in stage.status)
        await stage.press("j")
        assert "d.E.f" in stage.row.label
        assert stage.app.report is before
        slow.may_go_on.set()
        await stage.until(lambda: stage.app.report is slow.report)
        assert "d.E.f" in stage.row.label


@pytest.mark.usefixtures("impatient")
async def test_of_two_reports_that_are_being_opened_the_one_wanted_last_is_shown(
    path: Path, cache: Cache, slow: SlowOpening
) -> None:
    other = SlowOpening(path, cache)
    async with browsing(path) as stage:
        for opening in (slow, other):
            stage.app._reopen = opening
            stage.app.reload()
        other.may_go_on.set()
        await stage.until(lambda: stage.app.report is other.report)
        slow.may_go_on.set()
        await stage.until(lambda: slow.is_closed)
        assert stage.app.report is other.report


@pytest.mark.usefixtures("impatient")
async def test_a_late_failure_of_opening_is_shown_on_the_screen(path: Path, slow: SlowOpening) -> None:
    slow.error = ReportError("has gone")
    async with browsing(path) as stage:
        before = stage.app.report
        stage.app._reopen = slow
        stage.app.reload()
        slow.may_go_on.set()
        await stage.until(lambda: "has gone" in stage.status)
        assert stage.app.report is before


@pytest.mark.usefixtures("impatient")
async def test_a_report_that_was_left_before_the_new_one_was_there_stays_left(path: Path, slow: SlowOpening) -> None:
    async with browsing(path) as stage:
        app = stage.app
        app.open_report(partial(open_report, [str(path)]))
        await stage.until(lambda: len(app.screen_stack) == 2 and stage.browser._has_begun)
        await stage.quiet()
        app._reopen = slow
        app.reload()
        app.close_report()
        slow.may_go_on.set()
        await stage.until(lambda: slow.is_closed)
        assert (app.report, len(app.screen_stack)) == (None, 1)


def test_an_abandoned_archive_leaves_nothing_behind(tmp_path: Path, cache: Cache, cache_folder: Path) -> None:
    path = tmp_path / "output.txt.gz"
    # Lines of a program, which may precede the report of a profiler.
    path.write_bytes(gzip.compress(b"a line of a program\n" * 10_000))
    steps: list[int] = []
    stopped = threading.Event()

    def note(done: int, total: int) -> None:
        steps.append(done)
        stopped.set()
        _go_on(stopped, done, total)

    with pytest.raises(ReportError, match="is no known report"):
        open_report([str(path)], cache=cache, progress=note)
    assert steps == [path.stat().st_size]
    left = [each.name for each in cache_folder.rglob("*") if each.is_file() and each.suffix != ".lock"]
    assert left == []


# -- views that need the index ----------------------------------------------------------------------------------------

LOG = TESTS / "corpus" / "hotspot" / "kill9_8" / "main.log.xz"


@asynccontextmanager
async def without_index(cache: Cache) -> AsyncIterator[tuple[Stage, Callable[[], None]]]:
    """A browser whose index is not built before it is asked for by the function beside it."""
    report = open_report([str(LOG)], cache=cache)
    start = report.start_index
    report.start_index = lambda: None  # type: ignore[method-assign]
    app = CoffeetreeApp(report)
    async with app.run_test(size=(100, 24)) as pilot:
        stage = Stage(app, pilot)
        await stage.quiet()
        yield stage, start
    report.close()


async def queue(stage: Stage, view: str) -> None:
    stage.browser.begin()
    assert not stage.browser.report.view(view).is_ready
    await stage.enter(f"view {view}")


async def test_a_view_that_needs_the_index_is_queued_with_progress_and_opens_when_it_is_ready(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        first = stage.browser.view.name
        await queue(stage, "Methods")
        assert "Methods opens when ready: waiting" in stage.status
        await stage.press("j")
        assert "Methods opens when ready: waiting" in stage.status
        assert stage.browser.view.name == first
        start()
        await stage.until(lambda: stage.browser.view.name == "Methods")
        await stage.until(lambda: stage.browser.tree_view.viewport.rows)
        await stage.quiet()
        assert "opens when ready" not in stage.status


async def test_the_list_of_names_says_that_it_waits_for_the_index_and_fills_when_that_is_ready(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        await stage.press("o")
        assert "names need the finished index: waiting" in stage.screen()
        await stage.type("String")
        assert "names need the finished index: waiting" in stage.screen()
        start()
        await stage.until(lambda: stage.browser.pane.row_count)
        assert "need the finished index" not in stage.screen()
        assert "String" in stage.lines()[stage.browser.pane.lines_above + 2]


async def test_a_name_accepted_before_the_index_is_ready_opens_when_it_is(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        await stage.press("o")
        await stage.type("java.lang.String")
        await stage.press("Enter")
        assert "Opens when the index is ready" in stage.status
        await stage.press("k")
        assert "names need the finished index: waiting" in stage.screen()
        start()
        await stage.until(lambda: "go to a name" not in stage.screen())


async def test_a_list_of_problems_opened_before_the_index_is_ready_fills_when_it_is(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        await stage.press("!")
        assert "no problems so far" in stage.screen()
        start()
        await stage.until(lambda: "no problems so far" not in stage.screen())


async def test_esc_takes_a_view_from_the_queue(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        first = stage.browser.view.name
        await queue(stage, "Methods")
        await stage.press("Esc")
        assert "no longer queued" in stage.status
        start()
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.quiet()
        assert stage.browser.view.name == first


async def test_an_interrupt_says_that_the_index_is_being_built_and_how_to_stop_it(cache: Cache) -> None:
    async with without_index(cache) as (stage, start):
        await stage.press("^c")
        assert stage.status == "The index is being built: waiting. :indexing stops it."
        start()
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.quiet()
        await stage.press("^c")
        assert stage.status == "Nothing is running  (q quits)"


# -- reports to compare with ------------------------------------------------------------------------------------------


async def test_d_offers_the_same_image_first(tmp_path: Path) -> None:
    names = [f"call_tree_{image}_2024010{day}_100000.txt" for image, day in (("a", 1), ("b", 2), ("b", 4), ("a", 3))]
    for name in names:
        (tmp_path / name).write_text(TREE, "utf-8")
    async with browsing(tmp_path / names[3], (100, 24)) as stage:
        await stage.press("d")
        await stage.until(lambda: stage.browser.has_list)
        pane = stage.browser.pane
        rows = [pane.source.row(index).cells[0] for index in range(3)]
        assert rows == [names[0], names[1], names[2]]
        assert pane.cursor_index == 0
        await stage.press("Enter")
        await stage.until(lambda: f" {names[0]} → {names[3][:-4]}" in stage.lines()[0])


@pytest.mark.parametrize("is_pipe", [False, True])
async def test_after_the_end_of_the_indexer_R_builds_the_index_again(
    is_pipe: bool, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(subprocess.Popen[bytes]):
        """A process that ends before it has done anything."""

        def __init__(self, *words: Any, **given: Any) -> None:
            super().__init__(*words, **given)
            self.kill()

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", Killed)
        async with browsing(TESTS / "corpus" / "hotspot" / "work_tiered_17.log.xz") as stage:
            await stage.until(lambda: "(R reads again): the indexer was" in stage.screen())
            patch.undo()
            if is_pipe:
                stage.app._reopen = None
            await stage.press("R")
            await stage.until(lambda: stage.browser.report.is_complete)
            assert "R reads again" not in stage.screen()
