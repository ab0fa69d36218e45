"""The guided tour: each step is completed by its key, and it can be left at any time."""

from __future__ import annotations

import os
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing

from parsers.io.cache import Cache
from tui.app.app import CoffeetreeApp
from tui.app.start import open_paths, picker
from tui.input.keys.registry import every_command
from tui.screen.browser import FIRST_HINT
from tui.tour.steps import END, END_OVER_REPORT, READING, SAMPLE, STEPS, WELCOME
from tui.tour.tour_screen import TourScreen

KEYS = ("l", '/ "select" Enter', "n", "r", "q", "v", "j j j Enter", "?")
"""The keys that a user presses for each step."""


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test its own stored state."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@asynccontextmanager
async def touring(size: tuple[int, int] = (80, 24), is_read: bool = True) -> AsyncIterator[Stage]:
    """The tour, as `coffeetree tour` shows it, when its sample has been read or before."""
    cache = Cache()
    report = open_paths([SAMPLE], None, cache)
    if is_read:
        report.start_index()
    app = CoffeetreeApp(report, choose_from=lambda app: TourScreen(report))
    async with app.run_test(size=size) as pilot:
        stage = Stage(app, pilot)
        await stage.until(lambda: stage.browser._has_begun and (not is_read or "indexed" in stage.lines()[0]))
        await stage.quiet()
        yield stage
    report.close()
    cache.close()


def step_of(stage: Stage) -> int:
    assert isinstance(stage.browser, TourScreen)
    return stage.browser.step


async def take(stage: Stage, steps: int) -> None:
    """Takes some steps of the tour."""
    for number, keys in enumerate(KEYS[:steps]):
        assert step_of(stage) == number
        await stage.press(keys)
        await stage.until(lambda done=number + 1: step_of(stage) == done)


async def test_each_key_completes_its_step_and_the_screen_says_what_it_did() -> None:
    async with touring() as stage:
        assert WELCOME in stage.screen()
        for number, step in enumerate(STEPS):
            assert f"Tour {number + 1}/8" in stage.lines()[-3]
            assert f"{step.key} {step.asks}" in stage.lines()[-3]
            await stage.press(KEYS[number])
            await stage.until(lambda done=number + 1: step_of(stage) == done)
            await stage.quiet()
            assert step.did in stage.lines()[-4]
        assert END in stage.lines()[-3]
        assert stage.browser.view.name == "Flame"
        await stage.press("Q")
        await stage.until(lambda: not stage.app.is_running)


async def test_other_keys_work_and_complete_nothing() -> None:
    async with touring() as stage:
        await stage.press("j k x u")
        assert step_of(stage) == 0
        await stage.press("l")
        await stage.until(lambda: step_of(stage) == 1)


async def test_the_steps_begin_when_the_view_they_are_about_is_shown(cache_folder: Path) -> None:
    async with touring(is_read=False) as stage:
        assert any(READING in line for line in stage.lines())
        await stage.press("l l")
        assert step_of(stage) == 0
        stage.browser.report.start_index()
        await stage.until(lambda: any(WELCOME in line for line in stage.lines()))
        assert (step_of(stage), stage.browser.view.name) == (0, "CPU samples")
        await take(stage, 1)


async def test_a_search_is_complete_when_its_prompt_is_closed() -> None:
    async with touring() as stage:
        await take(stage, 1)
        await stage.press('/ "sel"')
        assert step_of(stage) == 1
        await stage.press("Enter")
        await stage.until(lambda: step_of(stage) == 2)


@pytest.mark.parametrize("key", ["q", "Esc"])
@pytest.mark.parametrize("steps", range(len(STEPS) + 1))
async def test_the_tour_can_be_left_at_any_time(steps: int, key: str) -> None:
    async with touring() as stage:
        await take(stage, steps)
        for _ in range(3):
            if stage.app.is_running:
                await stage.press(key)
        await stage.until(lambda: not stage.app.is_running)


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (120, 40)])
async def test_it_fits_on_the_screen(size: tuple[int, int]) -> None:
    async with touring(size) as stage:
        lines = stage.lines()
        assert len(lines) == size[1]
        assert lines[-3].startswith(" Tour 1/8  l opens the row")
        assert lines[-4].strip().startswith("A profile of javac")


