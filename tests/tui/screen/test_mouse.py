"""The mouse in panes, lists and the key line."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing, line_texts
from textual import events

from tui.pictures.axis_picture import ZOOM
from tui.pictures.picture_view import PictureView
from tui.screen.arrangement import stored_shares
from tui.screen.detail import DetailPane
from tui.screen.line_widget import WHEEL_ROWS


@pytest.fixture
def path(corpus: Path) -> Path:
    """A small call tree."""
    return corpus / "v20_to_24.0" / "reports" / "call_tree_demo_20230401_101500.txt"


async def drag(stage: Stage, selector: str, *places: tuple[int, int]) -> None:
    """Presses the left button at the first place of a widget, moves to the others, and releases it."""
    await stage.pilot.mouse_down(selector, offset=places[0])
    for place in places[1:]:
        await stage.pilot._post_mouse_events([events.MouseMove], selector, offset=place, button=1)
    await stage.pilot.mouse_up(selector, offset=places[-1])
    await stage.quiet()


async def wheel(stage: Stage, event: type[events.MouseEvent]) -> None:
    """Turns the wheel by one step over the tree or its picture."""
    await stage.pilot._post_mouse_events([event], "#tree", offset=(30, 3))
    await stage.quiet()


async def detail_with_link(stage: Stage) -> tuple[DetailPane, int]:
    """The side pane of the first row whose pane has a link on the screen, and the line of that."""
    for _ in range(30):
        pane = stage.browser.detail
        await stage.until(lambda: stage.browser._detail_timer is None)
        for y in range(min(pane.size.height, len(pane._detail_lines))):
            row = pane._detail_lines[y].row
            view, here = stage.browser.view, stage.browser.tree_view.cursor_node
            if row is not None and row.ref is not None and row.view is None and view.resolve(row.ref) != here:
                return pane, y
        await stage.press("j")
    raise AssertionError("no link")


async def test_one_click_follows_a_link_of_the_side_pane(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.press("E")
        pane, y = await detail_with_link(stage)
        row = pane._detail_lines[y].row
        assert row is not None
        before = stage.browser.tree_view.cursor_node
        await stage.pilot.click("#detail", offset=(6, y))
        await stage.quiet()
        assert stage.browser.tree_view.cursor_node == stage.browser.view.resolve(row.ref or "")
        assert stage.browser.tree_view.cursor_node != before


async def test_a_press_on_a_list_that_was_just_closed_takes_no_keys(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.press("v")
        pane = stage.browser.pane
        stage.browser.close_pane()
        await stage.quiet()
        # As a press of the button does while the layout still has the list.
        stage.browser.set_focus(pane)
        await stage.press("j")
        assert stage.browser.tree_view.viewport.cursor == 1


async def test_rows_of_the_tree_are_copied_and_the_cursor_stays(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.press("E")
        tree = stage.browser.tree_view
        shown = [tree.row(node).label.partition("(")[0] for node in tree.nodes_shown()]
        await drag(stage, "#tree", (20, 4), (20, 3), (20, 2))
        lines = stage.copied[0].split("\n")
        assert len(lines) == 3
        assert all(name in line for name, line in zip(shown[2:5], lines, strict=True))
        assert tree.cursor_node == tree.nodes_shown()[0]
        assert "3 lines" in stage.lines()[-2]


async def test_lines_of_the_side_pane_and_of_lists_are_copied(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.until(lambda: stage.browser.detail._detail_lines)
        await drag(stage, "#detail", (10, 0), (10, 1), (10, 2))
        assert len(stage.copied[0].split("\n")) == 3
        await stage.press("v")
        pane = stage.browser.pane
        await drag(stage, "ListPane", (10, pane.lines_above), (10, pane.lines_above + 1))
        lines = stage.copied[1].split("\n")
        assert [line.split()[0] for line in lines] == [pane.source.text(row).split()[0] for row in (0, 1)]


async def test_a_drag_below_the_last_line_scrolls(path: Path) -> None:
    async with browsing(path, (120, 12)) as stage:
        await stage.press("E")
        tree = stage.browser.tree_view
        top, height = tree.viewport.top, tree.size.height
        await drag(stage, "#tree", (20, 1), (20, height), (20, height + 1), (20, height))
        assert tree.viewport.top > top
        assert len(stage.copied[0].split("\n")) == tree.viewport.top + height - 1


async def test_keys_of_two_letters_in_the_footer_can_be_clicked(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.pilot.click("#keys", offset=(stage.lines()[-1].index("yy"), 0))
        await stage.quiet()
        assert len(stage.copied) == 1


async def test_a_click_on_the_path_goes_to_that_row_and_back_again(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.press("E j j")
        node = stage.browser.tree_view.cursor_node
        await stage.pilot.click("#crumbs", offset=(3, 0))
        await stage.quiet()
        assert stage.browser.tree_view.cursor_node == 0
        await stage.press("<")
        assert stage.browser.tree_view.cursor_node == node


async def test_a_double_click_in_a_path_goes_to_the_row_as_enter_does(path: Path) -> None:
    async with browsing(path, (120, 40)) as stage:
        await stage.press("E j j W")
        pane = stage.browser.pane
        above = pane.outline.node_at(0)
        assert pane.cursor_node != above
        await stage.pilot.click(pane, offset=(20, 0), times=2)
        await stage.until(lambda: not stage.browser.has_list)
        assert stage.browser.tree_view.cursor_node == above


@pytest.mark.parametrize("text", ["", "x y", "50", "5 25", "33 nan", "33 inf", "33 25 10"])
def test_a_wrong_stored_size_is_ignored(text: str) -> None:
    assert stored_shares(text) == {True: 33, False: 25}


# -- pictures ---------------------------------------------------------------------------------------------------------

CORPUS = TESTS / "corpus"
SAMPLES = CORPUS / "hprof/text/profiletest-samples-thread.txt.xz"
SUMMARIES = CORPUS / "hprof/binary/agent-orders.hprof.xz"
THREADS = CORPUS / "tptp/gen_thread.trcxml"


async def show_picture(stage: Stage, name: str) -> PictureView:
    """Shows a view that is drawn as a picture."""
    await stage.until(lambda: stage.browser.report.is_complete)
    await stage.enter(f"view {name}")
    await stage.until(lambda: stage.browser.tree_view.picture is not None and stage.browser.tree_view.viewport.rows)
    await stage.quiet()
    return stage.browser.tree_view


@pytest.mark.parametrize(("path", "name"), [(SUMMARIES, "Heap summaries"), (THREADS, "Time line")])
async def test_a_drag_sideways_over_an_axis_shows_that_part_of_it(path: Path, name: str) -> None:
    async with browsing(path, (80, 24)) as stage:
        pane = await show_picture(stage, name)
        picture = pane.picture
        whole, margin = picture.window, picture.margin
        cells = pane.size.width - margin
        await drag(stage, "#tree", (margin + cells // 4, 4), (margin + 40, 5), (margin + cells // 2 - 1, 5))
        found = picture.window
        assert found.start == pytest.approx(whole.start + whole.span * (cells // 4) / cells)
        assert found.stop == pytest.approx(whole.start + whole.span * (cells // 2) / cells)
        assert found.start <= place_of(pane) <= found.stop
        assert not stage.copied
        for _ in range(3):
            await stage.press("-")
        assert picture.window.is_whole


@pytest.mark.parametrize(("path", "name"), [(SUMMARIES, "Heap summaries"), (THREADS, "Time line")])
async def test_the_wheel_zooms_in_and_out_of_a_picture_with_an_axis(path: Path, name: str) -> None:
    async with browsing(path, (80, 24)) as stage:
        picture = (await show_picture(stage, name)).picture
        whole = picture.window.span
        await wheel(stage, events.MouseScrollUp)
        assert picture.window.span == pytest.approx(whole / ZOOM)
        await wheel(stage, events.MouseScrollDown)
        assert picture.window.is_whole


async def test_the_wheel_moves_down_and_up_in_a_flame() -> None:
    async with browsing(SAMPLES, (80, 24)) as stage:
        pane = await show_picture(stage, "Flame")
        pane.go_to(0)
        await wheel(stage, events.MouseScrollDown)
        assert pane.depth(pane.cursor_node) == WHEEL_ROWS
        await wheel(stage, events.MouseScrollUp)
        assert pane.cursor_node == 0


def place_of(pane: PictureView) -> float:
    """The place of the cursor on the axis."""
    picture = pane.picture
    return picture.places[pane.cursor_node] if hasattr(picture, "places") else picture.position_of(picture.moment)


@pytest.mark.parametrize(
    ("path", "name", "places"),
    [
        pytest.param(THREADS, "Time line", [(30, 3), (31, 4), (30, 5)], id="time line, down"),
        pytest.param(THREADS, "Time line", [(1, 3), (6, 3)], id="time line, names"),
        pytest.param(SUMMARIES, "Heap summaries", [(0, 1), (2, 2), (2, 4)], id="chart, numbers"),
        pytest.param(SAMPLES, "Flame", [(5, 2), (60, 4)], id="flame"),
    ],
)
async def test_a_drag_over_other_lines_of_a_picture_copies_them(
    path: Path, name: str, places: list[tuple[int, int]]
) -> None:
    async with browsing(path, (80, 24)) as stage:
        pane = await show_picture(stage, name)
        lines, node = line_texts(pane), pane.cursor_node
        await drag(stage, "#tree", *places)
        assert stage.copied == ["\n".join(line.rstrip() for line in lines[places[0][1] : places[-1][1] + 1])]
        assert (line_texts(pane), pane.cursor_node) == (lines, node)


async def test_cells_under_a_drag_are_marked_until_the_button_is_released() -> None:
    async with browsing(THREADS, (80, 24)) as stage:
        pane = await show_picture(stage, "Time line")
        before = [str(pane.render_line(y)._segments) for y in range(pane.size.height)]
        await stage.pilot.mouse_down("#tree", offset=(40, 3))
        for x in (50, 60):
            await stage.pilot._post_mouse_events([events.MouseMove], "#tree", offset=(x, 3), button=1)
        marked = [segment for segment in pane.render_line(4) if segment.style is not None and segment.style.reverse]
        assert sum(len(segment.text) for segment in marked) == 21
        await stage.pilot._post_mouse_events([events.MouseMove], "#tree", offset=(40, 3), button=1)
        await stage.pilot.mouse_up("#tree", offset=(40, 3))
        await stage.quiet()
        assert [str(pane.render_line(y)._segments) for y in range(pane.size.height)][5:] == before[5:]


async def test_a_click_in_the_last_column_of_a_picture_goes_to_what_is_drawn_there() -> None:
    async with browsing(THREADS, (80, 24)) as stage:
        pane = await show_picture(stage, "Time line")
        await stage.pilot.click("#tree", offset=(pane.size.width - 1, 3))
        await stage.quiet()
        picture = pane.picture
        assert picture.cell_of(picture.moment) == picture.layout.cells - 1
