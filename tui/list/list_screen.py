"""A screen with a list, a status line about its rows, and the keys below: chosen rows open screens over it."""

from __future__ import annotations

from functools import cached_property

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from tui.input.keys.registry import Context
from tui.interaction.screen_interaction import ScreenInteraction
from tui.interaction.setup import Setup
from tui.list.list_pane import ListPane, ListSource
from tui.screen.command_screen import CommandScreen
from tui.screen.frame import key_pieces
from tui.screen.sanitise import safe
from tui.screen.text_line import KeyLine, TextLine
from tui.tree.piece import Piece


class ListInteraction(ScreenInteraction):
    """State that commands need on such a screen."""

    screen: ListScreen

    def __init__(self, screen: ListScreen, setup: Setup, context: Context) -> None:
        self.context = context
        super().__init__(screen, setup)

    def compare(self, path: str) -> None:
        """Compares reports (`:diff`): the screen knows which."""
        self.screen.compare()

    def back(self, count: int) -> None:
        """Shows the folder above (Backspace)."""
        self.screen.go_up()


class ListScreen(CommandScreen, inherit_bindings=False):
    """A list from edge to edge. Subclasses fill it and define the targets of its rows."""

    DEFAULT_CSS = """
    ListScreen { layout: vertical; overflow: hidden; layers: default hints; }
    ListScreen #body { height: 1fr; }
    """

    def __init__(self, source: ListSource, setup: Setup, context: Context) -> None:
        self.list_pane = ListPane(source)
        super().__init__(self.list_pane, self.list_pane)
        self.status_line = TextLine(id="status")
        self.key_line = KeyLine(id="keys")
        self._message = False
        self._setup, self._key_context = setup, context

    def compose(self) -> ComposeResult:
        """Creates the list, the status line about its row, and the keys."""
        with Container(id="body"):
            yield self.list_pane
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Focuses the list; shows errors of the configuration."""
        self.list_pane.focus()
        self.update_lines()
        if self.interaction.setup.wrong:
            self.show_message(self.interaction.setup.wrong[0], "problem")

    @cached_property
    def interaction(self) -> ListInteraction:
        """State that commands need besides this screen."""
        return ListInteraction(self, self._setup, self._key_context)

    # -- interface of commands ----------------------------------------------------------------------------------------

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a one-line message until the next key."""
        self._message = bool(text)
        if text:
            self.status_line.set_pieces([Piece(f" {safe(text)}", "problem" if kind == "problem" else "status")])
        else:
            self.status_line.set_pieces(self.status())

    def status(self) -> list[Piece]:
        """Default text of the status line."""
        return []

    def update_lines(self) -> None:
        """Shows the keys of the pane that has the focus."""
        from tui.input.commands.footer import keys_of_list

        self.key_line.set_pieces(*key_pieces(keys_of_list(self.interaction), self.size.width))

    @property
    def quit_label(self) -> str:
        """Effect of `q` in one word."""
        return "back" if self._lists else "quit"

    def go_up(self) -> None:
        """Shows the folder above, if the rows are of a folder."""

    def compare(self) -> None:
        """Compares reports, if the rows are reports."""

    def leave(self) -> None:
        """Handles `q` with nothing on top."""
        self.app.quit()

    # -- events -------------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Updates the key line for a new size of the window."""
        self.update_lines()

    def on_key(self, event: events.Key) -> None:
        """Runs the command of a key."""
        if self._message:
            self.show_message("")
        self.interaction.press(event)

    def on_text_line_clicked(self, message: TextLine.Clicked) -> None:
        """Handles a click on a key of the key line."""
        message.stop()
        self.interaction.keyboard.feed_all(message.action.partition(":")[2])
