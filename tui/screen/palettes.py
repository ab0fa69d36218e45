"""Five palettes, and the choice of one for a terminal.

*dark* and *light* use only colours of the xterm palette of 256, so they look the same where COLORTERM is not known, as
it is over ssh. *ansi-dark* and *ansi-light* use the 16 colours of the user's own palette and the terminal's background.
*mono* sends no colour at all: bold, dim, underline and reverse carry the hierarchy. No colour carries meaning alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.screen.theme import Ground, Ink, Palette

NAMES = ("dark", "light", "ansi-dark", "ansi-light", "mono")
"""The palettes, in the order of the columns of the tables below."""

# The attribute dim and the default colour suit any palette of 16; bright black is the background in some.
INKS: Mapping[Ink, tuple[str, ...]] = {
    "text": ("#d0d0d0", "#303030", "default", "default", ""),
    "strong": ("bold #ffffff", "bold #000000", "bold default", "bold default", "bold"),
    "quiet": ("#949494", "#626262", "dim default", "dim default", "dim"),
    "faint": ("#585858", "#b2b2b2", "dim default", "dim default", "dim"),
    "kind": ("#5fafd7", "#005f87", "cyan", "blue", ""),
    "accent": ("#87d7ff", "#005faf", "bright_cyan", "blue", "bold"),
    "bar": ("#5f87d7", "#5f87d7", "cyan", "blue", ""),
    "match": ("#000000 on #ffd75f", "#000000 on #ffd700", "black on yellow", "black on yellow", "reverse"),
    "current match": (
        *("bold #000000 on #ffaf00", "bold #000000 on #ffaf00"),
        *("bold black on bright_yellow", "bold black on bright_yellow", "bold reverse underline"),
    ),
    "mark": ("#ff87d7", "#8700af", "bright_magenta", "magenta", "bold"),
    "flag": ("#ffaf5f", "#875f00", "yellow", "red", "bold"),
    "problem": ("#ff8787", "#af0000", "bright_red", "bold red", "bold underline"),
    "progress": ("#87d787", "#005f00", "green", "blue", ""),
}

CURSOR_INKS: Mapping[Ink, tuple[str | None, ...]] = {
    "text": ("#ffffff", "#000000", "bright_white", "black", None),
    "strong": (None, None, "bold bright_white", "bold black", None),
    "quiet": ("#dadada", "#4e4e4e", "white", "black", ""),
    "faint": ("#87afd7", "#5f87af", "white", "black", ""),
    "kind": ("#afffff", None, "bright_cyan", None, None),
    "accent": ("#afffff", "#005f87", "bright_cyan", None, None),
    "bar": ("#afd7ff", "#005faf", "bright_cyan", None, None),
    "match": (None, None, None, None, "not reverse bold underline"),
    "current match": (None, None, None, None, "not reverse bold"),
    "mark": ("#ffd7ff", None, "bright_white", "bold black", None),
    "flag": ("#ffd7af", "#5f0000", "bright_yellow", None, None),
    "problem": ("#ffd7d7", None, "bright_yellow", None, None),
    "progress": ("#afffaf", None, "bright_green", None, None),
}
"""Inks on the cursor row. None: as elsewhere."""

GROUNDS: Mapping[Ground, tuple[str, ...]] = {
    "page": ("on #1c1c1c", "on #ffffff", "on default", "on default", ""),
    "cursor": ("on #005f87", "on #afd7ff", "on blue", "on white", "reverse"),
    "idle cursor": ("on #3a3a3a", "on #dadada", "underline on default", "underline on default", "underline"),
    "panel": ("on #262626", "on #eeeeee", "on default", "on default", ""),
}

PALETTES: Mapping[str, Palette] = {
    name: Palette(
        name=name,
        is_dark=not name.endswith("light"),
        is_native=not name.startswith(("dark", "light")),
        is_mono=name == "mono",
        inks={ink: row[column] for ink, row in INKS.items()},
        cursor_inks={ink: style for ink, row in CURSOR_INKS.items() if (style := row[column]) is not None},
        grounds={ground: row[column] for ground, row in GROUNDS.items()},
    )
    for column, name in enumerate(NAMES)
}
"""All palettes by name."""


def choose(environ: Mapping[str, str], wanted: str = "auto") -> Palette:
    """Returns the requested palette or, with "auto", the one that suits the terminal.

    A choice of the user has priority over NO_COLOR, as no-color.org requires. Dark is assumed unless COLORFGBG differs.
    """
    if wanted in PALETTES:
        return PALETTES[wanted]
    colours = colours_of(environ)
    if not colours or environ.get("NO_COLOR"):
        return PALETTES["mono"]
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    brightness = "light" if background in ("7", "15") else "dark"
    return PALETTES[f"ansi-{brightness}" if colours == 16 else brightness]


def colours_of(environ: Mapping[str, str]) -> int:
    """Number of colours of the terminal: 0, 16, 256 or 16,777,216, from COLORTERM and TERM as Rich reads them."""
    term = environ.get("TERM", "").strip().lower()
    if term.startswith(("vt1", "vt2", "dumb", "unknown")) or term.endswith(("-mono", "-m")):
        return 0
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 1 << 24
    return 256 if term.rpartition("-")[2] in ("256color", "kitty") else 16
