"""Looks of lane states: a letter on a colour; normal operation is a line.

A small letter is a state that covers only a part of the cell. Colours are of the xterm palette of 256; without colours
the letters suffice.
"""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style

from parsers.views.timelines.timeline_view import LaneState, Tone
from tui.screen.theme import Ground, Palette

COLOURS: dict[str, dict[Tone, str]] = {
    "dark": {
        "going": "#5faf5f",
        "held": "#000000 on #ff5f5f",
        "waiting": "#000000 on #d7af5f",
        "idle": "#000000 on #87afd7",
        "stuck": "bold #ffffff on #af005f",
        "pause": "#8a8a8a",
        "there": "#8a8a8a",
        "mark": "#5faf5f",
        "other": "#000000 on #af87d7",
    },
    "light": {
        "going": "#005f00",
        "held": "#000000 on #ff8787",
        "waiting": "#000000 on #ffd787",
        "idle": "#000000 on #afd7ff",
        "stuck": "bold #ffffff on #af005f",
        "pause": "#626262",
        "there": "#626262",
        "mark": "#005f00",
        "other": "#000000 on #d7afff",
    },
    "ansi": {
        "going": "green",
        "held": "black on red",
        "waiting": "black on yellow",
        "idle": "black on cyan",
        "stuck": "bold white on magenta",
        "other": "black on blue",
        "mark": "green",
    },
    "mono": {"held": "bold", "stuck": "bold reverse"},
}
"""By palette, then by tone. Others look like text."""

LINE, MIXED_LINE, PAUSE, THERE, MARK = "─╌┊·•"
ASCII_LINE, ASCII_MIXED_LINE, ASCII_PAUSE, ASCII_THERE, ASCII_MARK = "-~:.*"


@lru_cache(maxsize=256)
def _style(tone: Tone, palette_name: str, ground: Style) -> Style:
    colours = COLOURS["ansi" if palette_name.startswith("ansi") else palette_name]
    return ground + Style.parse(colours.get(tone, ""))


def cell_style(tone: Tone, palette: Palette, ground: Ground = "page") -> Style:
    """The style of a cell; under the cursor only the letter keeps its look."""
    if ground != "page":
        return palette.style("strong" if ground == "cursor" else "text", ground)
    return _style(tone, palette.name, palette.ground("page"))


def cell_sign(state: LaneState, is_mixed: bool, is_ascii: bool) -> str:
    """The character of a cell."""
    if state.tone == "none":
        return " "
    if state.tone == "pause":
        return ASCII_PAUSE if is_ascii else PAUSE
    if state.tone == "there":
        return ASCII_THERE if is_ascii else THERE
    if state.tone == "mark":
        return ASCII_MARK if is_ascii else MARK
    if state.letter:
        return state.letter.lower() if is_mixed else state.letter
    if is_ascii:
        return ASCII_MIXED_LINE if is_mixed else ASCII_LINE
    return MIXED_LINE if is_mixed else LINE
