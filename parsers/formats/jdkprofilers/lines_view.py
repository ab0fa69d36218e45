"""A view whose rows are lines of the file, in their order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TypeVar

from parsers.formats.jdkprofilers.array_view import ArrayView
from parsers.formats.jdkprofilers.line_rows import LinesRecording
from parsers.model.lookup import place_in
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Badge, Row, Span

Content = tuple[str, Mapping[str, Badge], tuple[Span, ...]]
"""Label, badges and spans of a row."""


Lines = TypeVar("Lines", bound=LinesRecording)


class LinesView(ArrayView[Lines]):
    """A `Document`. Places are (0, row of the recording's `rows`), ascending."""

    kind_words: Sequence[str] = ()
    """By kind: the name of such rows."""
    no_lines: tuple[int, ...] = ()
    """Kinds of rows that are no line of their own."""

    def content(self, kind: int, item: int, number: int) -> Content:
        """Returns label, badges and spans of a row."""
        raise NotImplementedError

    def look(self, kind: int, item: int, content: Content) -> dict[str, object]:
        """Returns further fields of a row: link, bars, look."""
        return {}

    def ref(self, node: int, kind: int, number: int) -> str:
        """Returns the REF of a row: its line."""
        return self.recording.rows.ref(number, node)

    def show(self, node: int, level: int, number: int) -> Row:
        """Returns the row of a line."""
        rows = self.recording.rows
        kind, item = rows.kinds[number], rows.items[number]
        content = label, badges, spans = self.content(kind, item, number)
        return self.row_of(
            node,
            kind=self.kind_words[kind],
            label=label,
            badges=badges,
            flags=rows.words(number),
            ref=self.ref(node, kind, number),
            line=rows.lines[number],
            offset=rows.offsets[number],
            spans=spans,
            **self.look(kind, item, content),
        )

    def node(self, level: int, number: int) -> int | None:
        """Returns the node of a row of the recording; None if the view lacks it."""
        return place_in(self.places.numbers, number)

    def offset(self, level: int, number: int) -> int:
        """Returns the offset of the line; -1 for a row that is no line of its own."""
        rows = self.recording.rows
        return -1 if rows.kinds[number] in self.no_lines else rows.offsets[number]

    def node_at(self, offset: int) -> int | None:
        """Returns the row whose line contains this byte; None before the first row."""
        return self.node(0, bisect_right(self.recording.rows.offsets, offset) - 1)

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the node of `line:`."""
        lines = self.recording.rows.lines
        if kind != "line" or (line := ref_number(value, 1 << 32)) is None:
            return []
        row = bisect_right(lines, line) - 1
        node = self.node(0, row) if row >= 0 and lines[row] == line else None
        return [] if node is None else [node]
