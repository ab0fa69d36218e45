"""Profiles in the browser: switches, folded frames, what is beside a row, flames."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing, line_texts

from parsers.model.view import Position, View
from tui.pictures.flame.flame import Flame

TEXT = TESTS / "corpus" / "hprof" / "text"
SAMPLES = TEXT / "javac-samples-depth16-thread.txt.xz"
DUMPS = TEXT / "quit-samples.txt.xz"


@asynccontextmanager
async def profile(path: Path, view: str = "CPU samples", size: tuple[int, int] = (116, 24)) -> AsyncIterator[Stage]:
    """A browser with a profile whose index is finished."""
    async with browsing(path, size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete and stage.browser.tree_view.row_count)
        if view != stage.browser.view.name:
            stage.browser.interaction.viewing.show_view(view)
            await stage.quiet()
        yield stage


async def test_methods_are_shown_at_once_and_their_traces_when_they_are_opened() -> None:
    async with profile(SAMPLES) as stage:
        await stage.press("g")
        assert stage.name == "Attr$ResultInfo.check"
        await stage.press("z M l l")
        assert stage.row.label == "check :482"
        await stage.until(lambda: "TRACE 300684  main  323 samples" in stage.screen())
        assert " 0 Attr$ResultInfo.check" in stage.screen()


async def test_rows_are_split_by_trace_and_merged_again() -> None:
    async with profile(SAMPLES) as stage:
        await stage.press("g f m G Enter")
        assert stage.status == "group by: as written"
        assert stage.row.ref.startswith("trace:")
        await stage.press("j")
        assert "group by: as written  (fm)" in stage.status
        await stage.press("f m g Enter g")
        assert stage.name == "Attr$ResultInfo.check"


async def test_a_switch_can_be_undone() -> None:
    async with profile(SAMPLES) as stage:
        await stage.press("g f m j Enter")
        assert stage.row.kind == "class"
        await stage.press("u")
        assert stage.row.kind == "method"
        await stage.press("U")
        assert stage.row.kind == "class"


async def test_letters_of_the_view_are_first_of_those_that_can_follow() -> None:
    async with profile(DUMPS, "Callers", (80, 24)) as stage:
        await stage.press("f")
        await stage.until(lambda: stage.hints.startswith(" f …"))
        await stage.until(lambda: "d dump" in stage.screen())
        await stage.press("Esc")


async def test_many_choices_are_a_list() -> None:
    async with profile(DUMPS, "Callers", (200, 30)) as stage:
        await stage.press("f d")
        assert "1 → 3" in stage.screen()
        await stage.press("G Enter")
        assert "before" in stage.screen() and "after" in stage.screen()
        assert stage.status == "dump: 1 → 3"


async def test_a_method_is_found_by_its_name() -> None:
    async with profile(SAMPLES) as stage:
        await stage.press('o "resolve::selectBest"')
        await stage.until(lambda: "Resolve.selectBest" in stage.screen())
        await stage.press("Enter")
        await stage.until(lambda: stage.name == "Resolve.selectBest")
        assert stage.row.ref == "method:com.sun.tools.javac.comp.Resolve.selectBest"


async def test_patterns_fold_frames() -> None:
    async with profile(SAMPLES, "Call tree") as stage:
        tree = stage.browser.tree_view
        assert "Resolve" in " ".join(line_texts(tree))
        await stage.press('f s ^u "com.sun.tools.javac.comp.*" Enter')
        await stage.settled()
        assert "javac.comp" not in " ".join(tree.view.tree.row(node).label for node in range(tree.row_count))  # type: ignore[union-attr]
        assert "suppressed: com.sun.tools.javac.comp.*" in stage.status
        await stage.press("f x")
        assert "suppressed" not in stage.status


async def test_rows_that_match_are_left_with_their_callers() -> None:
    async with profile(SAMPLES, "Call tree") as stage:
        before = stage.browser.tree_view.row_count
        await stage.press('& "isFunctionalInterface" Enter')
        await stage.settled()
        assert 0 < stage.browser.tree_view.row_count < before
        assert "only isFunctionalInterface  (&)" in stage.status


async def test_a_search_goes_through_a_call_tree() -> None:
    async with profile(SAMPLES, "Call tree") as stage:
        await stage.press('/ "isFunctionalInterface" Enter')
        await stage.settled()
        assert "isFunctionalInterface" in stage.row.label


def base(stage: Stage) -> int | None:
    """Returns the base node of the picture."""
    picture = stage.browser.tree_view.picture
    assert isinstance(picture, Flame)
    return picture.icicle.base


async def test_a_flame_is_zoomed_by_enter_and_left_by_backspace() -> None:
    async with profile(SAMPLES, "Flame") as stage:
        await stage.press("g")
        whole = stage.screen(2, 20)
        await stage.press("j l Enter")
        assert base(stage) == stage.browser.tree_view.cursor_node
        assert stage.screen(2, 20) != whole
        await stage.press("Backspace")
        assert base(stage) is None


def stack(view: View, node: int) -> list[str]:
    return [view.tree.row(each).label for each in view.path(node)]


async def test_a_stack_is_kept_between_views_and_when_they_change() -> None:
    async with profile(SAMPLES, "Flame") as stage:
        browser = stage.browser
        # A lighter stack of a method that another stack has, too.
        nodes = range(1, browser.view.row_count or 0)
        node = next(node for node in nodes if browser.view.find_position(Position(browser.view.key(node))) != node)
        browser.tree_view.arrive(node)
        before = stack(browser.view, node)
        await stage.press("v / tree Enter Enter")
        assert (browser.view.name, stack(browser.view, stage.row.node)) == ("Call tree", before)
        await stage.press("f l")
        await stage.settled()
        assert "lambdas" in stage.lines()[-2]
        assert stack(browser.view, stage.row.node) == before


async def test_arrows_move_between_boxes() -> None:
    async with profile(SAMPLES, "Flame") as stage:
        await stage.press("g")
        root = stage.row.label
        await stage.press("Down")
        child = stage.row
        assert child.depth == 1
        await stage.press("Right")
        assert stage.row.depth == 1 and stage.row.node > child.node
        await stage.press("Left Up")
        assert stage.row.label == root


async def test_a_search_in_a_flame_shows_what_it_finds() -> None:
    async with profile(SAMPLES, "Flame") as stage:
        await stage.press('/ "isFunctionalInterface" Enter')
        await stage.settled()
        assert "isFunctionalInterface" in stage.row.label
        assert "isFunc" in stage.screen(2, 20)
        await stage.press("n")
        assert "isFunctionalInterface" in stage.row.label


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (20, 5), (200, 60)])
async def test_a_flame_fits_any_window(size: tuple[int, int]) -> None:
    async with profile(SAMPLES, "Flame", size) as stage:
        for keys in ("j", "j", "l", "Enter", "G", "g", "-"):
            await stage.press(keys)
        tree = stage.browser.tree_view
        assert all(len(line) == tree.size.width for line in line_texts(tree))


async def test_help_and_key_line_name_the_switches() -> None:
    async with profile(SAMPLES, "Call tree", (150, 40)) as stage:
        assert "fm frames" in stage.keys
        await stage.press('? / "recursion:" Enter')
        assert "as recorded, folded" in stage.screen()


async def test_a_method_is_found_by_name() -> None:
    async with profile(SAMPLES) as stage:
        await stage.press("o")
        await stage.type("selectBest")
        await stage.until(lambda: "Resolve.selectBest" in stage.screen())
        await stage.press("enter")
        await stage.until(lambda: stage.name == "Resolve.selectBest")
        assert stage.browser.view.name == "CPU samples"


async def test_a_class_of_the_heap_is_found_by_name() -> None:
    async with profile(TEXT / "quit-everything.txt.xz") as stage:
        await stage.press("o")
        await stage.type("CharacterDataLatin1")
        await stage.until(lambda: "java.lang.CharacterDataLatin1" in stage.screen())
        await stage.press("enter")
        # One in each of the dumps.
        await stage.until(lambda: "1 of 3" in stage.screen())
        await stage.press("enter")
        await stage.until(lambda: stage.browser.view.name == "Classes")
        assert stage.row.ref == "run:1/class:java.lang.CharacterDataLatin1"


async def test_classes_of_a_heap_are_filtered() -> None:
    async with profile(TEXT / "longnames-dump.txt.xz", "Classes") as stage:
        rows = len(stage.browser.tree_view.outline)
        await stage.press("z R")
        everything = len(stage.browser.tree_view.outline)
        await stage.press("&")
        await stage.type("HashMap")
        await stage.press("enter")
        await stage.until(lambda: "only HashMap" in stage.status and stage.browser.interaction.filters.selection)
        shown = stage.browser.interaction.filters.selection.rows
        assert 0 < shown < everything and rows < everything
        assert "HashMap" in stage.screen()


async def test_an_object_whose_class_is_suppressed_is_closed_and_opened_by_hand() -> None:
    async with profile(TEXT / "longnames-dump.txt.xz", "Objects") as stage:
        await stage.press("g")
        while not stage.row.has_children:
            await stage.press("j")
        label = stage.row.label.removeprefix("class ")
        await stage.press("f s")
        await stage.press("enter")
        await stage.until(lambda: "suppressed" in stage.row.flags)
        assert label in stage.status
        await stage.press("space")
        await stage.until(lambda: "suppressed" not in stage.row.flags)


async def test_enter_on_a_thread_shows_its_samples() -> None:
    async with profile(TEXT / "javac-samples-depth16-thread.txt.xz", "Threads") as stage:
        await stage.press("g s")
        row = stage.row
        await stage.press("Enter")
        await stage.until(lambda: stage.browser.view.name == "CPU samples")
        assert stage.browser.view.chosen["thread"].endswith(f" {row.badges['thread']}")
        await stage.press("f f")
        assert stage.status.startswith("No filters; thread: ")


async def test_going_to_a_name_stays_in_the_shown_view() -> None:
    async with profile(SAMPLES, "Callers") as stage:
        await stage.press("o")
        await stage.type("selectBest")
        await stage.until(lambda: "Resolve.selectBest" in stage.screen())
        await stage.press("Enter")
        await stage.until(lambda: stage.name == "Resolve.selectBest")
        assert stage.browser.view.name == "Callers"
