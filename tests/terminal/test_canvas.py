"""Cells that the screen already shows are not sent again, and the result is the same."""

from __future__ import annotations

import itertools

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.terminal.canvas import Canvas, PlacedStrip
from tui.terminal.sgr import Pen

WIDTH, HEIGHT = 24, 4
PLAIN, RED, BOLD = Style(), Style.parse("red on black"), Style.parse("bold")

WORDS = st.lists(
    st.tuples(
        st.sampled_from(["ab", "a", "    ", "→x", "日", "wide日本", "0123456789"]), st.sampled_from([PLAIN, RED, BOLD])
    ),
    max_size=6,
)
CUTS = st.sampled_from([(0, 24), (0, 10, 24), (0, 10, 20, 24), (0, 12, 24)])


def strip(words: list[tuple[str, Style]], width: int) -> Strip:
    return Strip([Segment(text, style) for text, style in words]).adjust_cell_length(width, PLAIN)


@st.composite
def frames(draw: st.DrawFn) -> list[list[PlacedStrip]]:
    made = []
    for _ in range(draw(st.integers(1, 6))):
        cuts = draw(CUTS)
        pieces = [
            PlacedStrip(y, start, strip(draw(WORDS), end - start))
            for y in draw(st.lists(st.integers(0, HEIGHT - 1), unique=True, min_size=1))
            for start, end in itertools.pairwise(cuts)
            if draw(st.booleans())
        ]
        made.append(pieces)
    return made


def cells(screen: pyte.Screen) -> list[tuple[object, ...]]:
    shown = [screen.buffer[y][x] for y in range(HEIGHT) for x in range(WIDTH)]
    return [(cell.data, cell.bg) + ((cell.fg, cell.bold) if cell.data.strip() else ()) for cell in shown]


def put_plainly(screen: pyte.Screen, pieces: list[PlacedStrip]) -> None:
    """Writes each piece completely, at its position, in its own style."""
    for y, x, line in pieces:
        pyte.Stream(screen).feed(f"\x1b[{y + 1};{x + 1}H{Pen(256).write(line)}\x1b[m")


@given(frames(), st.booleans(), st.sampled_from([0, WIDTH]))
def test_the_screen_is_cell_for_cell_the_same(made: list[list[PlacedStrip]], erases: bool, width: int) -> None:
    sparing, plain = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    canvas = Canvas(Pen(256, erases))
    for pieces in made:
        pyte.Stream(sparing).feed(canvas.paint(pieces, width))
        put_plainly(plain, pieces)
        assert cells(sparing) == cells(plain)


def test_a_piece_that_is_shown_is_not_sent_again() -> None:
    canvas = Canvas(Pen(256))
    piece = PlacedStrip(0, 0, strip([("abc", RED)], 20))
    assert canvas.paint([piece])
    assert canvas.paint([piece]) == ""


def test_after_forgetting_everything_is_sent() -> None:
    canvas = Canvas(Pen(256))
    piece = PlacedStrip(0, 0, strip([("abc", RED)], 20))
    first = canvas.paint([piece])
    canvas.forget()
    assert canvas.paint([piece]) == first


def test_overpainted_cells_are_sent_again() -> None:
    canvas = Canvas(Pen(256))
    under, over = PlacedStrip(0, 0, strip([("abc", RED)], 20)), PlacedStrip(0, 2, strip([("popup", BOLD)], 6))
    canvas.paint([under])
    canvas.paint([over])
    assert canvas.paint([under], WIDTH) == "\x1b[1;3H\x1b[0;31;40mc\x1b[49m\x1b[17X"


def test_a_wide_piece_that_is_shown_is_not_sent_again() -> None:
    canvas = Canvas(Pen(256))
    wide = PlacedStrip(0, 0, strip([("日本語", RED)], 20))
    assert canvas.paint([wide])
    assert canvas.paint([wide]) == ""
    canvas.paint([PlacedStrip(0, 1, strip([("x", BOLD)], 2))])
    assert "日" in canvas.paint([wide])


def test_only_the_cells_that_differ_are_sent() -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(2, 5, strip([("row 1,234 of ", PLAIN), ("7", BOLD), (" open", RED)], 24))])
    canvas.paint([PlacedStrip(3, 5, strip([("x", RED)], 24))])
    text = canvas.paint([PlacedStrip(2, 5, strip([("row 1,234 of ", PLAIN), ("8", BOLD), (" open", RED)], 24))])
    assert text == "\x1b[3;19H\x1b[0;1m8"


