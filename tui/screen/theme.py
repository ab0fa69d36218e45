"""Colours by role: the meaning of a piece of text decides its look.

A widget asks its palette for the style of a role on a ground and gets one full style, ready for a segment:

    palette = PALETTES["dark"]
    Segment("java.util.", palette.style("package"))
    Segment("Map", palette.style("class", "cursor"))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from rich.style import Style

from parsers.model.value import value_class

Ground = Literal["page", "cursor", "idle cursor", "panel"]
"""Background of the text: the page, the cursor row with and without focus, the lines around the page."""

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
"""Foreground colours of the roles. faint is for lines and signs, never for words."""

ROLES: Mapping[Ink, tuple[str, ...]] = {
    "text": ("text", "class", "status"),
    "strong": ("name", "title", "pane-title"),
    "quiet": (
        *("loader", "package", "argument", "argument package", "result", "result package", "place", "index"),
        *("number", "column", "fold", "sticky", "thumb", "label", "quiet", "crumb", "hint"),
        *("title-dim", "status-dim", "key-word"),
    ),
    "faint": ("guide", "divider", "scroll"),
    "kind": ("mark", "reference"),
    "accent": ("link", "cursor", "key", "prompt"),
    "bar": ("bar",),
    "match": ("match",),
    "current match": ("current-match",),
    "mark": ("mark-sign", "tag"),
    "flag": ("flag",),
    "problem": ("problem",),
    "progress": ("progress",),
}
"""Roles, the meanings of pieces of text, by their ink. The roles of `parsers.model.row.Span` are among them.

mark: sign of a row's kind. mark-sign, tag: the user's own marks. fold: sign of open and closed nodes. cursor: sign
before the cursor row. scroll, thumb: strip that shows the whole document. label: name of a fact. sticky: ancestor that
has scrolled out.
"""

INKS: Mapping[str, Ink] = {role: ink for ink, roles in ROLES.items() for role in roles}
"""The ink of each role."""

PANEL_ROLES: frozenset[str] = frozenset({"title", "title-dim", "status", "status-dim", "key", "key-word"})
"""Roles whose default ground is "panel"."""


@value_class
class Palette:
    """The looks of all roles. Inks and grounds are Rich style definitions; the cursor row may have other inks."""

    name: str
    is_dark: bool
    is_native: bool
    """True if the terminal's own colours are used; Textual must not convert them."""
    is_mono: bool
    """True if no colour may be sent."""
    inks: Mapping[Ink, str]
    cursor_inks: Mapping[Ink, str]
    """Different inks on the ground "cursor", and on "idle cursor" if that is one of the program's own colours."""
    grounds: Mapping[Ground, str]
    _styles: dict[tuple[str, Ground | None], Style] = field(default_factory=dict, repr=False, compare=False)

    def style(self, role: str, ground: Ground | None = None) -> Style:
        """Full style of a role; equal arguments give the same object.

        Without a ground the role's own is used. An unknown role, such as one of a new format, looks like text.
        """
        style = self._styles.get((role, ground))
        if style is None:
            ink = INKS.get(role, "text")
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
