"""Each role must be readable on each ground of each palette."""

from __future__ import annotations

from typing import get_args

import pytest
from rich.color import Color, ColorType

from tui.screen.palettes import PALETTES, choose, colours_of
from tui.screen.theme import INKS, Ground, Palette
from tui.terminal.textual_theme import textual_theme

XTERM = {
    "default": None,
    "black": (0, 0, 0),
    "red": (205, 0, 0),
    "yellow": (205, 205, 0),
    "green": (0, 205, 0),
    "blue": (0, 0, 238),
    "magenta": (205, 0, 205),
    "cyan": (0, 205, 205),
    "white": (229, 229, 229),
    "bright_red": (255, 0, 0),
    "bright_green": (0, 255, 0),
    "bright_yellow": (255, 255, 0),
    "bright_magenta": (255, 0, 255),
    "bright_cyan": (0, 255, 255),
    "bright_white": (255, 255, 255),
}
"""The 16 colours as xterm draws them."""

GROUNDS = get_args(Ground)
EVERYWHERE = [(name, ground) for name in PALETTES for ground in GROUNDS]


def red_green_blue(colour: Color | None, default: tuple[int, int, int]) -> tuple[int, int, int]:
    if colour is None or colour.is_default:
        return default
    if colour.triplet is not None:
        return tuple(colour.triplet)
    return XTERM[colour.name] or default


def luminance(colour: tuple[int, int, int]) -> float:
    linear = [part / 255 / 12.92 if part / 255 <= 0.03928 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(palette: Palette, role: str, ground: str) -> float:
    """WCAG's contrast of text and background, on a black or white terminal."""
    style = palette.style(role, ground)
    white, black = (255, 255, 255), (0, 0, 0)
    front = luminance(red_green_blue(style.color, white if palette.is_dark else black))
    back = luminance(red_green_blue(style.bgcolor, black if palette.is_dark else white))
    return (max(front, back) + 0.05) / (min(front, back) + 0.05)


@pytest.mark.parametrize(("name", "ground"), EVERYWHERE)
def test_words_are_readable(name: str, ground: str) -> None:
    words = [role for role in INKS if INKS[role] not in ("faint", "bar")]
    poor = {role: round(contrast(PALETTES[name], role, ground), 1) for role in words}
    assert {role: value for role, value in poor.items() if value < 4.5} == {}


@pytest.mark.parametrize(("name", "ground"), EVERYWHERE)
def test_lines_and_bars_can_be_seen(name: str, ground: str) -> None:
    signs = [role for role in INKS if INKS[role] in ("faint", "bar")]
    poor = {role: round(contrast(PALETTES[name], role, ground), 1) for role in signs}
    assert {role: value for role, value in poor.items() if value < 1.8} == {}


@pytest.mark.parametrize("name", ["dark", "light"])
def test_only_colours_that_a_terminal_of_256_has(name: str) -> None:
    cube = {0, 95, 135, 175, 215, 255}
    for role in INKS:
        for ground in GROUNDS:
            style = PALETTES[name].style(role, ground)
            for red, green, blue in (style.color.triplet, style.bgcolor.triplet):
                is_grey = red == green == blue and (red - 8) % 10 == 0 and red <= 238
                assert is_grey or {red, green, blue} <= cube, (role, ground)


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_the_ansi_palettes_use_the_16_colours_only(name: str) -> None:
    for role in INKS:
        for ground in GROUNDS:
            style = PALETTES[name].style(role, ground)
            assert {style.color.type, style.bgcolor.type} <= {ColorType.DEFAULT, ColorType.STANDARD}


def test_mono_has_no_colour_and_still_marks_important_parts() -> None:
    mono = PALETTES["mono"]
    styles = [mono.style(role, ground) for role in INKS for ground in GROUNDS]
    assert all(style.color is None and style.bgcolor is None for style in styles)
    assert len({mono.style("text", ground) for ground in ("page", "cursor", "idle cursor")}) == 3
    for ground in GROUNDS:
        assert len({mono.style(role, ground) for role in ("text", "match", "current-match")}) == 3


@pytest.mark.parametrize("name", PALETTES)
def test_a_match_is_visible_on_every_background(name: str) -> None:
    palette = PALETTES[name]
    for ground in GROUNDS:
        looks = {palette.style(role, ground) for role in ("text", "name", "package", "match", "current-match")}
        assert len(looks) >= 4


def test_an_unknown_role_looks_like_text() -> None:
    assert PALETTES["light"].style("hovercraft", "cursor") == PALETTES["light"].style("text", "cursor")


def test_roles_of_the_frame_have_the_panel_background() -> None:
    dark = PALETTES["dark"]
    assert dark.style("status") == dark.style("status", "panel") != dark.style("status", "page")


def test_the_same_question_gives_the_same_style() -> None:
    assert PALETTES["dark"].style("name", "cursor") is PALETTES["dark"].style("name", "cursor")


@pytest.mark.parametrize(
    ("environ", "wanted", "palette"),
    [
        ({"TERM": "xterm-256color"}, "auto", "dark"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "auto", "dark"),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, "auto", "light"),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;default;7"}, "auto", "light"),
        ({"TERM": "xterm-256color", "COLORFGBG": "15;0"}, "auto", "dark"),
        ({"TERM": "xterm"}, "auto", "ansi-dark"),
        ({"TERM": "linux"}, "auto", "ansi-dark"),
        ({"TERM": "screen", "COLORFGBG": "0;7"}, "auto", "ansi-light"),
        ({"TERM": "vt100"}, "auto", "mono"),
        ({"TERM": "xterm-mono"}, "auto", "mono"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "auto", "mono"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "auto", "dark"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "light", "light"),
        ({"TERM": "xterm"}, "mono", "mono"),
        ({}, "auto", "ansi-dark"),
    ],
)
def test_the_palette_suits_the_terminal(environ: dict[str, str], wanted: str, palette: str) -> None:
    assert choose(environ, wanted).name == palette


def test_the_number_of_colours() -> None:
    assert colours_of({"TERM": "xterm-kitty"}) == 256
    assert colours_of({"TERM": "linux"}) == 16
    assert colours_of({"TERM": "vt220"}) == 0


@pytest.mark.parametrize("name", PALETTES)
def test_textual_takes_each_palette_as_a_theme(name: str) -> None:
    theme = textual_theme(PALETTES[name])
    assert theme.name == f"coffeetree-{name}"
    assert theme.ansi == PALETTES[name].is_native
    assert theme.to_color_system().generate()
