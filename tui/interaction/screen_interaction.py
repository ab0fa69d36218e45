"""The base of the interactions of all screens: prompts, the command line, palette, help, options.

An interaction belongs to one screen and stores the state that commands need besides it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from parsers.model.row import counted
from tui.input.keys.keyboard import CommandError, Keyboard
from tui.input.keys.registry import Command, CommandCall, Context, Registry
from tui.interaction.prompts.prompt import Prompt, Purpose
from tui.list.pane_kinds import is_list, is_page
from tui.screen.palettes import NAMES
from tui.screen.sanitise import safe
from tui.settings.options import BadOption, Options
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from textual.events import Key

    from parsers.model.row import Link
    from tui.interaction.report_screen import ShownScreen
    from tui.interaction.setup import Setup
    from tui.list.help_pane import HelpPane
    from tui.list.list_pane import ListPane

QUIT_SECONDS = 2.0
"""Seconds within which three `^c` quit."""


class Sortable(Protocol):
    """Rows whose order can be changed: those of a list, or of the shown view."""

    @property
    def sort_headings(self) -> Iterable[str]:
        """Headings of the columns that sort."""
        ...

    def sort(self, name: str) -> None:
        """Uses the next sort key, or the named one. Raises `CommandError`."""
        ...

    def sort_reverse(self) -> None:
        """Reverses the order."""
        ...


class ScreenInteraction:
    """The state of commands on one screen."""

    context: Context = "browser"

    def __init__(self, screen: ShownScreen, setup: Setup) -> None:
        self.screen = screen
        self.setup = setup
        self.prompt: Prompt | None = None
        self.keyboard = Keyboard(screen, setup.registry, self.context)
        self._stops: list[float] = []

    @property
    def registry(self) -> Registry:
        """All commands."""
        return self.setup.registry

    @property
    def options(self) -> Options:
        """The options that `:set` changes."""
        return self.setup.options

    def press(self, event: Key) -> None:
        """Handles a key event of the screen."""
        if self.prompt is not None:
            self.prompt.press(event)
        else:
            self.keyboard.press(event)

    def paste(self, text: str) -> None:
        """Passes pasted text to a prompt; without a prompt it is ignored."""
        if self.prompt is not None:
            self.prompt.paste(text)

    # -- prompts ------------------------------------------------------------------------------------------------------

    def open_prompt(self, purpose: Purpose) -> Prompt:
        """Shows a prompt instead of the key line, until it closes itself."""
        if self.prompt is not None:
            self._prompt_closed(self.prompt)
        entries = self.setup.typed.entries(purpose.history) if purpose.history else []
        line = self.screen.key_line
        prompt = self.prompt = Prompt(
            purpose, line, self.registry, entries, self._prompt_closed, self.screen.show_message
        )
        line.draw_over(prompt.line_segments)
        return prompt

    def _prompt_closed(self, prompt: Prompt) -> None:
        if prompt is not self.prompt:
            return
        self.prompt = None
        self.keyboard.inherit(prompt.keyboard)
        self.screen.key_line.draw_over(None)

    def ask(self, question: str, yes: Callable[[], object]) -> None:
        """Asks before an action that can't be undone; only `y` or `yes` performs it."""

        def accept(text: str) -> None:
            if text.strip().lower() in ("y", "yes"):
                yes()
            else:
                self.screen.show_message("Cancelled.")

        self.open_prompt(Purpose(f"{question}  (y/n) ", accept, cancel=lambda: self.screen.show_message("Cancelled.")))

    # -- the command line ---------------------------------------------------------------------------------------------

    def open_command_line(self, text: str) -> None:
        """Opens the command line (`:`) with a text."""
        self.open_prompt(Purpose(":", self.run_line, complete=self.completions, history="command", text=text))

    def run_line(self, text: str) -> None:
        """Performs a line typed after `:`."""
        line = text.strip()
        if not line:
            return
        self.setup.typed.add("command", line)
        word, _, rest = line.partition(" ")
        command = self._command(word)
        if command is not None:
            self.keyboard.perform(command, CommandCall(text=rest.strip()))
        elif not self.go_to_line(line):
            self.screen.show_message(f"No command {safe(word)}. {self.command_hint}", "problem")

    @property
    def command_hint(self) -> str:
        """Lines that the command line accepts."""
        return ":help lists all."

    def go_to_line(self, line: str) -> bool:
        """Interprets a command line as a target; False if it is none."""
        return False

    def completions(self, text: str) -> list[str]:
        """Completions of a command line: names of commands, then the command's own completions of its argument."""
        word, blank, rest = text.lstrip().partition(" ")
        if not blank:
            commands = self.registry.of(self.context)
            return [command.name for command in commands if command.name.startswith(word)]
        command = self._command(word)
        if command is None or command.complete is None:
            return []
        try:
            return [f"{word} {found}" for found in command.complete(self.screen, rest)]
        except CommandError:
            return []

    def _command(self, word: str) -> Command | None:
        """The command of that name, or the only one whose name begins with it."""
        command = self.registry.get(word)
        if command is not None:
            return command if self.context in command.contexts else None
        found = [command for command in self.registry.of(self.context) if command.name.startswith(word)]
        return found[0] if len(found) == 1 and word.replace("-", "").isalpha() else None

    # -- lists --------------------------------------------------------------------------------------------------------

    def open_narrow(self, pane: ListPane) -> None:
        """Shows only rows of a list that contain the typed text (`/`)."""
        before = pane.words
        self.open_prompt(
            Purpose(
                "narrow: ",
                accept=lambda text: None,
                change=pane.narrow,
                cancel=lambda: pane.narrow(before),
                move=pane.move_by,
                text=before,
            )
        )

    def find(self, text: str) -> None:
        """Searches for a typed text (`:find`): narrows a list, searches in the help."""
        pane = self.screen.pane
        if is_list(pane):
            pane.narrow(text)
        elif is_page(pane):
            pane.search(text)

    def open_search(self) -> None:
        """Handles `/`: narrows a list, searches in the help."""
        pane = self.screen.pane
        if is_list(pane):
            self.open_narrow(pane)
        elif is_page(pane):
            self.open_pane_search(pane)
        else:
            raise CommandError("This pane cannot be searched.")

    def open_pane_search(self, pane: HelpPane) -> None:
        """Searches in a page of text while typing."""
        before = pane.searched, pane.cursor_row
        purpose = Purpose("/", accept=lambda text: say(), history="help")

        def found(text: str) -> str:
            count = len(pane.found)
            return "" if not text else "No matches" if not count else counted(count, "match")

        def search(text: str) -> None:
            pane.search(text)
            purpose.status = [Piece(found(text), "status" if pane.found else "problem")]

        def say() -> None:
            if pane.searched and not pane.found:
                self.screen.show_message("No matches. Esc closes help.")

        def cancel() -> None:
            pane.search(before[0])
            pane.move_to_row(before[1])

        purpose.change, purpose.cancel = search, cancel
        self.open_prompt(purpose)

    def next_match(self, count: int) -> None:
        """Handles `n` and `N`: the next row of a list, as all shown rows match; the next match of a page."""
        pane = self.screen.pane
        if is_page(pane):
            pane.next_match(count)
        else:
            pane.move_by(count)

    def go_to_row(self, number: int | None) -> None:
        """Goes to the last row of the pane, or to one by its number from 1."""
        self.remember_place()
        pane = self.screen.pane
        pane.move_to_row((number or pane.row_count) - 1)

    def remember_place(self) -> None:
        """Called before a jump; a screen with a history of jumps remembers the place."""

    def pause_following(self) -> None:
        """Called when the cursor goes up; stops following."""

    @property
    def sortable(self) -> Sortable:
        """The rows that sorting applies to. Raises `CommandError` for a page or path."""
        pane = self.screen.pane
        if not is_list(pane):
            raise CommandError("This page has only one order.")
        return pane

    def enter(self) -> None:
        """Handles Enter: activates the pane's row."""
        self.screen.pane.activate()

    def back(self, count: int) -> None:
        """Handles Backspace: goes back in the history of jumps, or to the folder above."""

    def compare(self, path: str) -> None:
        """Compares with another report (`:diff`)."""

    @property
    def links(self) -> Sequence[Link]:
        """The links of the row under the cursor."""
        return ()

    def follow(self, link: Link) -> None:
        """Goes to the target of a link."""

    # -- options ------------------------------------------------------------------------------------------------------

    def set_options(self, words: str) -> None:
        """Changes or shows options (`:set`)."""
        if not words:
            self.screen.show_message("  ".join(self.options.shown()))
            return
        try:
            changed = self.options.set_text(words)
        except BadOption as error:
            raise CommandError(str(error)) from None
        self.apply_options(changed)
        self.screen.show_message("  ".join(shown for shown in self.options.shown() if _option_name(shown) in changed))

    def apply_options(self, names: Sequence[str]) -> None:
        """Applies changed options."""
        app = self.screen.app
        if "theme" in names and self.options.theme:
            self.set_theme(self.options.theme)
        if "mono" in names:
            app.set_palette("mono" if self.options.mono else self.options.theme or "auto")
        if "ascii" in names:
            app.set_ascii(self.options.ascii)
        if "mouse" in names:
            app.take_mouse(self.options.mouse)

    def set_theme(self, name: str) -> None:
        """Sets the named theme, or the next (`:theme`)."""
        app = self.screen.app
        if not name:
            now = app.palette.name
            name = NAMES[(NAMES.index(now) + 1) % len(NAMES)]
        if name not in NAMES:
            raise CommandError(f"No theme {safe(name)}. Themes: {', '.join(NAMES)}")
        self.options.theme = name
        self.options.mono = name == "mono"
        app.set_palette(name)
        self.screen.show_message(f"theme {name}")

    def set_mouse(self, word: str) -> None:
        """Turns the mouse on or off (`:mouse on`, `:mouse off`); without a word the other of both (F2)."""
        if word not in ("", "on", "off"):
            raise CommandError(f"the mouse is on or off, not {safe(word)}")
        self.options.mouse = word == "on" if word else not self.options.mouse
        self.screen.app.take_mouse(self.options.mouse)
        self.screen.show_message("mouse on" if self.options.mouse else "mouse off: the terminal's own selection works")

    def copy_lines(self, texts: Sequence[str]) -> None:
        """Copies lines selected by the mouse."""
        sent = self.screen.app.copy("\n".join(texts))
        self.screen.show_message(f"{sent}: {counted(len(texts), 'line')}")

    # -- stopping -----------------------------------------------------------------------------------------------------

    def stop_running(self) -> bool:
        """Stops background work; False if there was none."""
        return False

    @property
    def running_text(self) -> str:
        """Work that Ctrl+C does not stop, and how to stop it; empty: there is none."""
        return ""

    def cancel(self) -> None:
        """Handles Esc: cancels one activity at a time."""
        pane = self.screen.pane
        if self.stop_running():
            return
        if is_list(pane) and pane.words:
            pane.narrow("")
        elif not self.screen.close_pane():
            self.say_how_to_quit()

    def say_how_to_quit(self) -> None:
        """Handles Esc with nothing left to cancel."""
        back = self.screen.quit_label
        quits = f"{self._key('q')} quits" if back == "quit" else f"{self._key('q')} returns to the list"
        self.screen.show_message(f"Nothing to cancel. {quits}, {self._key('quit')} quits at once.")

    def _key(self, name: str) -> str:
        """The first key of a command; without a key its name after `:`."""
        command = self.registry[name]
        return command.keys[0] if command.keys else f":{name}"

    def stop_work(self) -> None:
        """Handles `^c`."""
        now = time.monotonic()
        self._stops = [*(stop for stop in self._stops if now - stop < QUIT_SECONDS), now]
        if len(self._stops) >= 3:
            self.screen.app.exit(0)
        elif self.stop_running():
            self.screen.show_message("stopped")
        else:
            self.screen.show_message(self.running_text or "Nothing is running  (q quits)")


def _option_name(shown: str) -> str:
    name = shown.partition("=")[0]
    return name if name in Options.__slots__ else name.removeprefix("no")
