"""Views of shape "chart": round numbers of axes, where lines are, what part of the axis is shown, and the screen."""

from __future__ import annotations

import lzma
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import TESTS, Answer
from heap_summaries import HEADER, summaries, summary
from hypothesis import given
from hypothesis import strategies as st
from stage import Stage, browsing

from parsers.model.row import Unit
from tui.pictures.chart.grid import Grid
from tui.pictures.chart.polyline import Polyline, Reach
from tui.pictures.chart.scale import round_range, tick_text, ticks
from tui.pictures.chart.window import Window

Run = Callable[..., Answer]
CORPUS = TESTS / "corpus" / "hprof"
NAN = float("nan")


@pytest.mark.parametrize(
    ("low", "high", "most", "unit", "found"),
    [
        (0, 737_920, 4, "bytes", [0, 200_000, 400_000, 600_000]),
        (2.3, 4.3, 5, "s", [2.5, 3.0, 3.5, 4.0]),
        (0, 400, 5, "s", [0, 120, 240, 360]),
        (0, 3, 10, "count", [0, 1, 2, 3]),
        (5, 5, 4, "count", [5]),
    ],
)
def test_ticks_are_round(low: float, high: float, most: int, unit: Unit, found: list[float]) -> None:
    assert ticks(low, high, most, unit) == pytest.approx(found)


@given(st.floats(-1e6, 1e6), st.floats(0.001, 1e12), st.integers(1, 20), st.sampled_from(["count", "s", "percent"]))
def test_ticks_are_few_and_within_their_axis(low: float, span: float, most: int, unit: Unit) -> None:
    found = ticks(low, low + span, most, unit)
    assert len(found) <= most + 1
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in found), found


@pytest.mark.parametrize(
    ("value", "unit", "span", "text"),
    [
        (1500, "bytes", 1, "1.5 KB"),
        (83_405.7, "bytes/s", 1, "83.4 KB/s"),
        (20_000, "count", 1, "20 k"),
        (20_000, "count/s", 1, "20 k/s"),
        (0, "bytes", 1, "0 B"),
        (12.5, "percent", 1, "12.5 %"),
        (2500, "ms", 1, "2,500 ms"),
        (2.5, "s", 2, "2.5 s"),
        (750, "s", 1000, "12:30"),
        (3900, "s", 10_000, "1:05:00"),
    ],
)
def test_a_number_of_an_axis_is_short(value: float, unit: Unit, span: float, text: str) -> None:
    assert tick_text(value, unit, span) == text


def test_an_axis_of_numbers_begins_at_nothing_and_ends_a_little_above_the_highest() -> None:
    assert round_range(5_311, 66_300) == (0, 70_000)
    assert round_range(-20, 100) == (-20, 100)
    assert round_range(0, 0) == (0, 1)


def test_a_line_goes_straight_from_point_to_point() -> None:
    line = Polyline((0.0, 10.0, 20.0), (0.0, 100.0, 0.0))

    assert line.at(5) == 50
    assert line.at(20.1) is None
    assert line.reach(4, 6) == (40, 60)
    assert line.reach(5, 15) == (50, 100)


def test_a_point_without_a_number_is_passed_by() -> None:
    assert Polyline.of((0.0, 1.0, 2.0), (NAN, 5.0, 6.0)) == Polyline([1.0, 2.0], [5.0, 6.0])


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.integers(2, 60))
def test_no_peak_of_a_line_is_lost(values: list[float], count: int) -> None:
    places = [float(place) for place in range(len(values))]
    reaches = [each for each in Polyline(places, values).columns(0, places[-1], count) if each is not None]

    assert max(reach.high for reach in reaches) == max(values)
    assert min(reach.low for reach in reaches) == min(values)


def drawn(grid: Grid) -> list[str]:
    return ["".join(" " if mark is None else mark.sign for mark in grid.cells(y)) for y in range(grid.height)]


def test_a_rising_line_is_a_staircase_of_dots() -> None:
    grid = Grid(2, 1, has_dots=True)
    grid.draw([Reach(value, value) for value in (0, 1, 2, 3)], 0, 3, 0)
    assert drawn(grid) == ["⡠⠊"]


def test_without_dots_each_line_has_its_sign_and_the_last_one_lies_on_top() -> None:
    grid = Grid(3, 2, has_dots=False, signs="*o")
    grid.draw([Reach(0, 0), Reach(0, 1), Reach(1, 1)], 0, 1, 0)
    grid.draw([Reach(0, 0)] * 3, 0, 1, 1)
    assert drawn(grid) == [" **", "ooo"]


WHOLE = Window.whole(0, 100)


