"""Looks of a flame's boxes: a warm hue for each class, paler ones for the JDK, in two alternating tones.

Colours are of the xterm palette of 256, like those of all palettes. With 16 colours there are fewer hues; without
colours, edges separate the boxes, and a filling distinguishes packages.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

from rich.style import Style

from parsers.model.row import Row
from tui.screen.sanitise import safe
from tui.screen.theme import Palette
from tui.tree.piece import Piece, cut, width_of

Tones = tuple[str, str]
"""Backgrounds of a hue, for alternating boxes."""

WARM: tuple[Tones, ...] = (
    ("#ff875f", "#d7875f"),
    ("#ffaf5f", "#d7af5f"),
    ("#ffd75f", "#ffd787"),
    ("#ff8700", "#d78700"),
    ("#ff5f5f", "#d75f5f"),
    ("#ffaf00", "#d7af00"),
    ("#ff8787", "#d78787"),
    ("#ff5f00", "#d75f00"),
    ("#ffaf87", "#d7af87"),
)
PALE: dict[str, tuple[Tones, ...]] = {
    "dark": (("#d7d7af", "#afaf87"), ("#d7d7d7", "#bcbcbc"), ("#d7afaf", "#af8787"), ("#d7d787", "#afaf5f")),
    "light": (("#ffffd7", "#ffffaf"), ("#e4e4e4", "#d0d0d0"), ("#ffd7d7", "#ffd7af"), ("#d7d7af", "#d7d787")),
}
FEW_WARM: tuple[Tones, ...] = (("yellow", "bright_yellow"), ("red", "bright_red"))
FEW_PALE: tuple[Tones, ...] = (("cyan", "bright_cyan"),)
NAMELESS: dict[str, Tones] = {"dark": ("#8a8a8a", "#9e9e9e"), "light": ("#c6c6c6", "#bcbcbc")}
"""Tones of boxes without a method: no frames, or no known root."""

JDK = ("java.", "javax.", "jdk.", "sun.")
"""Packages of the class library. Tools such as javac count as programs."""

FILLINGS, ASCII_FILLINGS = " ░·▒╌", " :.%-"
"""Fillings instead of colours; the first one is for the JDK."""

LEAST_LABEL = 4
"""Minimum cells of a box with text."""
LEAST_REST = 3
"""Minimum cells of a merged box with an ellipsis; narrower ones, and those without colours, have a line."""


def holder_of(row: Row) -> str:
    """The class of a row, with its package; for other rows the whole label."""
    stop = max((span.end for span in row.spans if span.role == "class"), default=len(row.label))
    return row.label[:stop]


def package_of(row: Row) -> str:
    """The first two parts of a row's package; empty in the default one."""
    package = next((row.label[span.start : span.end] for span in row.spans if span.role == "package"), "")
    return ".".join(package.split(".")[:2])


@lru_cache(maxsize=4096)
def style_of(holder: str, tone: int, palette_name: str, has_name: bool) -> Style:
    """The style of boxes of a class in one of two tones. has_name: True if the row has a class."""
    if palette_name == "mono":
        return Style()
    is_few = palette_name.startswith("ansi")
    if not has_name:
        tones = ("white", "bright_black") if is_few else NAMELESS[palette_name]
    else:
        is_pale = holder.startswith(JDK)
        hues = (FEW_PALE if is_pale else FEW_WARM) if is_few else (PALE[palette_name] if is_pale else WARM)
        tones = hues[zlib.crc32(holder.encode("utf-8", "replace")) % len(hues)]
    return Style.parse(f"{'black' if is_few else '#000000'} on {tones[tone]}")


def box_style(row: Row, palette: Palette, tone: int = 0) -> Style:
    """The style of the box of a row; tone: 0 or 1, alternating with its neighbours."""
    return style_of(holder_of(row), tone, palette.name, bool(row.spans))


def filling(row: Row, is_ascii: bool) -> str:
    """Filling of a box after its label where there are no colours."""
    signs = ASCII_FILLINGS if is_ascii else FILLINGS
    if row.label.startswith(JDK) or not row.spans:
        return signs[0]
    return signs[1 + zlib.crc32(package_of(row).encode("utf-8", "replace")) % (len(signs) - 1)]


def label_in(row: Row, width: int, number: str = "") -> str:
    """The most distinctive part of a row's label that fits: class and method, the method, or its beginning."""
    spans = {span.role: span for span in row.spans}
    texts = [row.label]
    if "class" in spans:
        start = spans["class"].start
        end = max(span.end for span in spans.values())
        texts.append(row.label[start:end])
    if "name" in spans:
        texts.append(row.label[spans["name"].start : spans["name"].end])
    texts = [safe(text) for text in texts]
    for text in texts[1:] or texts:
        if number and width_of(f"{text}  {number}") <= width:
            return f"{text}  {number}"
        if width_of(text) <= width:
            return text
    return "".join(piece.text for piece in cut([Piece(texts[-1])], width))


def rest_text(width: int, number: str, palette: Palette, is_ascii: bool) -> str:
    """The cells of a merged box: a mark, and the sum of its nodes if it fits."""
    is_line = palette.is_mono or width < LEAST_REST
    mark = (":" if is_ascii else "┆") if is_line else "." if is_ascii else "…"
    text = f"{mark} {number}"
    return text.ljust(width) if len(text) <= width else mark.ljust(width)


def box_text(row: Row, width: int, number: str, palette: Palette, is_ascii: bool) -> str:
    """The cells of a box: its label; without colours also its left edge and filling."""
    edge = " " if not palette.is_mono else "|" if is_ascii else "▏"
    label = label_in(row, width - 1, number) if width >= LEAST_LABEL else ""
    rest = width - 1 - width_of(label)
    filled = filling(row, is_ascii) if palette.is_mono else " "
    return edge + label + (" " + filled * (rest - 1) if rest > 1 else " " * rest)
