"""A folder of reports: what is listed, opened, left again."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage

from parsers.formats.subfolders import SubfolderSearch
from parsers.io.cache import Cache
from parsers.model.capabilities import ComparesTwo
from parsers.model.report import ReportError
from tui.app.app import CoffeetreeApp
from tui.app.start import open_paths, picker
from tui.input.keys.keymap import Keymap
from tui.input.keys.name import parse_sequence
from tui.input.keys.registry import every_command
from tui.interaction import comparing
from tui.list.row_order import number_in
from tui.screen.picker import ago, folder_title


@pytest.fixture
def folder(corpus: Path, tmp_path: Path) -> Path:
    """The reports of one image, written at a time that is known."""
    reports = tmp_path / "reports"
    shutil.copytree(corpus / "v24.2_and_25" / "reports", reports)
    for file in reports.iterdir():
        os.utime(file, (1_000_000_000, 1_000_000_000))
    return reports


@asynccontextmanager
async def choosing(folder: Path, size: tuple[int, int] = (100, 14)) -> AsyncIterator[Stage]:
    """The picker, as `coffeetree FOLDER` shows it."""
    cache = Cache()

    app = CoffeetreeApp(choose_from=partial(picker, str(folder), cache, None))
    async with app.run_test(size=size) as pilot:
        stage = Stage(app, pilot)
        await stage.until(lambda: "looking" not in stage.screen())
        await stage.quiet()
        yield stage
    cache.close()


@pytest.fixture
async def stage(folder: Path) -> AsyncIterator[Stage]:
    """The picker with the folder."""
    async with choosing(folder) as stage:
        yield stage


async def test_reports_are_listed_with_those_that_can_be_opened_first(folder: Path) -> None:
    async with choosing(folder, (140, 14)) as stage:
        rest = "demo", "2025-09-16 10:15", "not needed"
        shown = [re.split(" {2,}", line.strip("█ ")) for line in stage.lines()[1:9]]
        assert shown == [
            ["file", "report", "size", "image", "rows", "written", "index"],
            ["demo: all reports", "build, all reports", "11 KB", *rest],
            ["call_tree_demo_20250916_101500.txt", "call tree", "4.5 KB", *rest],
            ["object_tree_demo_20250916_101500.txt", "object tree", "3.4 KB", *rest],
            ["used_methods_demo_20250916_101500.txt", "used methods", "1.5 KB", *rest],
            ["used_classes_demo_20250916_101500.txt", "used classes", "753 B", *rest],
            ["used_packages_demo_20250916_101500.txt", "used packages", "209 B", *rest],
            ["trace_types_demo_20250916_101500.txt", "reachability trace", "698 B", *rest],
        ]
        assert "6 reports of 1 image" in stage.lines()[0]
        words = [word.strip() for word in stage.lines()[-1].split("  ") if word.strip()]
        assert words == ["Enter open", "/ narrow", "d compare", "< up", "R read again", "? help", "q quit"]


async def test_a_report_is_opened_and_left_again(stage: Stage) -> None:
    await stage.press("j j Enter")
    await stage.until(lambda: "object tree" in stage.lines()[0])
    await stage.press("j j q")
    await stage.until(lambda: "reports of 1 image" in stage.lines()[0])
    assert stage.app.screen.list_pane.cursor_row == 2
    assert stage.app.report is None
    await stage.press("k Enter")
    await stage.until(lambda: "call tree" in stage.lines()[0])
    await stage.press("Q")
    await stage.until(lambda: not stage.app.is_running)


async def test_all_reports_of_a_build_are_opened_as_one(folder: Path) -> None:
    async with choosing(folder, (120, 40)) as stage:
        await stage.press("Enter")
        await stage.until(lambda: "GraalVM build" in stage.lines()[0])
        await stage.press(': "view" Space "types" Enter / "HashMap" Enter')
        await stage.until(lambda: "matches" in stage.screen())
        await stage.press(': "view" Space "classes" Enter')
        await stage.until(lambda: "call sites" in stage.lines()[2])
        await stage.press(': "class:java.lang.String" Enter')
        await stage.until(lambda: "Reached first through" in stage.screen())
        await stage.press("W")
        await stage.until(lambda: "where java.lang.String is entered from" in stage.lines()[-2])
        await stage.press("q L Enter")
        await stage.until(lambda: "line:" in stage.lines()[-2])
        assert stage.app.screen.view.name == "Call tree"
        await stage.press("<")
        await stage.until(lambda: "class:java.lang.String" in stage.lines()[-2])


@pytest.mark.parametrize("way", ["Enter", "a double click"])
async def test_a_report_that_is_gone_is_a_message(stage: Stage, folder: Path, way: str) -> None:
    pane = stage.app.screen.list_pane
    for file in filter(Path.is_file, folder.iterdir()):
        file.unlink()
    if way == "Enter":
        await stage.press("Enter")
    else:
        row = pane.lines_above + pane.cursor_row - pane.viewport.top
        await stage.pilot.click(pane, offset=(5, row), times=2)
    await stage.until(lambda: "reports/call_tree_demo" in stage.lines()[-2])


async def test_an_only_recognised_format_is_marked(folder: Path) -> None:
    folder.joinpath("universe_demo_20250916_101500.txt").write_text("all types\n")
    async with choosing(folder) as stage:
        await stage.press("G Enter")
        assert "recognised, but not read yet" in stage.lines()[-2]
        await stage.press("k")
        assert stage.lines()[-2] == ""


async def test_the_list_is_narrowed(stage: Stage) -> None:
    await stage.press('/ "obj" Enter')
    assert "1 of 7" in stage.lines()[0]
    await stage.press("Enter")
    await stage.until(lambda: "object tree" in stage.lines()[0])


async def test_find_on_the_command_line_narrows_the_list_too(stage: Stage) -> None:
    await stage.enter("find obj")
    assert "1 of 7" in stage.lines()[0]


async def test_a_count_goes_to_a_row_of_the_list(stage: Stage) -> None:
    await stage.press("2 G")
    assert stage.app.screen.list_pane.cursor_row == 1
    await stage.press("1 G")
    assert stage.app.screen.list_pane.cursor_row == 0


async def test_reading_again_shows_new_reports_and_keeps_the_cursor(stage: Stage, folder: Path) -> None:
    await stage.press("j j")
    call_tree = folder / "call_tree_demo_20250916_101500.txt"
    shutil.copy(call_tree, folder / "call_tree_other_20260101_000000.txt")
    await stage.press("R")
    await stage.until(lambda: "7 reports of 2 images" in stage.lines()[0])
    assert "object tree" in stage.lines()[2 + stage.app.screen.list_pane.cursor_row]
    assert [line.strip() for line in stage.lines() if line.strip() in ("demo", "other")] == ["other", "demo"]


async def test_help_palette_and_the_command_line_work_here(stage: Stage) -> None:
    await stage.press("?")
    assert "In this view: list" in stage.screen()
    assert "Fold the node" not in stage.screen()
    await stage.press('q ^p "read" Esc : "no" Enter')
    assert stage.lines()[-2].strip() == "No command no. :help lists all."
    await stage.press("x")
    assert "x is not bound in this view" in stage.lines()[-2]
    await stage.press("q")
    await stage.until(lambda: not stage.app.is_running)


async def test_a_report_that_has_gone_is_reported(stage: Stage, folder: Path) -> None:
    (folder / "call_tree_demo_20250916_101500.txt").unlink()
    await stage.press("j Enter")
    assert "reports/call_tree_demo" in stage.lines()[-2]
    assert stage.app.report is None


async def test_an_empty_folder_shows_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with choosing(tmp_path / "empty") as stage:
        assert "no report is in this folder" in stage.screen()
        await stage.press("Enter j k G")
        assert "no report is in this folder" in stage.screen()


async def test_names_of_files_are_shown_as_pictures(folder: Path) -> None:
    hostile = "call_tree_\x1b]0;x\x07[red]_20260101_000000.txt"
    shutil.copy(folder / "call_tree_demo_20250916_101500.txt", folder / hostile)
    async with choosing(folder) as stage:
        assert all(line.isprintable() for line in stage.lines())
        assert "␛]0;x␇[red]" in stage.screen()


def test_keys_of_the_picker_mean_the_same_in_a_report() -> None:
    browser = Keymap(every_command().of("browser"))
    # There is nothing to open in a list: Space marks two to compare.
    for command in every_command().of("picker"):
        for key in set(command.keys) - {"Space"}:
            assert browser.find(parse_sequence(key))[0] == command


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (30, "just now"), (90, "1 min ago"), (7_300, "2 hours ago"), (90_000, "1 day ago")],
)
def test_ages_of_reports(seconds: int, words: str) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5)
    assert ago(now - timedelta(seconds=seconds), now) == words


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (140, "file report size image rows written index"),
        (80, "file report size"),
        (60, "file report size"),
        (40, "file"),
    ],
)
async def test_a_narrow_window_keeps_columns_that_distinguish_reports(folder: Path, width: int, titles: str) -> None:
    async with choosing(folder, (width, 12)) as stage:
        assert stage.lines()[1].split()[: len(titles.split())] == titles.split()
        assert "call_tree_demo_" in stage.lines()[3]
        assert "all reports" in stage.lines()[2]


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Two heap dumps."""
    reports = tmp_path / "dumps"
    reports.mkdir()
    heap = TESTS / "corpus" / "hprof" / "heap"
    for minute, (sample, name) in enumerate((("zero-length", "older"), ("two-dumps", "newer"))):
        copy = reports / f"{name}.hprof.xz"
        shutil.copy(heap / f"{sample}.hprof.xz", copy)
        os.utime(copy, (1_000_000_000 + 60 * minute,) * 2)
    return reports