def test_steps_are_short_and_their_keys_are_those_of_the_registry() -> None:
    registry = every_command()
    assert len(STEPS) == len(KEYS) == 8
    for step in STEPS:
        assert max(map(len, (step.did, f" Tour 1/8  {step.key} {step.asks}"))) <= 78
        name = "follow-link" if step.check.startswith("view:") else step.check
        assert step.key in registry[name].keys


def test_the_sample_is_a_part_of_the_package_and_small() -> None:
    assert os.path.getsize(SAMPLE) < 300_000
    of_corpus = TESTS / "corpus" / "hprof" / "text" / "javac-samples-depth16-thread.txt.xz"
    assert Path(SAMPLE).read_bytes() == of_corpus.read_bytes()
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["package-data"]["tui.tour"] == ["*.xz"]


async def test_the_first_start_mentions_the_tour_and_the_second_does_not(corpus: Path) -> None:
    path = corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt"
    cache = Cache()
    for is_first in (True, False):
        report = open_paths([str(path)], None, cache)
        report.start_index()
        app = CoffeetreeApp(report)
        async with app.run_test(size=(80, 24)) as pilot:
            stage = Stage(app, pilot)
            await stage.until(lambda stage=stage: stage.browser._has_begun)
            await stage.quiet()
            assert (FIRST_HINT.strip() in stage.lines()[-2]) == is_first
            await stage.press("j")
            assert FIRST_HINT.strip() not in stage.screen()
            await stage.press("?")
            assert any("coffeetree tour" in "".join(piece.text for piece in line) for line in stage.browser.pane.lines)
        report.close()
    cache.close()


async def begin_tour(stage: Stage) -> None:
    """Types `:tour` and waits for its screen."""
    await stage.enter("tour")
    await stage.until(lambda: isinstance(stage.browser, TourScreen) and stage.browser._has_begun)
    await stage.until(lambda: "indexed" in stage.lines()[0])


@pytest.mark.parametrize("key", ["q", "Esc"])
async def test_a_tour_begun_in_a_report_returns_to_where_the_user_was(corpus: Path, key: str) -> None:
    async with browsing(corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt") as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.enter("view Packages")
        await stage.until(lambda: stage.browser.tree_view.viewport.rows)
        await stage.press("j j l j")
        await stage.until(lambda: stage.browser._detail_timer is None)
        await stage.quiet()
        browser, report, before = stage.browser, stage.app.report, stage.lines()[:-2]
        await begin_tour(stage)
        assert WELCOME in stage.screen()
        await stage.press("j j :")
        await stage.type("tour")
        await stage.press("Enter")
        assert len(stage.app.screen_stack) == 2, "a tour in the tour"
        await stage.press(key)
        await stage.until(lambda: not stage.app.is_touring)
        await stage.quiet()
        assert stage.browser is browser and stage.app.report is report
        await stage.until(lambda: stage.browser._detail_timer is None)
        assert stage.lines()[:-2] == before
        await stage.press("R")
        await stage.until(lambda: stage.app.report is not report)
        assert stage.browser is browser


async def test_the_end_of_a_tour_over_a_report_says_how_to_return(corpus: Path) -> None:
    async with browsing(corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt", (80, 24)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        browser = stage.browser
        await begin_tour(stage)
        await take(stage, len(STEPS))
        await stage.quiet()
        assert END_OVER_REPORT in stage.screen()
        await stage.press("q q")
        await stage.until(lambda: stage.browser is browser)


async def test_a_tour_begun_in_a_folder_returns_to_its_list(corpus: Path) -> None:
    cache = Cache()
    app = CoffeetreeApp(
        open_run=partial(open_paths, cache=cache, format="hotspot-log"),
        choose_from=lambda app: picker(str(corpus / "v20_to_24.0" / "reports"), cache, None, app),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        stage = Stage(app, pilot)
        first = app.screen
        await stage.until(lambda: "reports" in stage.lines()[0])
        await begin_tour(stage)
        await stage.press("q")
        await stage.until(lambda: app.screen is first)
        assert app.report is None
    cache.close()
