"""Conversion of a palette to a theme of Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.style import Style

from tui.screen.theme import Palette

if TYPE_CHECKING:
    from textual.theme import Theme


def textual_theme(palette: Palette) -> Theme:
    """The palette as a theme named `coffeetree-` and its own name: Textual only draws blank parts of a screen by it."""
    from textual.theme import BUILTIN_THEMES, Theme

    # Textual's style sheets use variables that only its own themes with the terminal's colours define.
    own = BUILTIN_THEMES["ansi-dark" if palette.is_dark else "ansi-light"].variables if palette.is_native else {}
    return Theme(
        name=f"coffeetree-{palette.name}",
        primary=css_colour(palette.style("link"), "color"),
        foreground=css_colour(palette.style("text"), "color"),
        background=css_colour(palette.style("text"), "bgcolor"),
        dark=palette.is_dark,
        ansi=palette.is_native,
        variables=own,
    )


def css_colour(style: Style, part: Literal["color", "bgcolor"]) -> str:
    """The colour of a style in CSS syntax: `#rrggbb` or the name of one of the 16."""
    colour = style.color if part == "color" else style.bgcolor
    if colour is None or colour.is_default:
        return "ansi_default"
    return f"ansi_{colour.name}" if colour.is_system_defined else colour.name
