"""Numbers as lengths: bars in eighths of a cell, and charts with columns of eighths and an axis."""

from __future__ import annotations

from parsers.model.row import Chart, Unit
from tui.screen.sanitise import safe
from tui.tree.piece import Piece, width_of

LYING = " ▏▎▍▌▋▊▉█"
"""Eighths of a cell from the left."""
VERTICAL_BLOCKS = " ▁▂▃▄▅▆▇█"
"""Eighths of a cell from below."""
HEIGHT = 6
"""Lines of a chart without its axis."""


def bar(share: float, cells: int, is_ascii: bool = False) -> str:
    """A bar in exactly `cells` cells; any positive share is visible."""
    share = min(1.0, max(0.0, share))
    if is_ascii:
        length = max(round(share * cells), 1) if share else 0
        return ("=" * length).ljust(cells)
    eighths = max(round(share * cells * 8), 1) if share else 0
    whole, rest = divmod(eighths, 8)
    return (LYING[8] * whole + (LYING[rest] if rest else "")).ljust(cells)


def chart_lines(chart: Chart, width: int, is_ascii: bool = False, height: int = HEIGHT) -> list[tuple[Piece, ...]]:
    """Lines of a chart, at most `width` cells: the highest value at the left of the top line, the axis below."""
    top = max(chart.values, default=0)
    high, low = value_text(top, chart.unit), "0"
    margin = max(len(high), len(low)) + 1
    space = width - margin - 1
    if space < 4 or not chart.values:
        return [(Piece(f"highest {high}"[:width], "quiet"),)]
    heights = [value / top if top > 0 else 0.0 for value in at_width(chart.values, space)]
    lines = []
    for line in range(height - 1, -1, -1):
        name = high if line == height - 1 else low if line == 0 else ""
        cells = "".join(_cell(share * height - line, is_ascii) for share in heights)
        lines.append((Piece(name.rjust(margin) + " ", "quiet"), Piece(cells, "bar")))
    first, last = safe(chart.first), safe(chart.last)
    gap = space - width_of(first) - width_of(last)
    axis = first + " " * gap + last if gap > 0 else first[:space]
    return [*lines, (Piece(" " * (margin + 1) + axis, "quiet"),)]


def _cell(height: float, is_ascii: bool) -> str:
    """A cell of a column, filled from below by the part of `height` within it."""
    if is_ascii:
        return "#" if height >= 0.5 else "." if height > 0 else " "
    eighths = min(8, max(0, round(height * 8)))
    return VERTICAL_BLOCKS[max(eighths, 1)] if height > 0 else " "


def at_width(values: tuple[float, ...], width: int) -> list[float]:
    """Resamples values to one a cell: the highest of those that share a cell, or one for several cells."""
    count = len(values)
    return [
        max(values[cell * count // width : max((cell + 1) * count // width, cell * count // width + 1)])
        for cell in range(width)
    ]


def value_text(value: float, unit: Unit) -> str:
    """Short text of the highest value, with its unit."""
    number = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"
    return number if unit in ("count", "text") else number + (" %" if unit == "percent" else f" {unit}")
