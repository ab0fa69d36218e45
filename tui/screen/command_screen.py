"""The base of screens on which commands run: that of a report, and lists that fill the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType

from tui.screen.line_widget import Pane
from tui.terminal.application import SteadyScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.widget import Widget

    from parsers.model.report import Report
    from parsers.model.view import View
    from tui.app.host import Host
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.pictures.picture_view import PictureView
    from tui.screen.text_line import KeyLine


class CommandScreen(SteadyScreen[None], inherit_bindings=False):
    """A screen with panes, a line for messages, and a line for keys."""

    app: Host
    BINDINGS: ClassVar[list[BindingType]] = []
    report: Report | None = None
    """The report on the screen; None: a list."""
    view: View | None = None
    """The view on the screen; None: a list."""
    tree_view: PictureView | None = None
    """The pane that shows the view; None: a list."""
    key_line: KeyLine
    """The line for keys, or a prompt."""
    keys: Sequence[tuple[str, str]] = ()
    """Commands of the key line of a list, with their labels."""

    def __init__(self, contents: Widget, first_pane: Pane) -> None:
        """
        contents    widget of the body while no list or page is open
        first_pane  its pane that gets the focus when the last list is closed
        """
        super().__init__()
        self.contents, self._first_pane = contents, first_pane
        self._lists: list[Pane] = []
        """The lists and pages that are shown instead of the contents, the top one last."""

    @property
    def interaction(self) -> ScreenInteraction:
        """State that commands need besides the screen."""
        raise NotImplementedError

    @property
    def writer(self) -> object | None:
        """The program under the cursor that writes a report; None: the screen lists none."""
        return None

    @property
    def is_there(self) -> bool:
        """True if the screen is on the stack and its panes are not being removed."""
        return self.is_attached and self.display

    def progressed(self) -> None:
        """Handles progress of the index, or a view that has become ready."""

    @property
    def quit_label(self) -> str:
        """Effect of `q` in one word."""
        raise NotImplementedError

    def leave(self) -> None:
        """Handles `q` with nothing on top."""
        raise NotImplementedError

    def reload(self) -> None:
        """Reads the file or the listed data again."""

    def begin(self) -> None:
        """Enables commands now, if they are loaded after the first rows."""

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a one-line message until the next key."""
        raise NotImplementedError

    # -- lists over the contents --------------------------------------------------------------------------------------

    def update_lines(self) -> None:
        """Updates the lines around the body for another top list."""
        raise NotImplementedError

    @property
    def has_list(self) -> bool:
        """True if a list or page is shown instead of the contents."""
        return bool(self._lists)

    @property
    def pane(self) -> Pane:
        """The pane that receives keys: the top list or page, else the first pane of the contents."""
        return self._lists[-1] if self._lists else self._first_pane

    def show_list(self, pane: Pane) -> None:
        """Shows a list or page instead of the contents, until it is closed."""
        for shown in (self.contents, *self._lists):
            shown.display = False
        self._lists.append(pane)
        self.query_one("#body").mount(pane)
        pane.focus()
        self.update_lines()

    def close_pane(self) -> bool:
        """Closes the top list or page; False: only the contents are shown."""
        if not self._lists:
            return False
        closed = self._lists.pop()
        # Until the next layout a press of the mouse would give it the focus, and all keys to come.
        closed.can_focus = False
        closed.remove()
        (self._lists[-1] if self._lists else self.contents).display = True
        (self._lists[-1] if self._lists else self._first_pane).focus()
        self.update_lines()
        return True

    # -- commands and events ------------------------------------------------------------------------------------------

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Shows the keys that can follow, over the lowest lines; None: removes them."""
        from tui.screen.key_hints import KeyHints

        for shown in self.query(KeyHints):
            shown.remove()
        if hints:
            self.mount(KeyHints(hints, self, self.interaction.keyboard.feed))

    def on_pane_selected(self, message: Pane.Selected) -> None:
        """Copies the rows over which the mouse was dragged."""
        message.stop()
        self.begin()
        self.interaction.copy_lines(message.texts)

    def on_pane_entered(self, message: Pane.Entered) -> None:
        """Acts as the key, which also shows errors."""
        message.stop()
        if message.pane.is_attached:
            self.begin()
            self.set_focus(message.pane)
            self.interaction.keyboard.run("follow-link")

    def on_paste(self, event: events.Paste) -> None:
        """Passes pasted text to a prompt."""
        event.stop()
        self.begin()
        self.interaction.paste(event.text)
