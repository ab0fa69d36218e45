"""A screen that is a list, with what is said of its rows and the keys below: what is chosen on it opens over it."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from tui.input.keys.registry import Context
from tui.interaction.screen_interaction import ScreenInteraction, Setup
from tui.list.list_pane import ListPane, ListSource
from tui.screen.frame import KeyLine, TextLine, fitting
from tui.screen.sanitise import safe
from tui.terminal.application import SteadyScreen
from tui.tree.piece import Piece


class ListInteraction(ScreenInteraction):
    """What commands need on such a screen."""

    def __init__(self, screen: Any, setup: Setup, context: Context) -> None:
        self.context = context
        super().__init__(screen, setup)

    def compare(self, path: str) -> None:
        """`:diff`: the screen knows what is to be compared."""
        self.screen.compare()


class ListScreen(SteadyScreen[None], inherit_bindings=False):
    """A list from edge to edge. Derived ones fill it and say what a row leads to."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    ListScreen { layout: vertical; overflow: hidden; }
    ListScreen #body { height: 1fr; }
    """
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Commands of the key line, and the words for them."""

    def __init__(self, source: ListSource, setup: Setup, context: Context) -> None:
        super().__init__()
        self.list_pane = ListPane(source)
        self.status_line = TextLine(id="status")
        self.key_line = KeyLine(id="keys")
        self._popups: list[Widget] = []
        self._says = False
        self.interaction = ListInteraction(self, setup, context)

    def compose(self) -> ComposeResult:
        """The list, what is said of its row, the keys."""
        with Container(id="body"):
            yield self.list_pane
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Keys go to the list; what is wrong in the configuration is said."""
        self.list_pane.focus()
        self.show_hints(None)
        if self.interaction.setup.wrong:
            self.say(self.interaction.setup.wrong[0], "problem")

    # -- what commands call -------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Any:
        """The pane that keys go to."""
        return self._popups[-1] if self._popups else self.list_pane

    @property
    def has_list(self) -> bool:
        """Whether something is in place of the list."""
        return bool(self._popups)

    def show_list(self, widget: Widget) -> None:
        """A list or page in place of the one there is, until it is closed."""
        for shown in (self.list_pane, *self._popups):
            shown.display = False
        self._popups.append(widget)
        self.query_one("#body").mount(widget)
        self.set_focus(widget)

    def close_pane(self) -> bool:
        """Close what is on top; False: there is only the list."""
        if not self._popups:
            return False
        self._popups.pop().remove()
        self.pane.display = True
        self.set_focus(self.pane)
        return True

    def say(self, text: str, kind: str = "information") -> None:
        """One line for the user, until the next key."""
        self._says = bool(text)
        if text:
            self.status_line.set_pieces([Piece(f" {safe(text)}", "problem" if kind == "problem" else "status")])
        else:
            self.status_line.set_pieces(self.status())

    def status(self) -> list[Piece]:
        """What the status line says where there is nothing else to say."""
        return []

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Keys that can follow; None: those that make sense here."""
        registry = self.interaction.registry
        words = hints if hints is not None else [(registry[name].keys[0], word) for name, word in self.keys]
        pairs = [(Piece(f" {key}", "key"), Piece(f" {word} ", "key-word")) for key, word in words]
        self.key_line.set_pieces(fitting(pairs, self.size.width) if hints is None else sum(pairs, ()))

    def reload(self) -> None:
        """Look again at what is listed."""

    def redraw(self) -> None:
        """Draw everything again."""
        app: Any = self.app
        app.redraw()

    def suspend(self) -> None:
        """Give the terminal back to the shell for a while."""
        self.app.action_suspend_process()

    def leave(self) -> None:
        """`q` with nothing on top."""
        app: Any = self.app
        app.quit()

    # -- events -------------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """The window has another size: other keys fit."""
        self.show_hints(None)

    def on_key(self, event: events.Key) -> None:
        """All keys are commands."""
        if self._says:
            self.say("")
        self.interaction.press(event)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is for a prompt."""
        event.stop()
        self.interaction.paste(event.text)
