"""One row as a line of a given width: signs, indentation, label, flags, and columns at the right edge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.segment import Segment

from parsers.model.report import Report
from parsers.model.row import Column, Kind, Row, Section, SectionRow
from parsers.model.value import value_class
from parsers.model.view import View
from tui.pictures.chart.bar import bar
from tui.screen.sanitise import safe
from tui.screen.theme import Ground, Palette
from tui.tree import indentation
from tui.tree.column_text import column_text, in_millions, titled
from tui.tree.indentation import Indentation
from tui.tree.label import BARE, PLAIN, fitted_label, label_pieces
from tui.tree.piece import Piece, cut, cut_middle, line_width, pad, segments, width_of

LEAST_LABEL, SHORTEST_LABEL = 36, 16
"""Minimum cells of a label; columns are omitted before it gets narrower, the last one before it is shortest."""

IMPORTANT = 3
"""Number of columns, the most important ones, that are preferred to the bars beside numbers."""

MOST_REMARK = 1_000
"""Maximum characters of a remark that are shown, and examined in lists."""

has_digit = re.compile(r"\d").search
"""True for a value: an address, an id, a number."""

LEAST_REMARK = 6
"""Minimum cells of a remark after the label, with the blanks before it."""

FLAG_SIGNS = {
    "suppressed": "+",
    "empty": "-",
    "unknown": "?",
    "repaired": "~",
    "damaged": "!",
    "dangling": "!",
    "recursive": "@",
    "truncated": "…",
    "partial": "…",
}
"""Signs before the word of a flag, so that colour is not the only mark."""

FLAG_WORDS = {"suppressed": "(expansion suppressed)"}
"""Texts of flags that GraalVM prints itself."""

FLAG_MEANINGS = {"suppressed": "expansion suppressed: what is below is not shown"}
"""Explanations of flags in the pane; a row may show only the flag's sign."""

LEAST_NAME = 16
"""Cells that a label keeps beside its flags, if its shortest form is that long."""


@value_class
class RowLayout:
    """Properties shared by all rows of a screen."""

    width: int
    columns: tuple[Column, ...]
    names: int = PLAIN
    """Maximum length of names: a length of `tui.tree.label`."""
    left: int = 0
    """Cells by which names are scrolled sideways."""
    indentation: Indentation = indentation.PLAIN
    is_ascii: bool = False
    number_width: int = 0
    """Width in cells of the number at the start of a row; 0: none."""

    @property
    def label_width(self) -> int:
        """Cells left of the columns."""
        return max(1, self.width - sum(column.width + 1 for column in self.columns))


@value_class
class RowState:
    """State that a row's line shows besides the row."""

    depth: int
    fold: str = " "
    """`+` closed, `-` open, blank: no children."""
    is_cursor: bool = False
    has_focus: bool = True
    is_sticky: bool = False
    mark: str = ""
    """One character: the letter of a mark, or the sign of a tag."""
    matches: tuple[tuple[int, int], ...] = ()
    """Characters of the label, half open, ascending."""
    is_current_match: bool = False
    number: str = ""
    """The row's number in the document."""
    remark: str = ""
    """Remark of the view beside the label."""


def fitting_columns(
    columns: Sequence[Column], width: int, sorted_by: str = "", label_width: int = LEAST_LABEL
) -> tuple[Column, ...]:
    """Columns that fit beside a label; lowest priority is omitted first, the sorted column last.

    Bars are omitted before one of the most important columns.
    """
    kept = list(columns)
    while kept and width - sum(column.width + 1 for column in kept) < label_width:
        if len(kept) <= IMPORTANT and any(column.bar for column in kept):
            kept = [without_bar(column) for column in kept]
        elif len(kept) == 1 and width - kept[0].width > SHORTEST_LABEL:
            break
        else:
            kept.remove(min(reversed(kept), key=lambda column: (column.name == sorted_by, column.priority)))
    return tuple(kept)


def without_bar(column: Column) -> Column:
    """The column with its number only."""
    width = max(column.width - column.bar - 1, width_of(titled(column)))
    return replace(column, width=width, bar=0) if column.bar else column


