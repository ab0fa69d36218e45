"""Looks of lane states: a letter on a colour; normal operation is a line.

A small letter is a state that covers only a part of the cell. Colours are of the xterm palette of 256; without colours
the letters suffice.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.style import Style

from parsers.views.timelines.timeline_view import LaneState, Tone
from tui.screen.theme import Ground, Palette

PALETTES = ("dark", "light", "ansi", "mono")
"""Palettes, in the order of the columns below; those of 16 colours have the same."""
COLOURS: Mapping[Tone, tuple[str, str, str, str]] = {
    "going": ("#5faf5f", "#005f00", "green", ""),
    "held": ("#000000 on #ff5f5f", "#000000 on #ff8787", "black on red", "bold"),
    "waiting": ("#000000 on #d7af5f", "#000000 on #ffd787", "black on yellow", ""),
    "idle": ("#000000 on #87afd7", "#000000 on #afd7ff", "black on cyan", ""),
    "stuck": ("bold #ffffff on #af005f", "bold #ffffff on #af005f", "bold white on magenta", "bold reverse"),
    "pause": ("#8a8a8a", "#626262", "", ""),
    "there": ("#8a8a8a", "#626262", "", ""),
    "mark": ("#5faf5f", "#005f00", "green", ""),
    "other": ("#000000 on #af87d7", "#000000 on #d7afff", "black on blue", ""),
}
"""By tone. Others look like text."""
SIGNS: Mapping[Tone, tuple[str, str]] = {
    "none": (" ", " "),
    "pause": ("┊", ":"),
    "there": ("·", "."),
    "mark": ("•", "*"),
}
"""Signs of tones without letters, and in ASCII."""
LINES = ("─╌", "-~")
"""Lines of states without letters, whole and mixed, and in ASCII."""


@lru_cache(maxsize=256)
def _style(tone: Tone, palette_name: str, ground: Style) -> Style:
    column = PALETTES.index(palette_name.partition("-")[0])
    return ground + Style.parse(COLOURS[tone][column] if tone in COLOURS else "")


def cell_style(tone: Tone, palette: Palette, ground: Ground) -> Style:
    """The style of a cell; under the cursor only the letter keeps its look."""
    if ground != "page":
        return palette.style("strong" if ground == "cursor" else "text", ground)
    return _style(tone, palette.name, palette.ground("page"))


def cell_sign(state: LaneState, is_mixed: bool, is_ascii: bool) -> str:
    """The character of a cell."""
    if state.tone in SIGNS:
        return SIGNS[state.tone][is_ascii]
    if state.letter:
        return state.letter.lower() if is_mixed else state.letter
    return LINES[is_ascii][is_mixed]
