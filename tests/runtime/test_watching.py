"""Waiting for the reports of builds: new complete files of a folder, and their messages and comparisons."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import CORPUS, Answer
from stage import Stage

from parsers.io.cache import Cache
from parsers.model.report import ReportError
from parsers.runtime.opening import open_report
from parsers.runtime.watching import MORE, NEW, PATIENCE, QUIET, REWRITTEN, Arrival, FolderWatch
from tui.app.app import CoffeetreeApp
from tui.app.start import picker
from tui.app.watch import Watching
from tui.headless.commands import watch as headless

Run = Callable[..., Answer]

FIRST = "VM Entry Points\n├── entry a.Main.main():void id=0 \n\n"
SECOND = FIRST[:-1] + "│   └── directly calls a.Main.come():void id=1 @bci=1 \n\n"
NEWS = ["", NEW, MORE, REWRITTEN]
NAMES = "call_tree_a_20240101_100000.txt", "call_tree_a_20240102_100000.txt"


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(arrivals: list[Arrival]) -> list[tuple[list[str], str | None]]:
    """Returns the names of new reports, and of the reports they are compared with."""
    pairs = [(each, older) for arrival in arrivals for each, older in arrival.pairs()]
    return [([each.name], None if older is None else older.name) for each, older in pairs]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the report of one build."""
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / NAMES[0]).write_text(FIRST, "utf-8")
    return folder


