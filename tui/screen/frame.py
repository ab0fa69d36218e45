"""The lines around the tree: what the title, the crumbs and the status line say, and the widget of such a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from parsers.model.capabilities import EstimatesSizes
from parsers.model.report import Progress, Report, Row, View
from tui.screen.line_widget import LineWidget
from tui.screen.sanitise import safe
from tui.screen.theme import Ground, Palette
from tui.tree.piece import Piece, changed_cells, cut, pad, segments, width_of

CRUMB = " ▸ "
"""Between two crumbs."""

UNITS = ("B", "KB", "MB", "GB", "TB")


class TextLine(LineWidget):
    """One line: pieces from the left, and pieces at the right edge, which win where both do not fit."""

    DEFAULT_CSS = "TextLine { height: 1; width: 1fr; }"

    class Clicked(Message):
        """A piece with an action was clicked."""

        def __init__(self, line: TextLine, action: str) -> None:
            super().__init__()
            self.line = line
            self.action = action

    def __init__(self, id: str | None = None, ground: Ground = "panel") -> None:
        super().__init__(id=id)
        self._ground: Ground = ground
        self._left: tuple[Piece, ...] = ()
        self._right: tuple[Piece, ...] = ()

    def set_pieces(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """What the line shows; nothing is drawn if it shows just that."""
        if (tuple(left), tuple(right)) == (self._left, self._right):
            return
        width = self.size.width
        before = self._fitted(width)
        self._left, self._right = tuple(left), tuple(right)
        changed = changed_cells(before, self._fitted(width))
        if changed is not None:
            # On a slow line it matters that a number does not send the whole line.
            self.refresh(Region(changed[0], 0, changed[1] - changed[0], 1))

    def set_ground(self, ground: Ground) -> None:
        """What is behind the text."""
        if ground != self._ground:
            self._ground = ground
            self.refresh()

    @property
    def text(self) -> str:
        """The line as it is drawn."""
        return self.render_line(0).text

    def render_line(self, y: int) -> Strip:
        """The line, exactly as wide as the widget."""
        width = self.size.width
        line: list[Segment] = segments(self._fitted(width), self.palette, self._ground)
        return Strip(line).crop(0, width)

    def _fitted(self, width: int) -> list[Piece]:
        """Left pieces, blanks, right pieces: as wide as asked for."""
        right = cut(self._right, width)
        used = sum(width_of(piece.text) for piece in right)
        room = max(0, width - used - (2 if right else 0))
        return [*pad(cut(self._left, room), width - used), *right]

    def on_click(self, event: events.Click) -> None:
        """Tells which piece was clicked."""
        cell = 0
        for piece in self._fitted(self.size.width):
            cell += width_of(piece.text)
            if event.x < cell:
                if piece.action:
                    self.post_message(self.Clicked(self, piece.action))
                return


class KeyLine(TextLine):
    """The keys that make sense, or a prompt in their place: one widget, so that nothing is laid out for a prompt."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, ground="page")
        self._over: Callable[[Palette, int], list[Segment]] | None = None

    def draw_over(self, draw: Callable[[Palette, int], list[Segment]] | None) -> None:
        """Draw a line of so many cells in place of the keys; None: the keys again."""
        self._over = draw
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, exactly as wide as the widget."""
        if self._over is None:
            return super().render_line(y)
        width = self.size.width
        return Strip(self._over(self.palette, width), width)

    def on_click(self, event: events.Click) -> None:
        """Keys under a prompt can't be clicked."""
        if self._over is not None:
            event.prevent_default()


def fitting(groups: Sequence[Sequence[Piece]], width: int) -> list[Piece]:
    """Groups of pieces that fit as a whole; the last one always does, as it leads to all that was left out."""
    widths = [sum(width_of(piece.text) for piece in group) for group in groups]
    room = width - (widths[-1] if widths else 0)
    kept: list[Piece] = []
    for group, taken in zip(groups[:-1], widths, strict=False):
        room -= taken
        if room < 0:
            break
        kept += group
    return [*kept, *(groups[-1] if groups else ())]


def order_words(view: View, order: str) -> str:
    """By what rows are sorted: the title of the column, if there is one of that name."""
    name = order.removeprefix("-")
    title = next((column.title for column in view.columns if column.name == name), name)
    return f"by {safe(title.lower())}" + (", reversed" if order.startswith("-") else "")


