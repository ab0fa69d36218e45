"""Five palettes, and the choice of one for a terminal.

*dark* and *light* use only colours of the xterm palette of 256, so they look the same where COLORTERM is not known, as
it is over ssh. *ansi-dark* and *ansi-light* use the 16 colours of the user's own palette and the terminal's background.
*mono* sends no colour at all: bold, dim, underline and reverse carry the hierarchy. No colour carries meaning alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.screen.theme import Palette

DARK = Palette(
    name="dark",
    is_dark=True,
    is_native=False,
    is_mono=False,
    inks={
        "text": "#d0d0d0",
        "strong": "bold #ffffff",
        "quiet": "#949494",
        "faint": "#585858",
        "kind": "#5fafd7",
        "accent": "#87d7ff",
        "bar": "#5f87d7",
        "match": "#000000 on #ffd75f",
        "current match": "bold #000000 on #ffaf00",
        "mark": "#ff87d7",
        "flag": "#ffaf5f",
        "problem": "#ff8787",
        "progress": "#87d787",
    },
    cursor_inks={
        "text": "#ffffff",
        "quiet": "#dadada",
        "faint": "#87afd7",
        "kind": "#afffff",
        "accent": "#afffff",
        "bar": "#afd7ff",
        "mark": "#ffd7ff",
        "flag": "#ffd7af",
        "problem": "#ffd7d7",
        "progress": "#afffaf",
    },
    grounds={"page": "on #1c1c1c", "cursor": "on #005f87", "idle cursor": "on #3a3a3a", "panel": "on #262626"},
)

LIGHT = Palette(
    name="light",
    is_dark=False,
    is_native=False,
    is_mono=False,
    inks={
        "text": "#303030",
        "strong": "bold #000000",
        "quiet": "#626262",
        "faint": "#b2b2b2",
        "kind": "#005f87",
        "accent": "#005faf",
        "bar": "#5f87d7",
        "match": "#000000 on #ffd700",
        "current match": "bold #000000 on #ffaf00",
        "mark": "#8700af",
        "flag": "#875f00",
        "problem": "#af0000",
        "progress": "#005f00",
    },
    cursor_inks={
        "text": "#000000",
        "quiet": "#4e4e4e",
        "faint": "#5f87af",
        "accent": "#005f87",
        "bar": "#005faf",
        "flag": "#5f0000",
    },
    grounds={"page": "on #ffffff", "cursor": "on #afd7ff", "idle cursor": "on #dadada", "panel": "on #eeeeee"},
)

# The attribute dim and the default colour suit any palette of 16; bright black is the background in some.
ANSI_DARK = Palette(
    name="ansi-dark",
    is_dark=True,
    is_native=True,
    is_mono=False,
    inks={
        "text": "default",
        "strong": "bold default",
        "quiet": "dim default",
        "faint": "dim default",
        "kind": "cyan",
        "accent": "bright_cyan",
        "bar": "cyan",
        "match": "black on yellow",
        "current match": "bold black on bright_yellow",
        "mark": "bright_magenta",
        "flag": "yellow",
        "problem": "bright_red",
        "progress": "green",
    },
    cursor_inks={
        "text": "bright_white",
        "strong": "bold bright_white",
        "quiet": "white",
        "faint": "white",
        "kind": "bright_cyan",
        "accent": "bright_cyan",
        "bar": "bright_cyan",
        "mark": "bright_white",
        "flag": "bright_yellow",
        "problem": "bright_yellow",
        "progress": "bright_green",
    },
    grounds={"page": "on default", "cursor": "on blue", "idle cursor": "underline on default", "panel": "on default"},
)

ANSI_LIGHT = Palette(
    name="ansi-light",
    is_dark=False,
    is_native=True,
    is_mono=False,
    inks={
        "text": "default",
        "strong": "bold default",
        "quiet": "dim default",
        "faint": "dim default",
        "kind": "blue",
        "accent": "blue",
        "bar": "blue",
        "match": "black on yellow",
        "current match": "bold black on bright_yellow",
        "mark": "magenta",
        "flag": "red",
        "problem": "bold red",
        "progress": "blue",
    },
    cursor_inks={"text": "black", "strong": "bold black", "quiet": "black", "faint": "black", "mark": "bold black"},
    grounds={"page": "on default", "cursor": "on white", "idle cursor": "underline on default", "panel": "on default"},
)

MONO = Palette(
    name="mono",
    is_dark=True,
    is_native=True,
    is_mono=True,
    inks={
        "text": "",
        "strong": "bold",
        "quiet": "dim",
        "faint": "dim",
        "kind": "",
        "accent": "bold",
        "bar": "",
        "match": "reverse",
        "current match": "bold reverse underline",
        "mark": "bold",
        "flag": "bold",
        "problem": "bold underline",
        "progress": "",
    },
    cursor_inks={"quiet": "", "faint": "", "match": "not reverse bold underline", "current match": "not reverse bold"},
    grounds={"page": "", "cursor": "reverse", "idle cursor": "underline", "panel": ""},
)

PALETTES: Mapping[str, Palette] = {palette.name: palette for palette in (DARK, LIGHT, ANSI_DARK, ANSI_LIGHT, MONO)}
"""All palettes by name."""

THEMES: tuple[str, ...] = ("auto", *PALETTES)
"""Values of the option `theme`."""


def choose(environ: Mapping[str, str], wanted: str = "auto") -> Palette:
    """Returns the requested palette or, with "auto", the one that suits the terminal.

    A choice of the user has priority over NO_COLOR, as no-color.org requires. Dark is assumed unless COLORFGBG differs.
    """
    if wanted in PALETTES:
        return PALETTES[wanted]
    colours = colours_of(environ)
    if not colours or environ.get("NO_COLOR"):
        return MONO
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    is_light = background in ("7", "15")
    if colours == 16:
        return ANSI_LIGHT if is_light else ANSI_DARK
    return LIGHT if is_light else DARK


def colours_of(environ: Mapping[str, str]) -> int:
    """Number of colours of the terminal: 0, 16, 256 or 16,777,216, from COLORTERM and TERM as Rich reads them."""
    term = environ.get("TERM", "").strip().lower()
    if term.startswith(("vt1", "vt2", "dumb", "unknown")) or term.endswith(("-mono", "-m")):
        return 0
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 1 << 24
    return 256 if term.rpartition("-")[2] in ("256color", "kitty") else 16
