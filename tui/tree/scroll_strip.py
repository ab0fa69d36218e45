"""The strip at the right edge: the whole document, its part on the screen, and the places of matches and marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.segment import Segment

from tui.screen.theme import Palette

Marks = Callable[[int], Iterable[int]] | Sequence[int]
"""Nodes of the document, or a function: number of equal pieces of the document -> those with a mark."""

SIGNS = (("mark", "◆", "+", "mark-sign"), ("match", "•", "o", "match"), ("problem", "!", "!", "problem"))
"""By kind: the sign, in ASCII, and its role; the first kind wins a cell. No sign points at the row beside it."""


class ScrollStrip:
    """One cell a line: a track, so that nothing on it looks like a mark of the row beside it.

    The marked cells are computed once for a height, not for each line.
    """

    def __init__(self) -> None:
        self._marks: Mapping[str, Marks] = {}
        self._cells: dict[int, tuple[str, str, str]] = {}
        self._made_for: tuple[int, int] | None = None

    def set_marks(self, marks: Mapping[str, Marks]) -> None:
        """Sets the marks."""
        self._marks = dict(marks)
        self._made_for = None

    def cell(
        self, y: int, shown: tuple[float, float], height: int, rows: int, palette: Palette, is_ascii: bool
    ) -> Segment:
        """Returns the cell for a line of the screen.

        shown: the part of the document on the screen, as fractions. rows: of the document.
        """
        if self._made_for != (height, rows):
            self._make(height, rows)
        sign = self._cells.get(y)
        if sign is not None:
            return Segment(sign[1] if is_ascii else sign[0], palette.style(sign[2], "page"))
        first = min(int(shown[0] * height), height - 1)
        last = max(first, min(int(shown[1] * height + 0.999), height) - 1)
        if shown[1] - shown[0] >= 1:
            first, last = height, -1
            if not self._cells:
                return Segment(" ", palette.ground("page"))
        if first <= y <= last:
            return Segment("#" if is_ascii else "┃", palette.style("thumb", "page"))
        return Segment("|" if is_ascii else "│", palette.style("divider", "page"))

    def _make(self, height: int, rows: int) -> None:
        self._made_for = height, rows
        self._cells = {}
        for kind, sign, ascii_sign, role in reversed(SIGNS):
            marks = self._marks.get(kind)
            if marks is None or not rows:
                continue
            pieces = marks(height) if callable(marks) else (min(node, rows - 1) * height // rows for node in marks)
            for piece in pieces:
                self._cells[piece] = sign, ascii_sign, role