@pytest.mark.parametrize(
    ("window", "start", "stop"),
    [
        (WHOLE, 0, 100),
        (WHOLE.zoomed(20, 0.5), 10, 60),
        (WHOLE.zoomed(20, 0.5).zoomed(20, 2), 0, 100),
        (WHOLE.zoomed(0, 0.5).moved(20), 20, 70),
        (WHOLE.zoomed(0, 0.5).moved(1000), 50, 100),
        (WHOLE.zoomed(0, 0.5).showing(60), 15, 65),
        (WHOLE.grown(0, 200), 0, 200),
        (WHOLE.zoomed(0, 0.5).grown(0, 200), 0, 50),
        (Window.whole(3, 3), 2.5, 3.5),
    ],
)
def test_a_window_shows_a_part_of_its_axis(window: Window, start: float, stop: float) -> None:
    assert (window.start, window.stop) == pytest.approx((start, stop))


def test_a_window_is_never_empty() -> None:
    window = WHOLE
    for _ in range(100):
        window = window.zoomed(50, 0.5)
    assert window.span == pytest.approx(100 * 1e-6)


# -- the view ---------------------------------------------------------------------------------------------------------


def test_summaries_are_rows_and_columns(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.hprof"
    path.write_bytes(HEADER + summary(1_500_000, 10, 1, 20, 2) + summary(3_500_000, 30, 3, 60, 6))

    answer = coffeetree("export", "--to", "csv", "--view", "Heap summaries", path, "-")

    assert answer.out.splitlines() == [
        "depth,kind,label,time_s,live_bytes,allocated_bytes,live_objects,allocated_objects,ref,flags",
        "0,summary,1.500 s,1.5,10,20,1,2,node:0,",
        "0,summary,3.500 s,3.5,30,60,3,6,node:1,",
    ]


def test_rates_are_what_changed_since_the_point_before(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.hprof"
    path.write_bytes(HEADER + summary(1_000_000, 10, 1, 20, 2) + summary(3_000_000, 6, 1, 60, 6))

    answer = coffeetree("tree", "--view", "heap summaries", "--switch", "numbers=per second", "--json", path)

    assert [row["badges"] for row in answer.rows] == [
        {"time_s": 1.0},
        {
            "time_s": 3.0,
            "live_bytes_rate": -2.0,
            "allocated_bytes_rate": 20.0,
            "live_objects_rate": 0.0,
            "allocated_objects_rate": 2.0,
        },
    ]


def test_times_go_on_where_they_begin_again_at_nothing(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.hprof"
    times = (4_200, 4_296, 4_295, 8_000)
    path.write_bytes(HEADER + b"".join(summary(time * 1_000_000, 1, 1, 1, 1) for time in times))

    answer = coffeetree("tree", "--view", "Heap summaries", "--json", path)

    assert [row["badges"]["time_s"] for row in answer.rows] == pytest.approx([4200, 4296, 4296, 8000])
    assert [row["label"] for row in answer.rows] == ["1:10:00", "1:11:36", "1:11:36", "2:13:20"]


def test_a_jvm_that_was_asked_every_second(coffeetree: Run) -> None:
    answer = coffeetree("tree", "--view", "Heap summaries", "--json", CORPUS / "binary" / "agent-orders.hprof.xz")

    rows = [row["badges"] for row in answer.rows]
    assert len(rows) == 76
    assert rows[0] | {"time_s": 0} == {
        "time_s": 0,
        "live_bytes": 201_824,
        "live_objects": 371,
        "allocated_bytes": 201_824,
        "allocated_objects": 371,
    }
    assert max(row["live_bytes"] for row in rows) == 15_019_384
    assert rows[-1]["allocated_bytes"] == 60_681_304


def test_a_file_without_summaries_has_no_such_view(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.hprof"
    path.write_bytes(lzma.decompress((CORPUS / "binary" / "agent-samples.hprof.xz").read_bytes()))

    answer = coffeetree("info", "--json", path)

    assert "Heap summaries" not in [view["name"] for view in answer.json["views"]]


# -- the screen -------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def charted(tmp_path: Path, count: int = 101, size: tuple[int, int] = (70, 20)) -> AsyncIterator[Stage]:
    """A browser that shows the chart of a file."""
    path = tmp_path / "a.hprof"
    path.write_bytes(summaries(count))
    async with browsing(path, size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        stage.browser.begin()
        stage.browser.interaction.viewing.show_view("Heap summaries")
        await stage.quiet()
        yield stage


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """A browser that shows a chart."""
    async with charted(tmp_path) as stage:
        yield stage


async def test_lines_of_one_unit_share_a_field(stage: Stage) -> None:
    assert stage.lines()[3].split() == ["█", "Live", "bytes", "0", "█", "Allocated", "bytes", "0"]
    assert stage.lines()[10].split() == ["█", "Live", "objects", "0", "█", "Allocated", "objects", "0"]
    assert stage.lines()[4].startswith("200 KB │┆")
    assert stage.lines()[-3].split() == ["0.000", "s", "60", "s"]


async def test_the_cursor_goes_from_point_to_point_and_shows_the_numbers(stage: Stage) -> None:
    await stage.press("l l l")
    assert stage.row.label == "3.000 s"
    assert "Live bytes 3,000" in stage.lines()[3]
    await stage.press("h G")
    assert stage.row.label == "1:40.0"
    await stage.press("g J J K")
    assert stage.row.label == "1.000 s"


async def test_plus_shows_half_as_much_and_minus_twice_as_much(stage: Stage) -> None:
    whole = stage.screen()
    await stage.press("+ +")
    assert stage.lines()[-3].split() == ["0.000", "s", "10", "s", "20", "s"]
    await stage.press("PgDn")
    assert stage.row.label == "25.000 s"
    await stage.press("g - <")
    assert stage.screen() == whole


async def test_a_line_is_hidden_and_the_axis_fits_the_others(stage: Stage) -> None:
    await stage.press("j Space")
    assert "(Allocated bytes)" in stage.lines()[3]
    assert stage.lines()[4].startswith("50 KB │")
    await stage.press("c")
    assert "(Live bytes)" in stage.screen() and "(Allocated objects)" in stage.screen()
    await stage.press("e")
    assert "(" not in stage.screen(2, 10)


async def test_in_a_low_window_there_is_the_field_of_the_chosen_line(tmp_path: Path) -> None:
    async with charted(tmp_path, size=(40, 10)) as stage:
        assert stage.lines()[3].split() == ["█", "Live", "bytes", "0", "█", "Allocated", "bytes", "0"]
        assert "objects" not in stage.screen(2, 8)
        await stage.press("k")
        assert "Allocated objects" in stage.lines()[3]


async def test_without_colours_lines_of_a_field_have_signs(stage: Stage) -> None:
    stage.app.set_palette("mono")
    stage.browser.tree_view.redraw()
    await stage.quiet()
    assert "● Live bytes 0" in stage.lines()[3] and "○ Allocated bytes 0" in stage.lines()[3]
    assert "○" in stage.screen(3, 9) and "⠤" not in stage.screen(3, 9)
    await stage.press("c")
    assert "█ Live bytes 0" in stage.lines()[3]


async def test_ascii_is_drawn_with_ascii_alone(stage: Stage) -> None:
    stage.app.set_ascii(True)
    await stage.quiet()
    assert stage.screen(2, 17).isascii()


async def test_a_chart_can_be_a_table(tmp_path: Path) -> None:
    async with charted(tmp_path, 5) as stage:
        await stage.press("f g")
        assert [line.partition("∙")[2].split() for line in stage.lines()[3:5]] == [
            ["0.000", "s", "0"],
            ["1.000", "s", "1,000"],
        ]
        await stage.press("s")
        assert stage.row.label == "2.000 s"


@pytest.mark.parametrize("size", [(20, 5), (21, 6), (30, 7), (300, 100)])
async def test_a_chart_is_drawn_in_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async with charted(tmp_path, size=size) as stage:
        await stage.press("j l + , . ze ze PgUp PgDn ^d ^u ^e ^y Enter Space - E C 50%")
        assert stage.browser.tree_view.picture is not None
        assert all(len(line) <= size[0] for line in stage.lines())


async def test_one_point_is_in_the_middle(tmp_path: Path) -> None:
    async with charted(tmp_path, 1) as stage:
        await stage.press("l h + - PgDn")
        assert stage.row.node == 0


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=60),
    st.lists(st.integers(0, 3), min_size=60, max_size=60),
    st.integers(2, 40),
    st.floats(-10, 100),
    st.floats(0.01, 100),
)
def test_many_points_are_looked_through_with_the_same_result(
    values: list[int], gaps: list[int], count: int, start: float, span: float
) -> None:
    places, place = [], 0.0
    for gap in gaps[: len(values)]:
        place += gap
        places.append(place)
    line = Polyline(places, [float(value) for value in values])
    width = span / (count - 1)
    edges = [max(start, min(start + span, start + (column - 0.5) * width)) for column in range(count + 1)]

    few, many = line.columns(start, start + span, count), line._many(edges)

    assert [reach is None for reach in few] == [reach is None for reach in many]
    for one, other in zip(few, many, strict=True):
        if one is not None and other is not None:
            assert one == pytest.approx(other)
