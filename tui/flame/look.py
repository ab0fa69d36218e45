"""How the boxes of a flame look: a colour for each package, grey for the JDK; without colours a filling."""

from __future__ import annotations

import zlib
from functools import lru_cache

from rich.style import Style

from parsers.java_name import is_jdk
from parsers.report import Row
from tui.sanitise import safe
from tui.theme import Palette
from tui.tree.piece import Piece, cut, line_width, pad

DARK_HUES = (
    "#ffffff on #5f5f87",
    "#ffffff on #875f00",
    "#ffffff on #005f5f",
    "#ffffff on #875f5f",
    "#ffffff on #5f00af",
    "#ffffff on #005f00",
    "#ffffff on #870087",
    "#ffffff on #5f5f00",
    "#ffffff on #0000af",
    "#ffffff on #870000",
)
LIGHT_HUES = (
    "#000000 on #d7d7ff",
    "#000000 on #ffd7af",
    "#000000 on #afd7d7",
    "#000000 on #ffd7d7",
    "#000000 on #d7afff",
    "#000000 on #afd7af",
    "#000000 on #ffafff",
    "#000000 on #d7d787",
    "#000000 on #87d7ff",
    "#000000 on #ffaf87",
)
ANSI_HUES = ("black on cyan", "black on green", "black on yellow", "white on blue", "white on magenta", "white on red")
GREY = {"dark": "#ffffff on #4e4e4e", "light": "#000000 on #d0d0d0", "ansi-dark": "black on white"}
GREY |= {"ansi-light": "black on white"}
FILLINGS, ASCII_FILLINGS = " ░·▒╌", " :.%-"
"""In place of colours; the first one is that of the JDK."""


def package_of(row: Row) -> str:
    """The first two parts of a row's package; empty in the default one."""
    package = next((row.label[span.start : span.end] for span in row.spans if span.role == "package"), "")
    return ".".join(package.split(".")[:2])


@lru_cache(maxsize=1024)
def style_of(package: str, palette_name: str, is_plain: bool) -> Style:
    """The style of boxes of a package. is_plain: no method, or in the JDK."""
    if palette_name == "mono":
        return Style()
    if is_plain:
        return Style.parse(GREY[palette_name])
    hues = {"dark": DARK_HUES, "light": LIGHT_HUES}.get(palette_name, ANSI_HUES)
    return Style.parse(hues[zlib.crc32(package.encode("utf-8", "replace")) % len(hues)])


def box_style(row: Row, palette: Palette) -> Style:
    """The style of the box of a row."""
    return style_of(package_of(row), palette.name, is_jdk(row.label) or not row.spans)


def filling(row: Row, is_ascii: bool) -> str:
    """What fills a box behind its label where there are no colours."""
    signs = ASCII_FILLINGS if is_ascii else FILLINGS
    if is_jdk(row.label) or not row.spans:
        return signs[0]
    return signs[1 + zlib.crc32(package_of(row).encode("utf-8", "replace")) % (len(signs) - 1)]


def label_in(row: Row, width: int, number: str = "") -> str:
    """As much of a row's label as tells it in so many cells: class and method, the method, the beginning of it."""
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
        if number and line_width([Piece(f"{text}  {number}")]) <= width:
            return f"{text}  {number}"
        if line_width([Piece(text)]) <= width:
            return text
    return "".join(piece.text for piece in cut([Piece(texts[-1])], width))


def rest_text(width: int, number: str, is_ascii: bool) -> str:
    """The cells of a box that stands for many: a mark, and how much they are together where there is room for it."""
    mark = ":" if is_ascii else "┆"
    text = f"{mark}{'...' if is_ascii else '…'} {number}"
    return text.ljust(width) if len(text) <= width else mark.ljust(width)


def box_text(row: Row, width: int, number: str, palette: Palette, is_ascii: bool) -> str:
    """The cells of a box: its left edge, its label, and what fills the rest."""
    edge = "|" if is_ascii else "▏"
    label = label_in(row, width - 1, number) if width > 2 else ""
    used = line_width([Piece(label)])
    rest = width - 1 - used
    if palette.is_mono and rest > 1:
        return edge + label + " " + filling(row, is_ascii) * (rest - 1)
    return "".join(piece.text for piece in pad([Piece(edge + label)], width))
