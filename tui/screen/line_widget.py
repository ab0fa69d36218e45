"""A widget of whole lines in full styles, which keeps each line until it is refreshed.

Textual draws borders, padding and titles around each line and applies filters. Lines that are as wide as their widget
and fully styled need none of that, which would take as long as drawing them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.screen.palettes import PALETTES
from tui.terminal.application import TerminalApp

if TYPE_CHECKING:
    from tui.screen.theme import Palette


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
