"""Every key that help lists under *In this view* does what it says, in each shape of view and kind of pane.

The keys are those that help derives from the registry and the picture; a listed command without an effect here fails.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS
from heap_summaries import summaries
from stage import Stage, browsing

from tui.input.commands.in_view import essentials, keys_in_view
from tui.input.keys.name import parse_sequence
from tui.input.keys.registry import every_command
from tui.interaction.filters.filtering import FilterState
from tui.interaction.target import close_lists
from tui.list.help_pane import HelpPane
from tui.list.list_pane import ListPane

CALLS = CORPUS / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"
SAMPLES = CORPUS.parent / "hprof" / "text" / "javac-samples-depth30.txt.xz"
THREADS = CORPUS.parent / "tptp" / "agent_thread.trcxml"
SIZE = (100, 24)


@dataclass(frozen=True)
class State:
    """The state of the pane with the cursor before or after a key."""

    node: Any
    row: int
    rows: int
    left: int
    view: str
    window: Any
    pane: Any
    screen: str

    @classmethod
    def of(cls, stage: Stage) -> State:
        browser, pane = stage.browser, stage.browser.pane
        picture = browser.tree_view.picture
        window = getattr(picture, "window", None) or getattr(picture, "_base", None)
        node = getattr(pane, "cursor_node", None)
        return cls(node, pane.cursor_row, pane.row_count, pane.left, browser.view.name, window, pane, stage.screen())


Check = Callable[[State, State, Stage], object]


@dataclass(frozen=True)
class Effect:
    """Keys to press before the key, and a condition on the states before and after it."""

    before: str
    happens: Check


def row_by(step: int) -> Check:
    return lambda old, new, stage: new.row == old.row + step


def forward(old: State, new: State, stage: Stage) -> bool:
    return new.row > old.row


def backward(old: State, new: State, stage: Stage) -> bool:
    return new.row < old.row


def fewer(old: State, new: State, stage: Stage) -> bool:
    return new.rows < old.rows


def more(old: State, new: State, stage: Stage) -> bool:
    return new.rows > old.rows


def closed(old: State, new: State, stage: Stage) -> bool:
    return new.pane is not old.pane and new.pane is stage.browser.tree_view


def prompt(sign: str) -> Check:
    def asks(old: State, new: State, stage: Stage) -> bool:
        return stage.keys.startswith(sign)

    return asks


def zoomed(factor: float) -> Check:
    return lambda old, new, stage: new.window.span == pytest.approx(old.window.span * factor)


def moved(sign: int) -> Check:
    return lambda old, new, stage: (new.window.start - old.window.start) * sign > 0


def redrawn(old: State, new: State, stage: Stage) -> bool:
    return new.screen != old.screen


def listed(old: State, new: State, stage: Stage) -> bool:
    return isinstance(new.pane, ListPane)


def copied(old: State, new: State, stage: Stage) -> bool:
    return bool(stage.copied)


LAST = "G"
ROWS = {
    "down": Effect("", row_by(1)),
    "up": Effect("j", row_by(-1)),
    "page-down": Effect("g", forward),
    "page-up": Effect(LAST, backward),
    "top": Effect(LAST, lambda old, new, stage: new.row == min(old.row, 1) or new.row == 0),
    "bottom": Effect("", lambda old, new, stage: new.row == new.rows - 1),
}
TREE = ROWS | {
    "right": Effect("C", more),
    "left": Effect("", fewer),
    "parent": Effect("j", lambda old, new, stage: new.row == old.row - 1 and new.rows == old.rows),
    "next-sibling": Effect("k k", row_by(1)),
    "previous-sibling": Effect("k", row_by(-1)),
    "next-block": Effect("", lambda old, new, stage: new.node == 8),
    "previous-block": Effect("", lambda old, new, stage: new.node == 0),
    "follow-link": Effect("", fewer),
    "toggle": Effect("", fewer),
    "open-siblings": Effect("c", more),
    "fold-siblings": Effect("", fewer),
    "open-below": Effect("C", more),
    "fold-below": Effect("", fewer),
    "fold-to": Effect("z M", more),
    "open-chain": Effect("C", more),
    "sort": Effect("", lambda old, new, stage: stage.browser.tree_view.order is not None),
    "sort-reverse": Effect("s", lambda old, new, stage: stage.browser.tree_view.order.startswith("-")),
    "back": Effect("G", lambda old, new, stage: new.row < old.row),
    "cut": Effect("", lambda old, new, stage: "×" in new.screen and "×" not in old.screen),
    "cuts": Effect("X", lambda old, new, stage: new.view == "Cut"),
    "between": Effect("", lambda old, new, stage: new.view == "Between"),
    "why": Effect("", lambda old, new, stage: new.pane is not old.pane),
    "refs": Effect("", listed),
    "format-filter": Effect("", redrawn),
}
FLAME = {
    "down": Effect("", lambda old, new, stage: stage.browser.view.tree.parent(new.node) == old.node),
    "up": Effect("j", lambda old, new, stage: stage.browser.view.tree.parent(old.node) == new.node),
    "right": Effect("", redrawn),
    "left": Effect("l", redrawn),
    "follow-link": Effect("j j", lambda old, new, stage: new.window == old.node),
    "toggle": Effect("j j", lambda old, new, stage: new.window == old.node),
    "larger": Effect("j j", lambda old, new, stage: new.window == old.node),
    "smaller": Effect("j j Space", lambda old, new, stage: new.window is None),
    "back": Effect("j j Space", lambda old, new, stage: new.window is None),
    "page-down": Effect("", forward),
    "page-up": Effect("j j j", backward),
    "format-filter": Effect("", redrawn),
}
SCALED = {
    "larger": Effect("", zoomed(0.5)),
    "smaller": Effect("+ +", zoomed(2)),
    "page-down": Effect("+ +", moved(1)),
    "page-up": Effect("+ + ze PgUp", moved(-1)),
    "scroll-right": Effect("+ +", moved(1)),
    "scroll-left": Effect("+ + ze", moved(-1)),
    "end-of-rows": Effect("+ +", moved(1)),
    "format-filter": Effect("", redrawn),
}
CHART = SCALED | {
    "right": Effect("", forward),
    "left": Effect("l l", backward),
    "next-sibling": Effect("", row_by(1)),
    "previous-sibling": Effect("l l", row_by(-1)),
    "down": Effect("", lambda old, new, stage: stage.browser.tree_view.picture._chosen == 1),
    "up": Effect("j", lambda old, new, stage: stage.browser.tree_view.picture._chosen == 0),
    "follow-link": Effect("", zoomed(0.5)),
    "toggle": Effect("", redrawn),
    "fold-siblings": Effect("", redrawn),
    "open-siblings": Effect("c", redrawn),
}
TIME_LINE = SCALED | {
    "right": Effect("", lambda old, new, stage: stage.browser.tree_view.picture.moment > 0),
    "left": Effect("G", redrawn),
    "next-sibling": Effect("", lambda old, new, stage: stage.browser.tree_view.picture.moment > 0),
    "previous-sibling": Effect("J J", redrawn),
    "down": Effect("", forward),
    "up": Effect("j", backward),
    "follow-link": Effect("l", redrawn),
    "toggle": Effect("l", redrawn),
    "fold-siblings": Effect("l", lambda old, new, stage: new.window.span < old.window.span),
    "open-siblings": Effect("l c", lambda old, new, stage: new.window.is_whole and not old.window.is_whole),
}
LIST = ROWS | {
    "follow-link": Effect("j", closed),
    "find": Effect("", prompt("narrow: ")),
    "sort": Effect("", lambda old, new, stage: "▲" in new.screen or "▼" in new.screen),
    "sort-reverse": Effect("s", lambda old, new, stage: "reversed" in new.screen),
    "refs": Effect("j", lambda old, new, stage: new.pane is not old.pane),
    "why": Effect("j", lambda old, new, stage: new.pane is not old.pane),
    "yank-row": Effect("j", copied),
    "q": Effect("", closed),
}
PAGE = ROWS | {
    "find": Effect("", prompt("/")),
    "next-match": Effect('/ "the" Enter', forward),
    "previous-match": Effect('/ "the" Enter n', backward),
    "q": Effect("", closed),
}
PATH = {
    "down": Effect("g", row_by(1)),
    "up": Effect("", row_by(-1)),
    "right": Effect("g Space", more),
    "left": Effect("g", fewer),
    "parent": Effect("", row_by(-1)),
    "follow-link": Effect("", closed),
    "toggle": Effect("g", fewer),
    "yank-path": Effect("", copied),
    "refs": Effect("", listed),
    "q": Effect("", closed),
}
DETAILS = ROWS | {
    "down": Effect("g", forward),
    "up": Effect("j", backward),
    "follow-link": Effect("j j j j", lambda old, new, stage: stage.browser.tree_view.cursor_node != 3),
    "next-pane": Effect("", closed),
    "alone": Effect("", lambda old, new, stage: not stage.browser.tree_view.display),
    "larger": Effect("", lambda old, new, stage: stage.browser._share[True] > 33),
    "smaller": Effect("", lambda old, new, stage: stage.browser._share[True] < 33),
    "q": Effect("", closed),
}


@dataclass(frozen=True)
class Shape:
    """A report with a view, the row to begin on, the keys that open the pane, and the effects of its keys."""

    path: Path | None
    view: str
    start: int
    opens: str
    effects: Mapping[str, Effect]


SHAPES = {
    "call tree": Shape(CALLS, "Call tree", 3, "", TREE),
    "flame": Shape(SAMPLES, "Flame", 0, "", FLAME),
    "chart": Shape(None, "Heap summaries", 0, "", CHART),
    "time line": Shape(THREADS, "Time line", 1, "", TIME_LINE),
    "list of rows": Shape(CALLS, "Call tree", 4, "r", LIST),
    "list of views": Shape(CALLS, "Call tree", 3, "v", LIST),
    "help": Shape(CALLS, "Call tree", 3, "?", PAGE),
    "path": Shape(CALLS, "Call tree", 11, "W", PATH),
    "side pane": Shape(CALLS, "Call tree", 3, "Tab", DETAILS),
}


@asynccontextmanager
async def opened(shape: Shape, tmp_path: Path) -> AsyncIterator[Stage]:
    """A browser with the report of a shape, its index finished."""
    path = shape.path
    if path is None:
        path = tmp_path / "a.hprof"
        path.write_bytes(summaries(101))
    async with browsing(path, (120, 24) if shape.opens == "Tab" else SIZE) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.begin()
        yield stage


async def reset(stage: Stage, shape: Shape) -> None:
    """Shows the pane of a shape as it is first."""
    browser = stage.browser
    interaction = browser.interaction
    if interaction.prompt is not None:
        interaction.prompt.cancel()
    interaction.search.clear()
    close_lists(browser)
    interaction.filters.stop()
    interaction.filters.state = FilterState()
    interaction.filters.apply()
    if hasattr(browser.report, "graph"):
        browser.report.graph.cuts.clear()
    if browser.view.name != shape.view:
        interaction.viewing.show_view(shape.view)
        await stage.until(lambda: browser.view.name == shape.view)
    tree = browser.tree_view
    tree.picture = None
    tree.show(browser.report, browser.view)
    browser._is_alone, browser._share = False, {True: 33, False: 25}
    browser._arrange()
    tree.focus()
    if tree.picture is None:
        tree.open_all()
    tree.move_to_row(shape.start)
    stage.copied.clear()
    await stage.until(lambda: browser._detail_timer is None)
    await stage.press(shape.opens)
    await stage.quiet()


@pytest.mark.parametrize("name", SHAPES)
async def test_each_key_listed_for_a_view_does_what_it_says(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    failed: list[str] = []
    async with opened(shape, tmp_path) as stage:
        await reset(stage, shape)
        found = keys_in_view(stage.browser.interaction)
        missing = {key.command for key in found} - set(shape.effects)
        assert not missing, f"no effect is described for {missing}"
        for bound in found:
            effect = shape.effects[bound.command]
            for key in bound.keys:
                await reset(stage, shape)
                await stage.press(effect.before)
                await stage.settled()
                await stage.until(lambda: stage.browser._detail_timer is None)
                old = State.of(stage)
                await stage.press(" ".join(parse_sequence(key)).replace("{1-9}", "1"))
                await stage.settled()
                if not await stage.comes_true(lambda o=old, e=effect: e.happens(o, State.of(stage), stage), 1.0):
                    failed.append(f"{key} ({bound.command}: {bound.text})\n{stage.screen()}")
    assert not failed, "\n\n".join(failed)


def test_commands_of_pictures_are_in_the_registry_and_have_keys() -> None:
    from tui.pictures.chart.line_chart import LineChart
    from tui.pictures.flame.flame import Flame
    from tui.pictures.timeline.lines import TimeLineLines

    registry = every_command()
    for picture in (Flame, LineChart, TimeLineLines):
        assert picture.keys
        assert all(registry[name].keys and text.endswith(".") for name, _, text in picture.keys)


async def test_help_begins_with_the_keys_of_the_view_then_the_essentials_then_all_groups() -> None:
    async with browsing(CALLS, SIZE) as stage:
        await stage.press("?")
        pane = stage.browser.pane
        assert isinstance(pane, HelpPane)
        titles = [line[0].text.strip() for line in pane.lines if line[0].role == "pane-title"]
        assert titles[:3] == ["In this view: Call tree", "Essentials", "Moving"]
        assert stage.lines()[2].startswith(" In this view: Call tree")
        assert 10 <= len(essentials(stage.browser.interaction)) <= 14


async def test_a_search_in_help_highlights_substrings_and_reports_no_matches() -> None:
    async with browsing(CALLS, SIZE) as stage:
        await stage.press('? / "ancest"')
        assert "2 matches" in stage.keys
        assert "ancest" in stage.screen()
        await stage.press('^u "qqq"')
        assert "No matches" in stage.keys
        await stage.press("Enter")
        assert stage.status == "No matches. Esc closes help."
