"""Fewer codes, the same picture."""

from __future__ import annotations

import re
from typing import get_args

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style

from tui.screen.palettes import PALETTES
from tui.screen.theme import INKS, Ground
from tui.terminal.sgr import Pen, erases_in_colour, palette_number

STYLES = [palette.style(role, ground) for palette in PALETTES.values() for role in INKS for ground in get_args(Ground)]
SEGMENTS = st.lists(
    st.builds(
        lambda text, style: Segment(text, style),
        st.text("abc   →│", max_size=4) | st.just(" " * 14),
        st.sampled_from([*STYLES, None, Style(bold=True), Style(dim=True), Style(bold=True, dim=True, italic=True)]),
    ),
    max_size=12,
)


def cells(text: str) -> list[tuple[object, ...]]:
    """Returns the first line of an emulated terminal; of blanks only visible attributes."""
    screen = pyte.Screen(200, 1)
    pyte.Stream(screen).feed(text)
    line = [screen.buffer[0][column] for column in range(200)]
    return [
        (cell.data, cell.bg, cell.reverse, cell.underscore, cell.strikethrough)
        + ((cell.fg, cell.bold, cell.italics) if cell.data != " " or cell.reverse or cell.underscore else ())
        for cell in line
    ]


def by_rich(segments: list[Segment]) -> str:
    system = Console(color_system="256", force_terminal=True)._color_system
    return "".join(
        segment.style.render(segment.text, color_system=system) if segment.style else segment.text
        for segment in segments
    )


@given(SEGMENTS)
def test_a_terminal_shows_the_same_as_with_whole_styles(segments: list[Segment]) -> None:
    exact = [
        segment
        for segment in segments
        if segment.style is None or segment.style.color is None or segment.style.color.triplet is None
    ]
    assert cells(Pen(256).write(exact)) == cells(by_rich(exact))


@given(st.lists(SEGMENTS, max_size=4))
def test_earlier_settings_of_a_terminal_make_no_difference(lines: list[list[Segment]]) -> None:
    pen, sent = Pen(256), ""
    for segments in lines:
        sent += "\r" + pen.write([*segments, Segment(" " * (199 - sum(len(segment.text) for segment in segments)))])
        assert cells(sent) == cells(Pen(256).write(segments))


@given(SEGMENTS)
def test_without_colours_no_colour_is_sent(segments: list[Segment]) -> None:
    pen = Pen(0)
    text = pen.write(segments)
    codes = [code for codes in re.findall(r"\x1b\[([0-9;]*)m", text) for code in codes.split(";")]
    assert not [code for code in codes if code and int(code) >= 30]


def test_only_what_changes_is_sent() -> None:
    red, bold_red = Style.parse("red on black"), Style.parse("bold red on black")
    pen = Pen(256)
    text = pen.write([Segment("a", red), Segment("b", bold_red), Segment("c", red), Segment("d", Style.parse("red"))])
    assert text == "\x1b[0;31;40ma\x1b[1mb\x1b[22mc\x1b[49md"


def test_blanks_need_no_colour_of_their_own() -> None:
    pen = Pen(256)
    text = pen.write(
        [Segment("a", Style.parse("red")), Segment("  ", Style.parse("blue")), Segment("b", Style.parse("red"))]
    )
    assert text == "\x1b[0;31ma  b"


def test_blanks_end_an_underline() -> None:
    pen = Pen(256)
    assert pen.write([Segment("a", Style.parse("u")), Segment(" ", Style())]) == "\x1b[0;4ma\x1b[m "


def test_colours_of_the_palette_are_sent_by_number_and_others_as_they_are() -> None:
    pen = Pen(1 << 24)
    assert pen.write([Segment("a", Style.parse("#5fafd7 on #1c1c1c"))]) == "\x1b[0;38;5;74;48;5;234ma"
    assert pen.write([Segment("b", Style.parse("#010203 on #1c1c1c"))]) == "\x1b[38;2;1;2;3mb"


def test_sixteen_colours() -> None:
    pen = Pen(16)
    assert pen.write([Segment("a", Style.parse("bright_cyan on blue"))]) == "\x1b[0;96;44ma"
    assert pen.write([Segment("b", Style.parse("#ff0000 on blue"))]) == "\x1b[31mb"


def test_numbers_of_the_palette() -> None:
    assert [palette_number(0, 0, 0), palette_number(255, 255, 255), palette_number(95, 0, 0)] == [16, 231, 52]
    assert [palette_number(8, 8, 8), palette_number(238, 238, 238), palette_number(9, 9, 9)] == [232, 255, None]


def test_erasing_sets_the_background_only() -> None:
    pen = Pen(256, erases_in_colour=True)
    assert pen.write([Segment("a", Style.parse("blue on red"))]) == "\x1b[0;34;41ma"
    assert pen.erase(30, pen.blank(pen.look(Style.parse("green on red")))) == "\x1b[30X"
    assert pen.erase(0, pen.blank(pen.look(Style.parse("green on yellow")))) == "\x1b[43m\x1b[K"


def test_blanks_that_can_be_erased() -> None:
    sparing, plain = Pen(256, erases_in_colour=True), Pen(256, erases_in_colour=False)
    red, own = Style.parse("on red"), Style()
    assert sparing.can_erase(sparing.look(red)) and sparing.can_erase(sparing.look(own))
    assert not plain.can_erase(plain.look(red)) and plain.can_erase(plain.look(own))
    assert not sparing.can_erase(sparing.look(Style.parse("reverse")))
    assert not sparing.can_erase(sparing.look(Style.parse("underline")))


def test_which_terminals_erase_in_colour() -> None:
    assert erases_in_colour({"TERM": "xterm-256color"})
    assert not erases_in_colour({"TERM": "screen-256color"})
    assert erases_in_colour({"TERM": "screen-256color", "TMUX": "/tmp/tmux-1000/default,1,0"})