def size_text(count: float) -> str:
    """Bytes for people: three digits are enough."""
    for unit in UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {UNITS[-1]}"


def title_left(report: Report) -> list[Piece]:
    """The file, its format and its size."""
    version = report.format_version
    words = f"{report.format_title} {version}" if version else report.format_title
    estimated = " · sizes are estimates" if isinstance(report, EstimatesSizes) and report.estimated else ""
    return [
        Piece(" " + safe(report.title), "title"),
        Piece(f"  {safe(words)} · {size_text(report.size)}{estimated}", "title-dim"),
    ]


def title_right(report: Report, says: str = "", live: str = "") -> list[Piece]:
    """The state of the index; problems; or what has happened to the file. live: what is said of who writes it."""
    pieces = []
    if live:
        pieces.append(Piece(safe(live) + "  ", "progress"))
    if says:
        pieces.append(Piece(safe(says) + "  ", "problem"))
    count = report.problem_count
    if count:
        pieces.append(Piece(f"! {count:,} problem{'s' if count > 1 else ''}", "problem", "run:problems"))
        pieces.append(Piece(" · ", "title-dim"))
    pieces.append(progress_piece(report.progress))
    return [*pieces, Piece(" ", "title-dim")]


def room_beside(name: Piece, width: int, live: str = "") -> int:
    """Cells of the title that what happens may take beside the name of the file; of a long name it takes a third.

    What is said of who writes the file tells more than its name, which is made of that.
    """
    return max(width - width_of(name.text) - 4, 2 * width // 3 if live else width // 3)


def progress_piece(progress: Progress) -> Piece:
    """How far the index is, how fast, and how long it will take."""
    if progress.state == "ready":
        return Piece(f"indexed · {progress.rows:,} rows", "title-dim")
    if progress.state == "failed":
        words = "indexing ended early: " if progress.stage else "no index: "
        return Piece(words + safe(progress.says or "the builder ended"), "problem")
    if progress.state == "stopped":
        return Piece("indexing was stopped" + (f" before {progress.stage}" if progress.stage else ""), "problem")
    words = {"waiting": safe(progress.says) or "waiting", "unpacking": "unpacking", "indexing": ""}[progress.state]
    if progress.state == "waiting" or not progress.total or not progress.done:
        return Piece(words or "indexing", "progress")
    if progress.done >= progress.total and progress.says:
        return Piece(safe(progress.says), "progress")
    share = min(100, 100 * progress.done // progress.total)
    rate = progress.bytes_per_second
    parts = [f"{words} {share} %".strip()]
    if progress.stage and progress.state == "indexing":
        # Bytes are not what takes time in a stage; of some it isn't told how far they are.
        parts = [f"{progress.stage} {100 * progress.share:.0f} %" if progress.share else progress.stage]
    elif rate:
        parts.append(f"{size_text(rate)}/s")
    if rate:
        left = (progress.total - progress.done) / rate
        parts.append(f"{left:.0f} s left" if left < 100 else f"{left / 60:.0f} min left")
    return Piece(" · ".join(parts), "progress")


def crumb_text(row: Row) -> str:
    """A row in a word or two: class and name of a method, the class of a type, else the beginning of its label."""
    spans = {span.role: span for span in row.spans if span.role in ("class", "name")}
    if spans:
        start = min(span.start for span in spans.values())
        end = max(span.end for span in spans.values())
        return safe(row.label[start : min(end, start + 60)])
    return safe(row.label[:40])


def crumb_pieces(
    crumbs: Sequence[tuple[str, str]], width: int, is_cut: bool = False, chosen: int | None = None
) -> list[Piece]:
    """The path to the cursor: the last crumbs that fit. Each is a text and the action of a click.

    is_cut: there are more before. chosen: the crumb that the cursor of the crumb bar is on.
    """
    kept: list[tuple[int, str, str]] = []
    room = width - 4
    for index in range(len(crumbs) - 1, -1, -1):
        text, action = crumbs[index]
        room -= width_of(text) + len(CRUMB)
        if kept and room < 0:
            is_cut = True
            break
        kept.insert(0, (index, text, action))
    pieces = [Piece(" …" + CRUMB if is_cut else " ", "crumb")]
    for index, text, action in kept:
        role = "current-match" if index == chosen else "crumb"
        pieces.append(Piece(text, role, action))
        if index < len(crumbs) - 1:
            pieces.append(Piece(CRUMB, "crumb"))
    return pieces
