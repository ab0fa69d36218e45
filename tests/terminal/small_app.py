"""A small app on the terminal layer: numbered rows with a cursor, as a tree would be. Run by the tests on a pty."""

from __future__ import annotations

import os
import sys

from tui.screen.palettes import choose
from tui.terminal.environment import prepare

palette = choose(os.environ)
prepare(os.environ)

from rich.segment import Segment  # noqa: E402
from textual.app import ComposeResult  # noqa: E402
from textual.events import Key, Paste  # noqa: E402
from textual.geometry import Size  # noqa: E402
from textual.scroll_view import ScrollView  # noqa: E402
from textual.strip import Strip  # noqa: E402

from tui.screen.sanitise import safe  # noqa: E402
from tui.terminal import signals  # noqa: E402
from tui.terminal.application import TerminalApp  # noqa: E402
from tui.terminal.run import Session  # noqa: E402


class Rows(ScrollView, can_focus=True, inherit_bindings=False):
    """Ten thousand rows."""

    DEFAULT_CSS = "Rows { scrollbar-size: 1 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.cursor = 0
        self.said = "nothing"

    def on_mount(self) -> None:
        self.virtual_size = Size(0, 10_000)
        self.focus()

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_offset.y)
        ground = "cursor" if row == self.cursor else "page"
        style = self.app.palette.style
        words = [
            Segment(" " * (row % 7) * 2, style("guide", ground)),
            Segment("→ ", style("mark", ground)),
            Segment("java.util.", style("package", ground)),
            Segment(f"Map{row}.", style("class", ground)),
            Segment("get", style("name", ground)),
            Segment("(Object):Object", style("argument", ground)),
            Segment(f"  {self.said}" if row == self.cursor else "", style("text", ground)),
        ]
        left, right = Strip(words), Strip([Segment(f"#{row * 7:>8,}", style("number", ground))])
        width = self.size.width
        return Strip.join([left.adjust_cell_length(max(0, width - 9), style("text", ground)), right]).crop_extend(
            0, width, style("text", ground)
        )

    def move(self, rows: int) -> None:
        self.refresh_line(self.cursor - round(self.scroll_offset.y))
        self.cursor = max(0, min(9_999, self.cursor + rows))
        top, height = round(self.scroll_offset.y), self.size.height
        if not top <= self.cursor < top + height:
            self.scroll_to(y=self.cursor - (height - 1 if rows > 0 else 0), animate=False, immediate=True, force=True)
        self.refresh_line(self.cursor - round(self.scroll_offset.y))

    def show_message(self, text: str) -> None:
        self.said = safe(text)
        self.refresh()

    def on_paste(self, event: Paste) -> None:
        self.show_message(f"paste {event.text}")

    def on_key(self, event: Key) -> None:
        match event.key:
            case "j" | "down":
                self.move(1)
            case "k" | "up":
                self.move(-1)
            case "f" | "pagedown":
                self.move(self.size.height)
            case "q":
                self.app.exit(return_code=0)
            case "ctrl+z":
                self.app.action_suspend_process()
            case "ctrl+l":
                self.app.redraw()
            case "f2":
                driver = self.app.terminal_driver
                self.app.take_mouse(not driver.takes_mouse)
                self.show_message(f"mouse {driver.takes_mouse}")
            case "y":
                self.show_message(self.app.copy("java.util.Map"))
            case "p":
                self.app.print_and_wait("java.util.Map.get\nsecond line")
            case "x":
                secret = "do not show me"  # noqa: F841
                raise LookupError("broken \x1b[31m on purpose")
            case "o":
                os.write(2, b"a late word of a library\n")
                os.write(1, b"another late word\n")
            case "r":
                self.show_message("read " + sys.stdin.readline().strip())
            case "b":
                signals.GRACE = 0.5
                while True:
                    pass
            case _:
                self.show_message(f"key {event.key}")


class SmallApp(TerminalApp):
    def compose(self) -> ComposeResult:
        yield Rows()


if __name__ == "__main__":
    with Session() as session:
        session.run(SmallApp(palette))
    status = session.status
    print("after the end", file=sys.stderr)
    sys.exit(status)