def row_segments(row: Row, kind: Kind | None, state: RowState, layout: RowLayout, palette: Palette) -> list[Segment]:
    """Builds the line of a row, exactly `layout.width` cells."""
    ground: Ground = "page"
    if state.is_cursor:
        ground = "cursor" if state.has_focus else "idle cursor"
    front = [*_front(state, layout), *_stem(kind, state, layout)]
    columns = column_pieces(row, layout.columns, layout.is_ascii)
    # A label may fill the columns beside it that are blank in its row.
    used = next((index for index, piece in enumerate(columns) if not piece.text.isspace()), len(columns))
    width = space = layout.label_width + line_width(columns[:used])
    flags = flag_pieces(row, space, line_width(front)) if row.flags else []
    space -= line_width(flags)
    remark = own_value(row, state.remark)
    if layout.left:
        label = label_pieces(row, layout.names, state.matches, state.is_current_match)
    else:
        left = space - line_width(front)
        # A value, unlike a remark in words, may be all that distinguishes siblings.
        if kept := has_digit(remark) is not None:
            whole = width_of(remark) + 2
            is_whole = line_width(label_pieces(row, BARE)) + whole <= left
            left -= whole if is_whole else min(whole, max(LEAST_REMARK, left // 3))
        label = fitted_label(row, layout.names, left, state.matches, state.is_current_match)
        is_value = kept or has_digit(row.label) or any(span.role == "class" for span in row.spans)
        # A label with a match was moved so that the match is at its beginning.
        if is_value and not state.matches:
            label = cut_middle(label, left)
    if remark:
        label += remark_pieces(remark, space - line_width([*front, *label]), is_alone=not row.label)
    line = [*cut([*front, *label], space, layout.left, keep=3 if layout.number_width else 2), *flags]
    line = [*pad(line, width), *columns[used:]]
    if state.is_sticky:
        line = [
            piece if piece.role in ("guide", "text") and piece.text.isspace() else piece._replace(role="sticky")
            for piece in line
        ]
    return segments(pad(line, layout.width), palette, ground)


def own_value(row: Row, remark: str) -> str:
    """Removes the class from an identity such as `HashMap.Node@15`: the label has it already."""
    holder = next((row.label[span.start : span.end] for span in row.spans if span.role == "class"), "")
    name, at, number = remark.partition("@")
    return at + number if at and name == holder.replace("$", ".") else remark


def plain_row(row: Row, depth: int, mark: str, view: View) -> str:
    """A row as on the screen, printable, with everything that a narrow window cuts."""
    label = "".join(piece.text for piece in label_pieces(row, PLAIN))
    return f"{'  ' * depth}{mark} {label}{safe(plain_columns(row, view))}".rstrip()


def kind_sign(report: Report, row: Row, is_ascii: bool) -> str:
    """The sign of a row's kind; empty if it has none."""
    kind = report.kinds.get(row.kind)
    return "" if kind is None else kind.ascii if is_ascii else kind.mark


def plain_columns(row: Row, view: View) -> str:
    """The texts of all columns of a row, each after two blanks."""
    texts = [column_text(row, column) for column in view.columns]
    return "".join(f"  {text}" for text in texts if text)


def flag_pieces(row: Row, space: int, used: int) -> list[Piece]:
    """Flags after a label, which gets shorter for them: in full words, else as sign and word, else as signs.

    space: cells of the row left of its numbers
    used: cells before the label
    """
    least = min(LEAST_NAME, line_width(label_pieces(row, BARE)))
    words = [Piece(f"  {FLAG_WORDS[flag]}" if flag in FLAG_WORDS else _signed(flag), "flag") for flag in row.flags]
    signed = [Piece(_signed(flag), "flag") for flag in row.flags]
    signs = [Piece(" " + FLAG_SIGNS.get(flag, "!"), "flag") for flag in row.flags]
    fits = (flags for flags in (words, signed) if used + least + line_width(flags) <= space)
    return next(fits, cut(signs, space // 2))


def flag_section(row: Row) -> Section | None:
    """Explanation of a row's flags, for the pane."""
    texts = [f"{FLAG_SIGNS.get(flag, '!')} {FLAG_MEANINGS.get(flag, flag)}" for flag in row.flags]
    return Section("", rows=tuple(SectionRow("", text) for text in texts)) if texts else None


def _signed(flag: str) -> str:
    return f"  {FLAG_SIGNS.get(flag, '!')}{flag}"


def _front(state: RowState, layout: RowLayout) -> Iterable[Piece]:
    """The two cells in front: the cursor, and the user's own mark."""
    if state.is_cursor:
        yield Piece(">" if layout.is_ascii else "█", "cursor")
    else:
        yield Piece(" ")
    if state.mark:
        yield Piece(safe(state.mark), "mark-sign")
    else:
        yield Piece(" ")
    if layout.number_width:
        yield Piece(state.number.rjust(layout.number_width) + " ", "number")


def _stem(kind: Kind | None, state: RowState, layout: RowLayout) -> Iterable[Piece]:
    """Indentation, the sign of folding and the mark of the kind."""
    cells = layout.indentation.cells(state.depth)
    if cells:
        yield Piece(" " * cells, "text")
    signs = {"+": "+", "-": "-"} if layout.is_ascii else {"+": "▸", "-": "▾"}
    yield Piece(signs.get(state.fold, " ") + " ", "fold")
    mark = "" if kind is None else (kind.ascii if layout.is_ascii else kind.mark)
    if mark:
        yield Piece(mark + " ", "mark")


def remark_pieces(remark: str, space: int, is_alone: bool = False) -> list[Piece]:
    """A remark after the label, if some of it fits; a value is cut in its middle. is_alone: the label is empty."""
    if not remark or space < LEAST_REMARK:
        return []
    text = safe(remark[:MOST_REMARK])
    shorten = cut_middle if has_digit(text) else cut
    gap = [] if is_alone else [Piece("  ")]
    return [*gap, *shorten([Piece(text, "text" if is_alone else "quiet")], space - line_width(gap))]


def column_pieces(row: Row, columns: Sequence[Column], is_ascii: bool = False) -> list[Piece]:
    """The numbers at the right edge, each column one cell apart and flush right."""
    pieces = []
    for column in columns:
        text = column_text(row, column, is_ascii)
        space = column.width - (column.bar + 1 if column.bar else 0)
        if width_of(text) > space:
            text = cut([Piece(in_millions(text))], space)[0].text
        width = width_of(text)
        pieces.append(Piece(" " * (1 + space - width) + text, "column"))
        if column.bar:
            pieces.append(Piece(" " + bar(row.bars.get(column.name, 0.0), column.bar, is_ascii), "bar"))
    return pieces
