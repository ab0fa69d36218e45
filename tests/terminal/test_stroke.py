"""The shortest cursor movement to a position, and the order of strokes with fewest bytes."""

from __future__ import annotations

import pytest
from rich.style import Style

from tui.terminal.sgr import Pen
from tui.terminal.stroke import Stroke, cursor_movement, encode_strokes


@pytest.mark.parametrize(
    ("place", "y", "x", "sequence"),
    [
        (None, 0, 0, "\x1b[H"),
        (None, 4, 0, "\x1b[5H"),
        (None, 4, 2, "\x1b[5;3H"),
        ((4, 2), 4, 2, ""),
        ((4, 2), 4, 3, "\x1b[C"),
        ((4, 2), 4, 14, "\x1b[12C"),
        ((4, 14), 4, 12, "\b\b"),
        ((4, 14), 4, 4, "\x1b[10D"),
        ((4, 14), 4, 0, "\r"),
        ((4, 14), 5, 14, "\x1bD"),
        ((4, 14), 9, 12, "\x1b[5B\b\b"),
        ((4, 14), 9, 40, "\x1b[10;41H"),
        ((9, 14), 14, 13, "\x1b[5B\b"),
        ((9, 14), 8, 14, "\x1b[9;15H"),
        ((9, 114), 10, 0, "\x1bD\r"),
    ],
)
def test_the_movement_to_a_position(place: tuple[int, int] | None, y: int, x: int, sequence: str) -> None:
    assert cursor_movement(place, y, x) == sequence


def test_after_the_last_cell_of_a_line_the_cursor_position_is_unknown() -> None:
    pen = Pen(256)
    look = pen.look(Style())
    strokes = [Stroke(0, 8, look, "ab"), Stroke(1, 9, look, "c")]
    assert encode_strokes(strokes, pen, 10) == "\x1b[1;9H\x1b[mab\x1b[2;10Hc"
    assert encode_strokes(strokes, pen, 11) == "\x1b[1;9Hab\x1bD\bc"


def test_many_labels_and_values_are_sent_look_by_look() -> None:
    pen = Pen(256)
    label, value = pen.look(Style.parse("color(246)")), pen.look(Style.parse("color(252)"))
    strokes = [stroke for y in (10, 11, 12) for stroke in (Stroke(y, 50, label, "id"), Stroke(y, 60, value, "1"))]
    assert encode_strokes(strokes, pen, 80) == (
        "\x1b[11;51H\x1b[0;38;5;246mid\x1bD\b\bid\x1bD\b\bid\x1b[11;61H\x1b[38;5;252m1\x1bD\b1\x1bD\b1"
    )


def test_erasing_removes_nothing_that_was_just_written() -> None:
    pen = Pen(256, erases_in_colour=True)
    looks = [pen.look(Style.parse(f"color({number}) on black")) for number in (30, 40)]
    found = pen.look(Style.parse("black on color(20)"))
    blank = pen.blank(looks[0])
    strokes = []
    for y in range(4):
        strokes += [
            Stroke(y, 0, looks[y % 2], "a"),
            Stroke(y, 1, blank, "", 30, True),
            Stroke(y, 5, found, "match"),
            Stroke(y, 20, looks[1 - y % 2], "b"),
        ]
    sent = encode_strokes(strokes, pen, 60)
    assert sent.rindex("\x1b[K") < sent.index("match")