def test_existing_files_are_old(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    assert watch.poll(QUIET) == []


def test_a_report_has_come_when_it_is_no_longer_written(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / NAMES[1]).write_text(FIRST, "utf-8")
    assert watch.poll(10) == []
    (folder / NAMES[1]).write_text(SECOND, "utf-8")
    assert watch.poll(10 + QUIET) == []
    assert watch.poll(10 + 2 * QUIET - 0.1) == []
    assert told(watch.poll(10 + 2 * QUIET)) == [([NAMES[1]], NAMES[0])]
    assert watch.poll(10 + 4 * QUIET) == []


def test_a_rewritten_report_is_reported_again(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / NAMES[0]).write_text(SECOND, "utf-8")
    watch.poll(1)
    assert told(watch.poll(1 + QUIET)) == [([NAMES[0]], None)]


def test_later_reports_belong_to_their_build(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    for number, (name, text) in enumerate(
        ((NAMES[1], SECOND), ("used_packages_a_20240102_100009.txt", "a\n"), (NAMES[1], FIRST)), start=1
    ):
        (folder / name).write_text(text, "utf-8")
        assert watch.poll(10 * number) == []
        (arrival,) = watch.poll(10 * number + QUIET)
        assert (arrival.news, [report.path for report in arrival.reports]) == (NEWS[number], [str(folder / name)])
        assert arrival.before is not None


def test_a_file_that_ends_in_a_line_is_waited_for_longer(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / NAMES[1]).write_text(SECOND[:70], "utf-8")
    watch.poll(10)
    assert watch.poll(10 + QUIET) == []
    assert watch.poll(10 + PATIENCE - 0.1) == []
    assert told(watch.poll(10 + PATIENCE)) == [([NAMES[1]], NAMES[0])]


def test_a_file_that_always_grows_keeps_back_its_own_build_only(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / NAMES[1]).write_text(SECOND, "utf-8")
    for second in range(10):
        (folder / "build.log").write_text("x\n" * second, "utf-8")
        (folder / "used_packages_other_20240102_100000.txt").write_text("a\n" * second, "utf-8")
        arrivals = watch.poll(second)
        assert told(arrivals) == ([([NAMES[1]], NAMES[0])] if second == QUIET else [])


def test_reports_delayed_by_a_file_appear_when_it_is_removed(folder: Path) -> None:
    watch, grows = FolderWatch(str(folder), 0), folder / "used_packages_a_20240102_100000.txt"
    (folder / NAMES[1]).write_text(SECOND, "utf-8")
    grows.write_text("a", "utf-8")
    watch.poll(1)
    assert watch.poll(1 + QUIET) == []
    grows.unlink()
    assert told(watch.poll(2 + QUIET)) == [([NAMES[1]], NAMES[0])]
    (folder / NAMES[1]).unlink()
    assert watch.poll(3 + QUIET) == []
    assert watch.poll(30) == []


def test_several_builds_at_once_come_one_after_the_other(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    later = NAMES[1].replace("0102", "0103")
    for name in (later, NAMES[1]):
        (folder / name).write_text(SECOND, "utf-8")
    watch.poll(1)
    assert told(watch.poll(1 + QUIET)) == [([NAMES[1]], NAMES[0]), ([later], NAMES[1])]


def test_files_without_times_are_compared_with_those_of_their_format(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(FIRST, "utf-8")
    os.utime(tmp_path / "one.txt", (1_000_000_000,) * 2)
    watch = FolderWatch(str(tmp_path), 0)
    (tmp_path / "two.txt").write_text(SECOND, "utf-8")
    watch.poll(1)
    assert told(watch.poll(1 + QUIET)) == [(["two.txt"], "one.txt")]


def test_another_image_is_compared_with_none(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / "call_tree_other_20240102_100000.txt").write_text(SECOND, "utf-8")
    watch.poll(1)
    assert told(watch.poll(1 + QUIET)) == [(["call_tree_other_20240102_100000.txt"], None)]


def test_tables_and_links_to_them_come_as_one_report(tmp_path: Path) -> None:
    watch = FolderWatch(str(tmp_path), 0)
    for number, file in enumerate(sorted((CORPUS / "csv_22.3_to_24.0" / "reports").iterdir())):
        shutil.copy(file, tmp_path / file.name, follow_symlinks=False)
        assert watch.poll(number) == []
    (arrival,) = watch.poll(100)
    (report,) = arrival.reports
    assert len(report.files) == 7


def test_files_that_are_no_reports_are_passed_by(folder: Path) -> None:
    watch = FolderWatch(str(folder), 0)
    (folder / "notes.txt").write_text("hello", "utf-8")
    (folder / "nowhere.txt").symlink_to("/there/is/none")
    watch.poll(1)
    assert watch.poll(1 + QUIET) == []


def test_reports_below_a_folder_are_found_when_native_image_makes_their_folder(tmp_path: Path) -> None:
    watch = FolderWatch(str(tmp_path), 0)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / NAMES[0]).write_text(FIRST, "utf-8")
    watch.poll(1)
    assert told(watch.poll(1 + QUIET)) == [([NAMES[0]], None)]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError):
        FolderWatch(str(tmp_path / "none"), 0)


# -- without the browser ----------------------------------------------------------------------------------------------


def test_text_lists_changes_since_the_build_before(
    coffeetree: Run, cache_folder: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def wait(seconds: float) -> None:
        if clock.now == 100:
            (folder / NAMES[1]).write_text(SECOND, "utf-8")
        clock.now += seconds

    monkeypatch.setattr(headless, "monotonic", clock)
    monkeypatch.setattr(headless, "sleep", wait)
    answer = coffeetree("watch", "--once", "--json", folder)
    assert answer.status == 1
    build, told, *rows = answer.rows
    assert build == {
        "build": "a",
        "news": "new",
        "reports": 1,
        "written": "2024-01-02 10:00:00",
        "before": "2024-01-01 10:00:00",
    }
    assert (told["report"], told["older"]) == (str(folder / NAMES[1]), str(folder / NAMES[0]))
    assert [(row["label"], row["change"]) for row in rows][-1] == ("a.Main.come():void", "added")
    assert rows[-1]["via"] == "a.Main.main():void"


def test_a_damaged_report_is_reported_as_damaged(
    coffeetree: Run, cache_folder: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def wait(seconds: float) -> None:
        if clock.now == 100:
            (folder / NAMES[1]).write_text(SECOND[:-1], "utf-8")
        clock.now += PATIENCE

    monkeypatch.setattr(headless, "monotonic", clock)
    monkeypatch.setattr(headless, "sleep", wait)
    answer = coffeetree("watch", "--once", folder)
    assert answer.status == 3
    assert answer.out.startswith("2024-01-02 10:00:00  a: a new build, 1 report, since that of 2024-01-01 10:00:00\n")
    assert "cut" in answer.err


def test_waiting_is_ended_by_a_signal(
    coffeetree: Run, cache_folder: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headless, "sleep", lambda seconds: os.kill(os.getpid(), signal.SIGINT))
    answer = coffeetree("watch", folder)
    assert (answer.status, answer.out) == (130, "")


def test_watch_takes_one_folder(coffeetree: Run, tmp_path: Path) -> None:
    assert "coffeetree watch FOLDER" in coffeetree("watch").err
    assert coffeetree("watch", tmp_path / "none").status == 2


# -- the browser ------------------------------------------------------------------------------------------------------


async def test_a_new_build_is_shown_with_changes_since_the_one_before(cache_folder: Path, folder: Path) -> None:
    cache, clock, watchings = Cache(), Clock(), list[Watching]()
    open_files = partial(open_report, cache=cache)
    watch = FolderWatch(str(folder), clock())

    def screen(app: CoffeetreeApp) -> object:
        chosen_on = picker(str(folder), cache, None, app)
        watchings.append(Watching(app, chosen_on, watch, open_files, clock))
        return chosen_on

    app = CoffeetreeApp(choose_from=screen, open_run=open_files)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 20)) as pilot:
        stage = Stage(app, pilot)
        await stage.until(lambda: NAMES[0] in stage.screen() or "call tree" in stage.screen())
        (watching,) = watchings

        async def poll(seconds: float) -> None:
            clock.now += seconds
            await watching.poll()

        (folder / NAMES[1]).write_text(SECOND, "utf-8")
        await poll(1)
        assert app.browser is None
        await poll(QUIET)
        await stage.until(lambda: "≠ a " in stage.screen())
        assert stage.lines()[0].strip().startswith(f"{NAMES[0]} → {NAMES[1]}")

        later = "call_tree_a_20240103_100000.txt"
        await stage.press("/")
        (folder / later).write_text(FIRST, "utf-8")
        await poll(1)
        await poll(QUIET)
        assert "q shows it" in stage.screen() or stage.browser.is_busy
        assert NAMES[1] in stage.lines()[0]
        await stage.press("Esc")
        await stage.until(lambda: not stage.browser.is_busy)
        await poll(1)
        await stage.until(lambda: f"{NAMES[1]} → {later}"[:60] in stage.screen() and "≠ a " in stage.screen())

        (folder / "used_packages_a_20240103_100001.txt").write_text("a\n", "utf-8")
        (folder / "used_packages_a_20240102_100001.txt").write_text("a\n", "utf-8")
        await poll(1)
        await poll(QUIET)
        await stage.until(lambda: "(call tree)" in stage.screen() and "≠ a " in stage.screen())

        (folder / "used_classes_a_20240103_100002.txt").write_text("a.B\n", "utf-8")
        # A new report of an older build is not shown.
        (folder / "used_classes_a_20240102_100002.txt").write_text("a\n", "utf-8")
        await poll(1)
        await poll(QUIET)
        await stage.until(lambda: stage.status == "used_classes_a_20240103_100002.txt added")
        assert stage.browser.view.name == "Packages (call tree)"
    cache.close()
