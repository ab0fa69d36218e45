"""Conversion of a palette to a theme of Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.style import Style

from tui.screen.theme import Palette

if TYPE_CHECKING:
    from textual.theme import Theme


def textual_theme(palette: Palette) -> Theme:
    """The palette as a theme for Textual's own widgets and for CSS, named `coffeetree-` and its own name.

    Besides Textual's variables CSS may use $quiet, $border, $cursor-background and $cursor-foreground.
    """
    from textual.theme import BUILTIN_THEMES, Theme

    # Textual's style sheets use variables that only its own themes with the terminal's colours define.
    own = BUILTIN_THEMES["ansi-dark" if palette.is_dark else "ansi-light"].variables if palette.is_native else {}
    page, quiet, border, cursor = (
        palette.style("text"),
        palette.style("quiet"),
        palette.style("divider"),
        palette.style("text", "cursor"),
    )
    accent = css_colour(palette.style("link"), "color")
    background = css_colour(page, "bgcolor")
    panel = css_colour(palette.style("text", "panel"), "bgcolor")
    foreground = css_colour(page, "color")
    return Theme(
        name=f"coffeetree-{palette.name}",
        primary=accent,
        secondary=accent,
        accent=accent,
        warning=css_colour(palette.style("flag"), "color"),
        error=css_colour(palette.style("problem"), "color"),
        success=css_colour(palette.style("progress"), "color"),
        foreground=foreground,
        background=background,
        surface=background,
        panel=panel,
        boost=panel,
        dark=palette.is_dark,
        ansi=palette.is_native,
        variables={
            **own,
            "quiet": css_colour(quiet, "color"),
            "border": css_colour(border, "color"),
            "cursor-background": css_colour(cursor, "bgcolor"),
            "cursor-foreground": css_colour(cursor, "color"),
            "block-cursor-background": css_colour(cursor, "bgcolor"),
            "block-cursor-foreground": css_colour(cursor, "color"),
            "block-cursor-text-style": "none" if palette.has_colour else "reverse",
            "input-cursor-background": foreground,
            "input-cursor-foreground": background,
            "input-cursor-text-style": "none" if palette.has_colour else "reverse",
            "input-selection-background": css_colour(cursor, "bgcolor"),
            "scrollbar": css_colour(border, "color"),
            "scrollbar-hover": css_colour(quiet, "color"),
            "scrollbar-active": accent,
            "scrollbar-background": background,
            "scrollbar-background-hover": background,
            "scrollbar-background-active": background,
            "scrollbar-corner-color": background,
        },
    )


def css_colour(style: Style, part: Literal["color", "bgcolor"]) -> str:
    """The colour of a style in CSS syntax: `#rrggbb` or the name of one of the 16."""
    colour = style.color if part == "color" else style.bgcolor
    if colour is None or colour.is_default:
        return "ansi_default"
    return f"ansi_{colour.name}" if colour.is_system_defined else colour.name
