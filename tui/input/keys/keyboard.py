"""Runs commands for the key events of a screen; shows unfinished sequences, and errors as messages.

A `Keyboard` belongs to one screen or prompt and one context of the registry. The screen forwards its key events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from parsers.model.report import ReportError
from parsers.model.view import UnknownReference
from tui.input.keys.keymap import HINT_SECONDS, TORN_SECONDS, Drop, Keymap, KeyReader, Outcome, RunCommand
from tui.input.keys.name import ANY_LETTER, key_of_event, parse_sequence, shown_key
from tui.input.keys.registry import Command, CommandCall, Context, Registry

if TYPE_CHECKING:
    from textual.events import Key
    from textual.timer import Timer


class CommandError(Exception):
    """A command is impossible here or now; the text is for the user."""


class KeyTarget(Protocol):
    """A screen or prompt whose commands keys run."""

    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Calls a function after some seconds."""
        ...

    def show_message(self, text: str, kind: str = "information") -> object:
        """Shows a one-line message. kind: "problem" for errors"""
        ...

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Shows the keys that can follow, with their labels; None: removes them."""
        ...


class Keyboard:
    """Reads the keys of one context."""

    def __init__(
        self, target: KeyTarget, registry: Registry, context: Context, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.target = target
        self.registry = registry
        self.context = context
        self._clock = clock
        self._reader = KeyReader(Keymap(registry.of(context)))
        self.before: Callable[[Command], object] | None = None
        """Called with each command before it runs."""
        self.letters_of: Callable[[Command], Sequence[tuple[str, str]]] = lambda command: ()
        """Letters that a command accepts now, with their labels: for a command whose key ends with any letter."""
        self._timer: Timer | None = None
        self._has_hints = False

    @property
    def pressed(self) -> str:
        """The unfinished count and keys."""
        return self._reader.pressed

    def press(self, event: Key) -> None:
        """Handles a key event and stops its propagation."""
        event.stop()
        event.prevent_default()
        self.feed(key_of_event(event.key, event.character))

    def feed(self, key: str) -> None:
        """Handles a key by the name of `tui.input.keys.name`."""
        self._hide_hints()
        self._act(self._reader.feed(key, self._clock()))
        if self._reader.is_holding:
            self._timer = self.target.set_timer(TORN_SECONDS + 0.05, self._tick)
        elif self._reader.pressed:
            self._timer = self.target.set_timer(HINT_SECONDS, self._show_hints)

    def feed_all(self, keys: str) -> None:
        """Handles a written sequence of keys, for a click on it."""
        for key in parse_sequence(keys):
            self.feed(key)

    def clear(self) -> None:
        """Forgets an unfinished sequence."""
        self._hide_hints()
        self._reader.clear()

    def inherit(self, other: Keyboard) -> None:
        """Takes over the state of a closed prompt's keyboard."""
        self._reader.inherit(other._reader)

    def run(self, name: str, text: str = "", count: int | None = None) -> None:
        """Runs a command by its name, for the palette, a click and `:`."""
        self.clear()
        command = self.registry.get(name)
        if command is None or self.context not in command.contexts:
            self.target.show_message(f"No command {name}.", "problem")
        else:
            self.perform(command, CommandCall(count, "", text))

    def perform(self, command: Command, call: CommandCall) -> None:
        """Runs a command; shows a `CommandError` as a message."""
        if self.before is not None:
            self.before(command)
        try:
            command.run(self.target, call)
        except (CommandError, ReportError, UnknownReference) as error:
            self.target.show_message(str(error), "problem")
        except OSError as error:
            self.target.show_message(f"{command.title}: {error.strerror or error}", "problem")

    def _act(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, RunCommand):
                self.perform(outcome.command, outcome.call)
            elif isinstance(outcome, Drop) and self.context != "prompt":
                self.target.show_message(f"{outcome.pressed} is not bound in this view  (? help)")

    def _tick(self) -> None:
        self._act(self._reader.tick(self._clock()))

    def _show_hints(self) -> None:
        if self._reader.pressed:
            self._has_hints = True
            following = self._reader.hints
            letters = [pair for key, command in following if key == ANY_LETTER for pair in self.letters_of(command)]
            hints = [(shown_key(key), command.title) for key, command in following if key != ANY_LETTER or not letters]
            self.target.show_hints([(f"{self._reader.pressed} …", ""), *letters, *hints])

    def _hide_hints(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._has_hints:
            self._has_hints = False
            self.target.show_hints(None)
