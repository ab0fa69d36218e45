"""Views of shape "timeline": what cells show, where moments are, and the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_time_line import DrawnView, drawn_report, made_pieces
from stage import Stage

from parsers.views.timelines.timeline_view import SECOND, LaneStates, moment_text
from tui.app.app import CoffeetreeApp
from tui.pictures.timeline.lane_cells import LaneCells
from tui.pictures.timeline.scale import TimeScale

# -- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nanos", "decimals", "text"),
    [
        (0, 0, "0 s"),
        (3_402_999_999, 3, "3.402 s"),
        (3_402_999_999, 9, "3.402999999 s"),
        (725_318_000_000, 1, "12:05.3"),
        (3_725 * SECOND, 0, "1:02:05"),
        (-1, 9, "-0.000000001 s"),
    ],
)
def test_a_moment_is_formatted_with_the_given_precision(nanos: int, decimals: int, text: str) -> None:
    assert moment_text(nanos, decimals) == text


def lane(drawing: str) -> LaneStates:
    """A piece for each character, one nanosecond long: a digit is its state."""
    return made_pieces([*range(len(drawing))], [int(sign) for sign in drawing], [0] * len(drawing), len(drawing))


def cells(pieces: LaneStates, edges: list[int]) -> str:
    found = LaneCells(pieces).cells(np.array(edges))
    pairs = zip(found.states, found.is_mixed, strict=True)
    return " ".join(f"{state}{'m' if is_mixed else ''}" for state, is_mixed in pairs)


def test_a_cell_shows_the_state_that_takes_most_of_it() -> None:
    assert cells(lane("1112222211"), [0, 3, 5, 10]) == "1 2 2m"
    assert cells(lane("1112222211"), [0, 10]) == "1m"
    assert cells(lane("0000111100"), [0, 2, 5, 6, 8, 10, 20]) == "0 1m 1 1 0 0"


@given(st.text("0123", min_size=1, max_size=40), st.lists(st.integers(0, 45), min_size=2, max_size=6))
def test_shares_are_what_counting_gives(drawing: str, some: list[int]) -> None:
    edges = sorted(some)
    found = LaneCells(lane(drawing)).cells(np.array(edges))
    for cell, (start, stop) in enumerate(pairwise(edges)):
        part = drawing[start:stop]
        assert {state: int(share[cell]) for state, share in found.shares.items() if share[cell]} == {
            int(sign): part.count(sign) for sign in set(part) - {"0"}
        }


def test_the_state_of_a_lane_is_known_for_any_moment() -> None:
    pieces = made_pieces([10, 20, 30], [1, 2, 1], [0, 1, 0], 40)
    assert [pieces.at(moment) for moment in (9, 10, 19, 20, 39, 40)] == [-1, 0, 0, 1, 2, -1]
    assert [pieces.change_after(moment) for moment in (0, 10, 25, 30, 40)] == [10, 20, 30, 40, None]
    assert [pieces.change_before(moment) for moment in (10, 11, 20, 40, 50)] == [None, 10, 10, 30, 40]


def test_compressed_a_long_stretch_grows_with_its_logarithm_only() -> None:
    changes = np.array([0, 10, 20, 30, 1030, 1040, 1050])
    scale = TimeScale(1060, [changes])
    places = scale.positions(np.array([30, 1030])).tolist()

    assert places[0] == 30
    assert 50 < places[1] - places[0] < 60
    assert scale.moments(np.array(places)).tolist() == [30, 1030]


@given(st.lists(st.integers(0, 10**15), max_size=30), st.integers(1, 10**15))
def test_no_moment_is_lost_on_a_compressed_axis(changes: list[int], length: int) -> None:
    scale = TimeScale(length, [np.array(changes, np.int64)])
    known = np.array(sorted({0, length, *(each for each in changes if each <= length)}))
    back = scale.moments(scale.positions(known))

    assert np.allclose(back, known, rtol=1e-9, atol=2)
    assert (np.diff(scale.positions(known)) >= 0).all()


def test_a_linear_axis_is_as_it_is() -> None:
    scale = TimeScale(100)
    assert scale.moments(scale.positions(np.array([0, 33, 100]))).tolist() == [0, 33, 100]


# -- the screen -------------------------------------------------------------------------------------------------------

DRAWING = """
main     :--------LLLL--------WWWWWWWW----||||----LLDDDDDDDDDDDDDD
worker 1 :  ------L-L-L-L---SSSSSSSSSSSS--||||----LLDDDDDDDDDDDDDD
worker 2 :      ---------SSSSSSSSSSSS----
"""
"""As wide as the cells of a window of 80 columns."""


@asynccontextmanager
async def shown(drawing: str = DRAWING, size: tuple[int, int] = (80, 14)) -> AsyncIterator[Stage]:
    """A browser that shows a time line."""
    report = drawn_report(drawing)
    app = CoffeetreeApp(report, lambda: report)  # type: ignore[arg-type, return-value]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        stage = Stage(app, pilot)
        stage.browser.begin()
        await stage.quiet()
        yield stage


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    """A browser that shows the time line above."""
    async with shown() as stage:
        yield stage


def picture(stage: Stage) -> list[str]:
    """The lines of the picture."""
    return stage.lines()[3:-2]


def view(stage: Stage) -> DrawnView:
    found = stage.browser.view
    assert isinstance(found, DrawnView)
    return found


async def test_a_lane_is_a_line_of_its_states(stage: Stage) -> None:
    lines = picture(stage)

    assert lines[2].startswith("main                    ────────LLLL────────WWWWWWWW────┊┊┊┊────LLDDDDDDDDDDDDDD")
    assert lines[3].startswith("worker 1                  ──────L─L─L─L───SSSSSSSSSSSS──┊┊┊┊────LLDDDDDDDDDDDD")
    assert lines[4].startswith("worker 2                      ─────────SSSSSSSSSSSS──── ┊┊┊┊")
    assert lines[-1].startswith(" ─ running 100 %  L lock  W object  S sleeping  D deadlocked")


async def test_samples_are_marks_where_nothing_else_is_known() -> None:
    async with shown("a:--  *   *  LLLL--\nb:-----------------") as stage:
        assert picture(stage)[2].count("•") == 2
        stage.app.set_ascii(True)
        stage.browser.tree_view.redraw()
        await stage.quiet()
        assert picture(stage)[2].count("*") == 2


async def test_the_visible_part_is_passed_to_the_view(stage: Stage) -> None:
    await stage.press("+ +")
    assert view(stage)._visible == (0, 14 * SECOND)


async def test_right_and_left_go_from_change_to_change(stage: Stage) -> None:
    await stage.press("l")
    assert (stage.row.label, view(stage).moment) == ("waiting for lock", 8 * SECOND)
    await stage.press("l")
    assert (stage.row.label, view(stage).moment) == ("main", 12 * SECOND)
    await stage.press("l l h")
    assert (stage.row.label, view(stage).moment) == ("waiting for object", 20 * SECOND)
    await stage.press("h h h h")
    assert view(stage).moment == 0


async def test_up_and_down_stay_at_the_moment(stage: Stage) -> None:
    await stage.press("l l l j")
    assert (stage.row.label, view(stage).moment) == ("sleeping", 20 * SECOND)
    await stage.press("h h h h h j")
    assert (stage.row.label, view(stage).moment) == ("worker 2", 12 * SECOND)
    await stage.press("l j")
    assert (stage.row.label, view(stage).moment) == ("sleeping", 15 * SECOND)
    await stage.press("k k k k")
    assert (stage.row.label, view(stage).moment) == ("main", 15 * SECOND)


async def test_the_axis_shows_the_moment_of_the_cursor_and_the_ruler_where_that_is(stage: Stage) -> None:
    await stage.press("l")
    ruler, axis = picture(stage)[:2]
    assert ruler.startswith("all 56.000 s            ━━━━━━━━▼━")
    assert "8 s" in axis


async def test_plus_shows_half_of_it_and_minus_twice_as_much(stage: Stage) -> None:
    whole = picture(stage)
    await stage.press("l + +")
    assert picture(stage)[0].startswith("all 56.000 s            ──────━━▼")
    assert picture(stage)[2].count("L") == 16
    await stage.press("- -")
    assert picture(stage)[2] == whole[2]


async def test_zooming_to_the_cursor_and_to_everything(stage: Stage) -> None:
    whole = picture(stage)
    await stage.press("l c")
    assert picture(stage)[2].count("L") == 28
    await stage.press("e")
    assert picture(stage)[2] == whole[2]
    await stage.press("Space Space")
    assert picture(stage)[2] == whole[2]


async def test_pages_and_panning_move_the_visible_range(stage: Stage) -> None:
    await stage.press("+ + + PgDn")
    assert view(stage).moment == 7 * SECOND
    await stage.press(". ze")
    assert picture(stage)[0].endswith("─▼━━━━━━")
    await stage.press("ze e")
    assert picture(stage)[0].startswith("all 56.000 s            ━")


async def test_idle_stretches_are_shortened_and_the_moment_stays() -> None:
    async with shown("a:" + "-" * 10 + "L-L-L" + "-" * 985, size=(80, 14)) as stage:
        await stage.press("l l")
        assert "L" not in picture(stage)[2]
        moment = view(stage).moment
        await stage.press("f t")
        assert "LLl" in picture(stage)[2]
        assert picture(stage)[0].startswith("compressed 16:40")
        assert view(stage).moment == moment


async def test_rows_are_shown_in_place_of_the_picture(stage: Stage) -> None:
    await stage.press("l l l f g")
    assert stage.browser.tree_view.picture is None
    assert stage.row.label == "waiting for object"
    await stage.press("f g")
    assert stage.row.label == "waiting for object"
    assert view(stage).moment == 20 * SECOND


async def test_a_row_that_is_reached_is_shown_at_its_start(stage: Stage) -> None:
    await stage.press("l + + + + G")
    assert (stage.row.label, view(stage).moment) == ("sleeping", 15 * SECOND)
    assert "S" in picture(stage)[4]


async def test_a_click_goes_to_a_lane_and_a_moment(stage: Stage) -> None:
    await stage.pilot.click("#tree", offset=(24 + 27, 3))
    assert (stage.row.label, view(stage).moment) == ("sleeping", 27 * SECOND)


async def test_without_colours_and_in_ascii_there_are_letters(stage: Stage) -> None:
    stage.app.set_palette("mono")
    stage.app.set_ascii(True)
    stage.browser.tree_view.redraw()
    await stage.quiet()
    assert stage.screen(2, 12).isascii()
    assert picture(stage)[2].startswith("main                    --------LLLL--------WWWWWWWW")


async def test_more_lanes_than_lines_are_scrolled() -> None:
    drawing = "\n".join(f"lane{number:02}:{'-' * 20}" for number in range(30))
    async with shown(drawing) as stage:
        assert picture(stage)[1].startswith("1 of 30")
        await stage.press("2 0 j")
        assert picture(stage)[1].startswith("21 of 30")
        assert any(line.startswith("lane20") for line in picture(stage))


@pytest.mark.parametrize("size", [(20, 5), (21, 6), (40, 10), (80, 24), (300, 100)])
async def test_a_time_line_is_drawn_in_any_size(size: tuple[int, int]) -> None:
    async with shown(size=size) as stage:
        await stage.press("j l + , . ze ze PgUp PgDn ^d ^u ^e ^y Enter Space - E C 50% J K H c e f t f t")
        assert stage.browser.tree_view.picture is not None
        assert all(len(line) <= size[0] for line in stage.lines())


async def test_a_growing_recording_is_shown_at_the_same_moment() -> None:
    async with shown("a:----LLLL----", (80, 14)) as stage:
        await stage.press("l + +")
        before = picture(stage)
        stage.browser.renew_report(drawn_report("a:----LLLL----WWWWWWWW\nb:--------------------"))  # type: ignore[arg-type]
        await stage.quiet()
        assert (stage.row.label, view(stage).moment) == ("waiting for lock", 4 * SECOND)
        assert picture(stage)[2] == before[2]
        assert picture(stage)[3].startswith("b ")
        await stage.press("e")
        assert "W" in picture(stage)[2]


async def test_following_a_recording_stays_at_its_end_in_the_same_lane() -> None:
    async with shown("a:----LLLL----\nb:------------") as stage:
        await stage.press("F")
        assert (stage.row.label, view(stage).moment) == ("a", 12 * SECOND - 1)
        stage.browser.renew_report(drawn_report("a:----LLLL----WWWW\nb:----------------\nc:  --LL"))  # type: ignore[arg-type]
        await stage.quiet()
        assert (stage.row.label, view(stage).moment) == ("waiting for object", 16 * SECOND - 1)


async def test_the_legend_explains_the_looks_of_cells_with_several_states_where_they_fit() -> None:
    async with shown(size=(100, 14)) as stage:
        assert picture(stage)[-1].split("D deadlocked")[1].strip() == "╌lwsd partly"
    async with shown(size=(40, 14)) as stage:
        assert "partly" not in picture(stage)[-1]