def test_of_a_line_of_dots_too_only_the_cells_that_differ_are_sent() -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(0, 0, strip([("⣀⣀⡤⠴⠒⠋⠉", PLAIN), ("┆", BOLD), ("⣀⣀⡤⠴⠒⠋⠉", RED)], 24))])
    text = canvas.paint([PlacedStrip(0, 0, strip([("⣀⣀⡤⠴⠒⠋⠉", PLAIN), ("⡇", BOLD), ("⣀⣀⡤⠴⠒⠋⠉", RED)], 24))])
    assert text.startswith("\x1b[1;8H") and [sign for sign in text if sign > "~"] == ["⡇"]


def test_a_piece_with_an_uncertain_width_is_sent_completely() -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(0, 0, strip([("12345678日", PLAIN), ("7", BOLD)], 24))])
    assert "日" in canvas.paint([PlacedStrip(0, 0, strip([("12345678日", PLAIN), ("8", BOLD)], 24))])


def test_short_stretches_between_differences_are_sent_too() -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(0, 0, strip([("a1234b12345678c", PLAIN)], 24))])
    text = canvas.paint([PlacedStrip(0, 0, strip([("x1234y12345678z", PLAIN)], 24))], WIDTH)
    assert text == "\x1b[Hx1234y\x1b[8Cz"


def test_a_blank_with_an_invisible_colour_is_not_sent() -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(0, 0, strip([("a", PLAIN), ("     ", BOLD)], 24))])
    assert canvas.paint([PlacedStrip(0, 0, strip([("a", PLAIN), ("     ", PLAIN)], 24))]) == ""


def test_control_characters_get_no_further_than_the_canvas() -> None:
    canvas = Canvas(Pen(256))
    for text in ("a\x1b]0;x\x07", "\x9b31m", "\u202e\x00", "a\x1b[2J"):
        painted = canvas.paint([PlacedStrip(0, 0, Strip([Segment(text, PLAIN)], 24))])
        assert painted.removeprefix("\x1b[H").removeprefix("\x1b[m").isprintable()


@pytest.mark.parametrize("said", [3, 12])
def test_a_line_with_a_wrong_length_is_cut_or_filled(said: int) -> None:
    canvas = Canvas(Pen(256))
    canvas.paint([PlacedStrip(0, 0, Strip([Segment("a" * said)], said))])
    assert "b" in canvas.paint([PlacedStrip(0, 0, Strip([Segment("b" * 7)], said))])


def test_a_line_that_gets_shorter_is_erased_to_its_end() -> None:
    canvas = Canvas(Pen(256, erases_in_colour=True))
    canvas.paint([PlacedStrip(1, 0, strip([("a long text here", RED)], 24))], WIDTH)
    assert canvas.paint([PlacedStrip(1, 0, strip([("a", RED)], 24))], WIDTH) == "\x1b[2;2H\x1b[K"


def test_cells_right_of_a_piece_are_not_erased_with_it() -> None:
    canvas = Canvas(Pen(256, erases_in_colour=True))
    canvas.paint([PlacedStrip(1, 0, strip([("a long text", PLAIN), ("    ", PLAIN), ("end", PLAIN)], 24))], WIDTH)
    assert canvas.paint([PlacedStrip(1, 0, strip([("b", PLAIN)], 12))], WIDTH) == "\x1b[2Hb\x1b[11X"


def test_long_blanks_between_words_are_erased_once_and_moved_over() -> None:
    canvas = Canvas(Pen(256, erases_in_colour=True))
    canvas.paint([PlacedStrip(0, 0, strip([("x" * 24, PLAIN)], 24))], WIDTH)
    wanted = [("a", PLAIN), (" " * 8, PLAIN), ("b", PLAIN), (" " * 8, PLAIN), ("c", PLAIN)]
    assert canvas.paint([PlacedStrip(0, 0, strip(wanted, 24))], WIDTH) == "\x1b[Ha\x1b[K\x1b[8Cb\x1b[8Cc"


def test_a_word_that_continues_into_erased_cells_is_written_afterwards() -> None:
    canvas, screen = Canvas(Pen(256)), pyte.Screen(WIDTH, HEIGHT)
    words = [("ab", BOLD), ("    ", PLAIN), ("ab", BOLD), ("  ", PLAIN)]
    pyte.Stream(screen).feed(canvas.paint([PlacedStrip(0, 0, strip(words, 10))], WIDTH))
    assert screen.display[0].rstrip() == "ab    ab"


def test_words_of_one_look_are_sent_together() -> None:
    canvas = Canvas(Pen(256))
    labels = [("name", RED), ("  ", PLAIN), ("value", BOLD)]
    painted = canvas.paint([PlacedStrip(y, 2, strip(labels, 11)) for y in range(3)])
    assert painted.count("\x1b[0;1") + painted.count("\x1b[1") - painted.count("\x1b[1;") <= 2
    assert painted.count("31;40") == 1