async def test_two_reports_that_are_marked_are_compared_the_older_one_first(dumps: Path) -> None:
    async with choosing(dumps) as stage:
        await stage.press("G d")
        assert stage.app.screen.status_line.text.strip().startswith("no older report of this kind here")
        await stage.press("g Space j Space")
        assert stage.screen().count("• ") == 2
        await stage.press("d")
        await stage.until(lambda: "older.hprof.xz → newer.hprof.xz" in stage.screen(0, 1))


async def test_d_compares_the_report_under_the_cursor_with_the_one_before_it(dumps: Path) -> None:
    async with choosing(dumps) as stage:
        await stage.press("d")
        await stage.until(lambda: "older.hprof.xz → newer.hprof.xz" in stage.screen(0, 1))


async def test_d_compares_the_marked_report_with_that_under_the_cursor(dumps: Path) -> None:
    async with choosing(dumps) as stage:
        await stage.press("G Space g d")
        await stage.until(lambda: "older.hprof.xz → newer.hprof.xz" in stage.screen(0, 1))


async def test_a_list_that_comes_when_its_report_was_left_is_not_shown(
    dumps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, is_told = threading.Event(), threading.Event()

    def offers(report: object) -> list[comparing.Offer]:
        may_go_on.wait()
        is_told.set()
        return [comparing.Offer(("older.hprof",), ("older.hprof", "", ""))]

    monkeypatch.setattr(comparing, "offers", offers)
    async with choosing(dumps) as stage:
        await stage.press("Enter")
        await stage.until(lambda: stage.app.browser is not None)
        await stage.press("d q")
        assert stage.app.browser is None
        may_go_on.set()
        await stage.until(is_told.is_set)
        await stage.until(lambda: not stage.app.workers or all(worker.is_finished for worker in stage.app.workers))
        assert stage.app.is_running and "2 reports" in stage.screen()


async def test_subfolders_with_reports_are_entered_and_left(folder: Path) -> None:
    shutil.copytree(folder, folder / "old\x1b[2J")
    (folder / "empty").mkdir()
    async with choosing(folder, (100, 24)) as stage:
        await stage.until(lambda: "old␛[2J/" in stage.screen())
        assert "empty" not in stage.screen()
        await stage.press("G")
        assert "6 reports" in stage.lines()[2 + stage.app.screen.list_pane.cursor_row]
        await stage.press("Enter")
        await stage.until(lambda: "old␛[2J/   6 reports" in stage.lines()[0])
        await stage.press("j Enter")
        await stage.until(lambda: "call tree" in stage.lines()[0])
        await stage.press("q Backspace")
        await stage.until(lambda: "old␛[2J/" in stage.screen() and "looking" not in stage.screen())
        pane = stage.app.screen.list_pane
        assert stage.lines()[pane.lines_above + pane.cursor_row - pane.viewport.top].startswith("█ old␛[2J/")


async def test_a_folder_with_nothing_but_subfolders(folder: Path) -> None:
    folder.rename(folder.parent / "build")
    async with choosing(folder.parent) as stage:
        await stage.until(lambda: "build/" in stage.screen() and "looking" not in stage.screen())
        await stage.press("Enter")
        await stage.until(lambda: "6 reports of 1 image" in stage.lines()[0])


async def test_not_all_searched_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(folder, folder.parent / "above" / name)
    monkeypatch.setattr(SubfolderSearch.__init__, "__defaults__", (8, 5))
    async with choosing(folder.parent / "above") as stage:
        await stage.until(lambda: "not all subfolders searched" in stage.lines()[0])
        assert "4 or more reports" in stage.screen()


async def test_marked_reports_of_two_folders_are_compared(dumps: Path) -> None:
    (dumps / "before").mkdir()
    (dumps / "older.hprof.xz").rename(dumps / "before" / "older.hprof.xz")
    async with choosing(dumps) as stage:
        await stage.until(lambda: "before/" in stage.screen())
        await stage.press("g Space G Enter")
        await stage.until(lambda: "older.hprof.xz" in stage.screen())
        await stage.press("Space d")
        await stage.until(lambda: "older.hprof.xz → newer.hprof.xz" in stage.screen(0, 1))


async def test_the_column_image_is_there_for_formats_with_images_only(dumps: Path, folder: Path) -> None:
    async with choosing(dumps, (160, 14)) as stage:
        assert "image" not in stage.lines()[1]
    async with choosing(folder, (160, 14)) as stage:
        assert "image" in stage.lines()[1]


def test_two_folders_of_builds_are_compared_and_more_are_not(corpus: Path, cache: Cache) -> None:
    builds = [str(corpus / name) for name in ("real_23.0_first_build", "real_23.0_second_build")]
    report = open_paths(builds, None, cache)
    assert isinstance(report, ComparesTwo)
    assert "helloworld" in report.old.title
    report.close()
    with pytest.raises(ReportError, match="no report in it"):
        open_paths([builds[0], str(corpus)], None, cache)


async def test_reports_of_a_folder_are_sorted_by_a_click_on_a_heading(corpus: Path) -> None:
    async with choosing(corpus / "v20_to_24.0" / "reports") as stage:
        pane = stage.app.screen.list_pane
        x = stage.lines()[1].index("size")
        await stage.pilot.click(offset=(x, 1))
        await stage.quiet()
        found = [number_in(line[x - 4 : x + 4]) for line in stage.lines()[2 : 2 + pane.row_count]]
        assert "▼size" in stage.lines()[1]
        assert found == sorted(found, reverse=True) and len(set(found)) > 2
        await stage.press("S")
        assert "▲size" in stage.lines()[1]


def test_a_folder_is_named_by_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path / "build")
    assert [folder_title(path) for path in (".", "./", "reports", "/a/b/")] == ["build/", "build/", "reports/", "/a/b/"]
    assert folder_title("/srv/target/native-image/output/reports") == "…/native-image/output/reports/"
