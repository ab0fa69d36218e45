"""Bars and charts: lengths that can be read off, in exactly the cells there are."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.row import Chart, Column, Row, Section, SectionRow
from tui.pictures.chart.bar import at_width, bar, chart_lines
from tui.screen.detail import lines_of
from tui.tree.piece import Piece
from tui.tree.row_text import column_pieces


def text(lines: Sequence[Sequence[Piece]]) -> str:
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def test_a_bar_is_as_long_as_its_share_in_eighths_of_cells() -> None:
    assert bar(0.5, 4) == "██  "
    assert bar(0.53, 4) == "██▏ "
    assert bar(1.0, 4) == "████"
    assert bar(0.001, 4) == "▏   "
    assert bar(0.0, 4) == "    "
    assert bar(0.5, 4, is_ascii=True) == "==  "


@given(st.floats(allow_nan=False), st.integers(1, 40), st.booleans())
def test_a_bar_takes_its_cells_whatever_the_share(share: float, cells: int, is_ascii: bool) -> None:
    assert len(bar(share, cells, is_ascii)) == cells


def test_a_chart_shows_the_highest_value_and_the_ends_of_its_axis() -> None:
    lines = chart_lines(Chart((0, 1, 2, 4, 8, 4, 0), "count", "0 s", "7 s"), 12, height=4)
    assert text(lines) == (" 8       █\n         █\n       ████\n 0   ▄█████\n   0 s   7 s")


@given(st.lists(st.floats(0, 1e9), max_size=60), st.integers(1, 80), st.booleans())
def test_a_chart_is_never_wider_than_its_area(values: list[float], width: int, is_ascii: bool) -> None:
    for line in chart_lines(Chart(tuple(values), "ms", "first", "last"), width, is_ascii):
        assert sum(len(piece.text) for piece in line) <= width


@given(st.lists(st.integers(0, 100), min_size=1, max_size=200), st.integers(1, 100))
def test_no_peak_is_lost_when_values_share_a_cell(values: list[int], width: int) -> None:
    assert max(at_width(tuple(map(float, values)), width)) == max(values)


def test_a_column_with_a_bar_keeps_its_width() -> None:
    column = Column("share", "Share", "percent", width=14, bar=6)
    pieces = column_pieces(Row(0, "reason", "too big", badges={"share": 41.5}, bars={"share": 0.5}), [column])
    assert "".join(piece.text for piece in pieces) == "  41.5 % ███   "


def test_the_pane_draws_the_chart_of_a_section_above_its_rows() -> None:
    section = Section("Queue", (SectionRow("longest", "12"),), chart=Chart((1, 2, 3), "count", "0 s", "3 s"))
    lines = ["".join(piece.text for piece in line.pieces) for line in lines_of((), [section], 30, {})]
    assert lines[0] == "Queue"
    assert lines[1].startswith(" 3 ")
    assert lines[-1].split() == ["longest", "12"]
