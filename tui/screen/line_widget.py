"""A widget of whole lines in full styles, cached until refreshed; panes: such widgets with rows and a cursor.

Textual draws borders, padding and titles around each line and applies filters. Lines that are as wide as their widget
and fully styled need none of that, which would take as long as drawing them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.screen.palettes import PALETTES
from tui.terminal.application import TerminalApp
from tui.tree.viewport import Scrolled

if TYPE_CHECKING:
    from parsers.model.row import Row
    from parsers.model.view import View
    from tui.screen.theme import Palette

WHEEL_ROWS = 3
"""Rows that one step of the wheel scrolls."""

MOST_SELECTED = 5_000
"""Maximum rows that one drag of the mouse copies."""


class LineWidget(Widget):
    """Lines of `render_line`, which returns each exactly as wide as the widget."""

    def __init__(self, id: str | None = None) -> None:
        self._cached_lines: dict[int, Strip] = {}
        self._cached_size = Size()
        super().__init__(id=id)

    @property
    def palette(self) -> Palette:
        """The colours and styles in use."""
        return self.app.palette if isinstance(self.app, TerminalApp) else PALETTES["dark"]

    @property
    def is_ascii(self) -> bool:
        """True if only ASCII characters are drawn."""
        return isinstance(self.app, TerminalApp) and self.app.is_ascii

    def render_lines(self, crop: Region) -> list[Strip]:
        """Returns the lines of a part of the widget; draws only those that changed."""
        if self._cached_size != self.size:
            self._cached_lines.clear()
            self._cached_size = self.size
        kept, lines = self._cached_lines, []
        for y in crop.line_range:
            line = kept.get(y)
            if line is None:
                line = kept[y] = self.render_line(y)
            lines.append(line)
        if crop.column_span != (0, self._cached_size.width):
            return [line.crop(*crop.column_span) for line in lines]
        return lines

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> LineWidget:
        """Marks the lines of the regions for drawing again; without regions all lines."""
        if not regions:
            self._cached_lines.clear()
        for region in regions:
            for y in region.line_range:
                self._cached_lines.pop(y, None)
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self

    def notify_style_update(self) -> None:
        """Redraws all lines in changed colours."""
        super().notify_style_update()
        self._cached_lines.clear()


class Pane(Scrolled, LineWidget, can_focus=True, inherit_bindings=False):
    """Rows with a cursor, which the wheel scrolls. A drag of the mouse copies those over which it was released."""

    DEFAULT_CSS = "Pane { width: 1fr; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = []
    ALLOW_SELECT = False
    is_list = False
    """True for a list: typing narrows it, and its rows can be sorted."""
    is_page = False
    """True for a page of text: typing searches in it."""
    sideways = 1
    """Cells that the wheel scrolls sideways for each row."""

    class Selected(Message):
        """Posted at the end of a drag with the texts of the rows."""

        def __init__(self, texts: list[str]) -> None:
            super().__init__()
            self.texts = texts

    class Entered(Message):
        """Posted when a click on a row of a pane acts as Enter."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.when_moved: Callable[[], object] = lambda: None
        """Called when the cursor is on another row, or the rows around it have changed."""
        self.selected = range(0)
        """Rows between the beginning and the end of the drag; empty: none."""
        self.was_dragged = False
        """True if the last press of the button selected rows; the click after it is no click on a row."""
        self._pressed: int | None = None
        """Row where the button was pressed, while it is held."""

    @property
    def cut_text(self) -> str:
        """The text of the row under the cursor that its line has no room for; empty if there is none."""
        return ""

    @property
    def can_refill(self) -> bool:
        """True if the rows can be made again from the present state of the report."""
        return False

    def place(self) -> tuple[View, int] | None:
        """View and node of the row under the cursor; None: it shows no node of a report."""
        return None

    def row_at_cursor(self) -> Row | None:
        """The row of the report under the cursor; None: there is none."""
        place = self.place()
        return None if place is None else place[0].tree.row(place[1])

    def activate(self) -> None:
        """Handles Enter; does nothing on a page of text."""

    def refresh_rows(self) -> None:
        """Handles progress of the index: makes the rows again if that is possible."""

    def row_at(self, y: int) -> int | None:
        """The row in a line of the widget, of rows above or below it the nearest; None: no row can be selected."""
        raise NotImplementedError

    def row_texts(self, rows: range) -> list[str]:
        """The whole texts of some rows, printable."""
        raise NotImplementedError

    def scroll_sideways(self, cells: int) -> None:
        """Scrolls right, or left if negative."""
        raise NotImplementedError

    def scroll_to_end(self) -> None:
        """Scrolls to the end of the longest row on the screen, or back."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls with the wheel; with Shift sideways."""
        self._wheel(event, WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls with the wheel; with Shift sideways."""
        self._wheel(event, -WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        if event.shift:
            self.scroll_sideways(self.sideways * rows)
        else:
            self.scroll_by(rows)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Remembers the row at which a drag may begin."""
        self.was_dragged = False
        self._pressed = self.row_at(event.y) if event.button == 1 else None
        if self._pressed is not None:
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Selects the rows from the beginning of the drag to the mouse; outside of the widget scrolls."""
        if self._pressed is None:
            return
        if not 0 <= event.y < self.size.height:
            self.scroll_by(1 if event.y > 0 else -1)
        row = self.row_at(min(max(event.y, 0), self.size.height - 1))
        if row is not None and (self.selected or row != self._pressed):
            self.selected = range(min(row, self._pressed), max(row, self._pressed) + 1)
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Copies the selected rows."""
        self.release_mouse()
        self._pressed = None
        if self.selected:
            self.post_message(self.Selected(self.row_texts(self.selected[:MOST_SELECTED])))
            self.selected, self.was_dragged = range(0), True
            self.refresh()
