"""The first frame of a report: its rows are on the screen before Textual is imported, which then shows the same."""

from __future__ import annotations

import os

from rich.segment import Segment

from parsers.model.report import Report
from parsers.model.view import View
from tui.screen import frame, status_line
from tui.screen.arrangement import ABOVE, BELOW, SHARES, is_too_small, stored_shares, tree_size
from tui.screen.theme import Palette
from tui.settings.state_folder import StateFolder, config_path, state_path
from tui.terminal.ascii import is_ascii
from tui.tree.piece import Piece, cut, pad, segments
from tui.tree.tree_lines import Surface, TreeLines

ROWS = ("tree", "table")
"""Shapes of views that are shown as rows, not as pictures."""


class FirstRows(TreeLines):
    """The first rows of a view."""

    def __init__(self, report: Report, view: View, surface: Surface, lines: int) -> None:
        super().__init__(report, view)
        self._surface = surface
        self.viewport.resize(lines)
        self.show(report, view)

    def surface(self) -> Surface:
        """Properties of the area in which lines are drawn."""
        return self._surface


def first_frame(report: Report, palette: Palette, width: int, height: int) -> list[list[Segment]]:
    """The lines of title, crumbs, headings, rows and position; blank ones for details and keys, which follow.

    There are none where the first screen may look different: pictures, views without rows yet, a configured look.
    """
    view = report.views[0]
    is_certain = view.shape in ROWS and view.is_ready and view.is_prepared and not config_path(os.environ).exists()
    if not is_certain or is_too_small(width, height) or height <= ABOVE + BELOW:
        return []
    columns, lines = tree_size(width, height, stored_shares(StateFolder(state_path(os.environ)).read(SHARES)))
    rows = FirstRows(report, view, Surface(columns, width, palette, is_ascii(os.environ)), lines)
    left = frame.title_left(report)
    right = frame.title_right(report, rows=frame.row_total(view) if report.is_complete else None)
    title = frame.fitted_line(left, cut(right, frame.title_space(left[0], width)), width)
    beside = segments([Piece(" " * (width - columns))], palette)
    blank = segments([Piece(" " * width)], palette)
    shown = [
        segments(title, palette, "panel"),
        segments(pad(status_line.path(rows, width), width), palette),
        segments(pad(frame.heading_pieces(rows), width), palette),
        *([*rows.draw_line(y), *beside] for y in range(lines)),
    ]
    position = segments(frame.fitted_line(status_line.place(rows, False), [], width), palette, "panel")
    return [*shown, *[blank] * (height - len(shown) - BELOW), position, blank]
