"""The strip at the right edge: the part of the document on the screen, and where matches and marks are in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tui.screen.palettes import PALETTES
from tui.tree.scroll_strip import ScrollStrip


def strip(marks: dict[str, object], shown: tuple[float, float], rows: int = 1000, height: int = 10) -> str:
    made = ScrollStrip()
    made.set_marks(marks)  # type: ignore[arg-type]
    cells = [made.cell(y, shown, height, rows, PALETTES["dark"], False) for y in range(height)]
    return "".join(cell.text for cell in cells)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ((0.0, 1.0), "          "),
        ((0.0, 0.1), "┃│││││││││"),
        ((0.0, 0.001), "┃│││││││││"),
        ((0.5, 0.7), "│││││┃┃│││"),
        ((0.99, 1.0), "│││││││││┃"),
    ],
)
def test_the_strip_shows_which_part_of_the_document_is_on_the_screen(shown, expected):
    assert strip({}, shown) == expected


def test_marks_and_matches_are_at_their_position_in_the_document():
    nodes: Sequence[int] = [0, 450, 999]
    assert strip({"match": nodes}, (0.0, 1.0)) == "•│││•││││•"
    assert strip({"match": nodes, "mark": [455]}, (0.0, 1.0)) == "•│││◆││││•"
    assert strip({"match": lambda pieces: [2, pieces - 1]}, (0.0, 1.0)) == "││•││││││•"


def test_a_mark_wins_over_the_part_that_is_shown():
    assert strip({"problem": [510]}, (0.5, 0.7)) == "│││││!┃│││"


def test_an_empty_document_has_an_empty_strip():
    assert strip({"match": [1]}, (0.0, 1.0), rows=0) == "          "
