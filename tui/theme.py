"""Colours by role: what a piece of text is decides how it looks, in five palettes.

A widget asks its palette for the style of a role on a ground and gets one full style, ready for a segment:

    palette = PALETTES["dark"]
    Segment("java.util.", palette.style("package"))
    Segment("Map", palette.style("class", "cursor"))

*dark* and *light* use only colours of the xterm palette of 256, so they look the same where COLORTERM is not known, as
it is over ssh. *ansi-dark* and *ansi-light* use the 16 colours of the user's own palette and the terminal's background.
*mono* sends no colour at all: bold, dim, underline and reverse carry the hierarchy. No colour carries meaning alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast, get_args

from rich.style import Style

if TYPE_CHECKING:
    from textual.theme import Theme

Role = Literal[
    "text",
    "loader",
    "package",
    "class",
    "name",
    "argument",
    "argument package",
    "result",
    "result package",
    "place",
    "index",
    "guide",
    "fold",
    "mark",
    "reference",
    "number",
    "column",
    "bar",
    "match",
    "current-match",
    "mark-sign",
    "tag",
    "flag",
    "problem",
    "progress",
    "link",
    "label",
    "quiet",
    "cursor",
    "sticky",
    "divider",
    "scroll",
    "thumb",
    "title",
    "title-dim",
    "pane-title",
    "crumb",
    "crumb-last",
    "status",
    "status-dim",
    "key",
    "key-word",
    "prompt",
    "hint",
]
"""What a piece of text is. Those of `parsers.report.Span` are among them.

mark is the sign of a row's kind, mark-sign and tag are the user's own, fold the sign of open and closed nodes, cursor
the sign in front of the cursor row, scroll and thumb the strip that shows the whole document, label the name of a fact,
sticky an ancestor that has scrolled out.
"""

Ground = Literal["page", "cursor", "idle cursor", "panel"]
"""What is behind the text: the page, the cursor row with and without focus, the lines around the page."""

Ink = Literal[
    "text",
    "strong",
    "quiet",
    "faint",
    "kind",
    "accent",
    "bar",
    "match",
    "current match",
    "mark",
    "flag",
    "problem",
    "progress",
]
"""What the roles are written with. faint is for lines and signs, never for words."""

INKS: Mapping[Role, Ink] = {
    "text": "text",
    "loader": "quiet",
    "package": "quiet",
    "class": "text",
    "name": "strong",
    "argument": "quiet",
    "argument package": "quiet",
    "result": "quiet",
    "place": "quiet",
    "result package": "quiet",
    "index": "quiet",
    "guide": "faint",
    "fold": "quiet",
    "mark": "kind",
    "reference": "kind",
    "number": "quiet",
    "column": "quiet",
    "bar": "bar",
    "match": "match",
    "current-match": "current match",
    "mark-sign": "mark",
    "tag": "mark",
    "flag": "flag",
    "problem": "problem",
    "progress": "progress",
    "link": "accent",
    "label": "quiet",
    "quiet": "quiet",
    "cursor": "accent",
    "sticky": "quiet",
    "divider": "faint",
    "scroll": "faint",
    "thumb": "quiet",
    "title": "strong",
    "title-dim": "quiet",
    "pane-title": "strong",
    "crumb": "quiet",
    "crumb-last": "text",
    "status": "text",
    "status-dim": "quiet",
    "key": "accent",
    "key-word": "quiet",
    "prompt": "accent",
    "hint": "quiet",
}
"""The ink of each role."""

PANEL_ROLES: frozenset[str] = frozenset({"title", "title-dim", "status", "status-dim", "key", "key-word"})
"""Roles that stand on the ground "panel" where nothing else is asked for."""


@dataclass(frozen=True)
class Palette:
    """The looks of all roles. Inks and grounds are Rich style definitions; on the cursor row inks may differ."""

    name: str
    is_dark: bool
    is_native: bool
    """Whether the terminal's own colours are used, so that Textual must not turn them into others."""
    has_colour: bool
    inks: Mapping[Ink, str]
    cursor_inks: Mapping[Ink, str]
    """Where they differ on the ground "cursor", and on "idle cursor" if that is a colour of our own."""
    grounds: Mapping[Ground, str]
    _styles: dict[tuple[str, Ground | None], Style] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_mono(self) -> bool:
        """Whether no colour may be sent at all."""
        return not self.has_colour

    def style(self, role: str, ground: Ground | None = None) -> Style:
        """The full style of a role: always the same object for the same question.

        Without a ground it is the role's own one. An unknown role, as a new format may bring, looks like text.
        """
        style = self._styles.get((role, ground))
        if style is None:
            ink = INKS.get(cast(Role, role), "text")
            style = self._mixed(ink, ground or ("panel" if role in PANEL_ROLES else "page"))
            self._styles[role, ground] = style
        return style

    def ground(self, ground: Ground) -> Style:
        """The style of blanks."""
        return self.style("text", ground)

    def _mixed(self, ink: Ink, ground: Ground) -> Style:
        is_lit = ground == "cursor" or (ground == "idle cursor" and not self.is_native)
        inks = {**self.inks, **self.cursor_inks} if is_lit else self.inks
        return Style.parse(self.grounds[ground]) + Style.parse(inks[ink])


DARK = Palette(
    name="dark",
    is_dark=True,
    is_native=False,
    has_colour=True,
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
    has_colour=True,
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

# The attribute dim and the default colour suit any palette of 16; bright black is the background in some of them.
ANSI_DARK = Palette(
    name="ansi-dark",
    is_dark=True,
    is_native=True,
    has_colour=True,
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
    has_colour=True,
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
    has_colour=False,
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
"""What the option `theme` may be."""

ROLES: tuple[Role, ...] = get_args(Role)
GROUNDS: tuple[Ground, ...] = get_args(Ground)


def choose(environ: Mapping[str, str], wanted: str = "auto") -> Palette:
    """The palette that was asked for or, with "auto", the one that suits the terminal.

    A choice of the user wins over NO_COLOR, as no-color.org has it. Dark is assumed unless COLORFGBG says otherwise.
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
    """How many colours the terminal shows: 0, 16, 256 or 16,777,216, by COLORTERM and TERM as Rich reads them."""
    term = environ.get("TERM", "").strip().lower()
    if term.startswith(("vt1", "vt2", "dumb", "unknown")) or term.endswith(("-mono", "-m")):
        return 0
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 1 << 24
    return 256 if term.rpartition("-")[2] in ("256color", "kitty") else 16


def textual_theme(palette: Palette) -> Theme:
    """The palette as a theme for Textual's own widgets and for CSS, under the name `coffeetree-` and its own.

    Beside Textual's variables CSS may use $quiet, $border, $cursor-background and $cursor-foreground.
    """
    from textual.theme import BUILTIN_THEMES, Theme

    # Textual's style sheets name variables that only its own themes of the terminal's colours have.
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
    """The colour of a style as CSS writes it: `#rrggbb` or the name of one of the 16."""
    colour = style.color if part == "color" else style.bgcolor
    if colour is None or colour.is_default:
        return "ansi_default"
    return f"ansi_{colour.name}" if colour.is_system_defined else colour.name
