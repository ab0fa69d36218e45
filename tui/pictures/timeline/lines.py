"""The lines of a time line: the ruler of the whole time, the axis of the visible part, lanes, and the legend."""

from __future__ import annotations

from math import ceil, log10
from typing import TYPE_CHECKING

import numpy as np
from rich.segment import Segment
from textual.strip import Strip

from parsers.views.timelines.timeline_view import LaneState, moment_text
from tui.pictures.chart.scale import ticks
from tui.pictures.timeline.lane_cells import CellStates
from tui.pictures.timeline.look import cell_sign, cell_style
from tui.pictures.timeline.timeline import TimeLinePicture
from tui.screen.sanitise import safe
from tui.screen.theme import Ground
from tui.tree.piece import Piece, cut, line_width, pad, segments, width_of

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

CELLS_A_TICK = 16
"""Cells for each number of the axis."""

ALONE = 10
"""Minimum length of an axis in steps of the last digit of its only number."""

MARKED = LaneState("sample", "", "mark")
MARKABLE = ("none", "there")
"""Tones of states in which samples are drawn."""


class TimeLineLines(TimeLinePicture):
    """Draws the lines of a time line."""

    def line(self, y: int) -> Strip:
        """Renders a line of the screen."""
        layout = self.layout
        if y < layout.head:
            line_segments = self._ruler() if y == 0 else self._axis()
        elif y - layout.head < layout.lanes and self._top + y - layout.head < len(self.order):
            line_segments = self._lane(self.order[self._top + y - layout.head])
        elif y == layout.height - 1 and layout.head:
            line_segments = self._legend()
        else:
            line_segments = []
        return Strip(line_segments).adjust_cell_length(layout.width, self.pane.palette.ground("page"))

    def _ruler(self) -> list[Segment]:
        """The whole time with the visible part and the cursor."""
        layout = self.layout
        window, is_ascii = self.window, self.pane.is_ascii
        scale, cells = layout.cells / max(window.last - window.first, 1e-9), layout.cells
        start = min(int(window.start * scale), cells - 1)
        stop = max(start + 1, min(cells, round(window.stop * scale)))
        rest, shown, here = "-=^" if is_ascii else "─━▼"
        signs = [rest] * start + [shown] * (stop - start) + [rest] * (cells - stop)
        cursor = max(0, min(int(self.position_of(self.moment) * scale), cells - 1))
        signs[cursor] = here
        length = moment_text(self.line_shown.length, 3 if self.line_shown.length < 10**11 else 0)
        title = safe(self.line_shown.title) or ("compressed" if self.view.is_compressed else "all")
        pieces = pad(cut([Piece(f"{title} {length}", "quiet")], layout.margin - 1), layout.margin)
        for place, sign in enumerate(signs):
            is_shown = start <= place < stop
            pieces.append(Piece(sign, "cursor" if sign == here else "bar" if is_shown else "divider"))
        return segments(pieces, self.pane.palette)

    def _axis(self) -> list[Segment]:
        """Moments, round ones on a linear scale; the cursor's moment at its place."""
        layout = self.layout
        cells, decimals = layout.cells, self.decimals
        cursor = self.cell_of(self.moment)
        named = [(cursor, moment_text(self.moment, decimals), "crumb")]
        named += [(cell, text, "quiet") for cell, text in self._ticks(cells, decimals)]
        taken: list[tuple[int, str, str]] = []
        for cell, text, role in named:
            start = max(0, min(cell - width_of(text) // 2, cells - width_of(text)))
            if all(start >= at + width_of(other) + 1 or start + width_of(text) + 1 <= at for at, other, _ in taken):
                taken.append((start, text, role))
        number = f"{self.place + 1} of {len(self.order)}" if len(self.order) > layout.lanes else ""
        pieces, end = pad(cut([Piece(number, "quiet")], layout.margin - 1), layout.margin), 0
        for start, text, role in sorted(taken):
            pieces += [Piece(" " * (start - end)), Piece(text, role)]
            end = start + width_of(text)
        return segments(cut(pieces, layout.width), self.pane.palette)

    def _ticks(self, cells: int, decimals: int) -> list[tuple[int, str]]:
        edges, most = self.edges, max(1, cells // CELLS_A_TICK)
        if self.view.is_compressed:
            places = [round((each + 0.5) * cells / most) for each in range(most)]
            return [(place, moment_text(int(edges[place]), decimals)) for place in places]
        found = ticks(float(edges[0]) / 1e9, float(edges[-1]) / 1e9, most, "s")
        step = found[1] - found[0] if len(found) > 1 else float(edges[-1] - edges[0]) / 1e9 / ALONE
        enough = max(0, ceil(-log10(max(step, 1e-9)) - 1e-9))
        moments = [round(tick * 1e9) for tick in found]
        return [(self.cell_of(moment), moment_text(moment, enough)) for moment in moments]

    def _lane(self, lane: int) -> list[Segment]:
        """The name of a lane, then its cells; equal neighbours are merged."""
        layout = self.layout
        palette, is_ascii, states = self.pane.palette, self.pane.is_ascii, self.view.states
        is_here = lane == self.lane
        ground: Ground = "page" if not is_here else "cursor" if self.pane.has_focus else "idle cursor"
        line_segments = segments(self._lane_name(lane, layout.margin - 1), palette, ground)
        line_segments += segments([Piece(" ")], palette)
        cells, paused = self.cells_of(lane), self.paused()
        cursor = self.cell_of(self.moment)
        for start, stop in _runs(cells, paused, cursor):
            state = states[int(paused[start] or cells.states[start])]
            if cells.has_marks[start] and state.tone in MARKABLE:
                state = MARKED
            sign = cell_sign(state, bool(cells.is_mixed[start]), is_ascii)
            under: Ground = "page"
            if start == cursor:
                under = "cursor" if is_here and self.pane.has_focus else "idle cursor"
            line_segments.append(Segment(sign * (stop - start), cell_style(state.tone, palette, under)))
        return line_segments

    def _lane_name(self, lane: int, width: int) -> list[Piece]:
        text = safe(self.lanes[lane].label)
        pattern = self.pane.pattern
        is_match = pattern is not None and bool(pattern.spans(text))
        return pad(cut([Piece(text, "match" if is_match else "text")], width), width)

    def _legend(self) -> list[Segment]:
        """Meanings of letters; for states in the cell under the cursor also their share of it."""
        layout = self.layout
        shares = self._shares()
        states = [(number, self.view.states[number]) for number in self.line_shown.shown]
        entries = [self._entry(state, state.name, shares.get(number)) for number, state in states]
        if sum(map(line_width, entries)) > layout.width:
            entries = [self._entry(state, state.short or state.name, shares.get(number)) for number, state in states]
        mixed = self._mixed_entry()
        if sum(map(line_width, [*entries, mixed])) <= layout.width:
            entries.append(mixed)
        elif sum(map(line_width, entries)) > layout.width:
            there = [(self.view.states[number], share) for number, share in shares.items()]
            entries = [self._entry(state, state.name, share) for state, share in there] or entries
        return segments(cut([piece for entry in entries for piece in entry], layout.width), self.pane.palette)

    def _mixed_entry(self) -> list[Piece]:
        """The looks of cells with several states, as far as the shown ones have them."""
        signs = dict.fromkeys(self._sign(number, True) for number in self.line_shown.shown)
        whole = {self._sign(number, False) for number in self.line_shown.shown}
        mixed = "".join(sign for sign in signs if sign not in whole)
        return [Piece(f" {mixed} partly ", "quiet")] if mixed else []

    def _sign(self, state: int, is_mixed: bool) -> str:
        return cell_sign(self.view.states[state], is_mixed, self.pane.is_ascii)

    def _shares(self) -> dict[int, float]:
        """By state: share of the cell under the cursor."""
        cells, cursor = self.cells_of(self.lane), self.cell_of(self.moment)
        if not 0 <= cursor < len(cells.states):
            return {}
        width = max(1, int(self.edges[cursor + 1] - self.edges[cursor]))
        found = {state: int(share[cursor]) / width for state, share in cells.shares.items() if share[cursor]}
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def _entry(self, state: LaneState, name: str, share: float | None) -> list[Piece]:
        sign = cell_sign(state, False, self.pane.is_ascii)
        percent = "" if share is None else f" {100 * share:.0f} %" if share >= 0.01 else " <1 %"
        role = "text" if share is not None else "quiet"
        return [Piece(f" {sign} ", "strong" if share is not None else "quiet"), Piece(f"{name}{percent} ", role)]

    @property
    def decimals(self) -> int:
        """Decimals of seconds that distinguish neighbouring cells."""
        step = max(1, int(self.edges[-1] - self.edges[0]) // self.layout.cells)
        return max(0, ceil(9 - log10(step)))


def _runs(cells: CellStates, paused: U8Array, cursor: int) -> list[tuple[int, int]]:
    """Ranges of cells that look alike, half open; the cursor's cell by itself."""
    look = cells.states.astype(np.int16) * 4 + cells.is_mixed * 2 + cells.has_marks
    look[paused > 0] = -1 - paused[paused > 0].astype(np.int16)
    if 0 <= cursor < len(look):
        look[cursor] = -1
    starts = [0, *(np.flatnonzero(np.diff(look)) + 1).tolist()]
    return list(zip(starts, [*starts[1:], len(look)], strict=True))
