"""Key events of a screen become commands; what has begun is shown, and what goes wrong is said in a line.

A `Keyboard` belongs to one screen or prompt and one context of the registry. The screen stays a switchboard: it passes
its key events on, and has `say` and `show_hints`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.report import ReportError, UnknownReference
from tui.input.keys.keymap import HINT_SECONDS, TORN_SECONDS, Drop, Keymap, Outcome, Reader, Run
from tui.input.keys.name import ANY_LETTER, key_of_event, shown_key
from tui.input.keys.registry import Call, Command, Context, Registry

if TYPE_CHECKING:
    from textual.events import Key
    from textual.timer import Timer


class CommandError(Exception):
    """A command can't be done here or now; the text is for the user."""


class Target(Protocol):
    """What commands act on, as far as the keyboard needs it."""

    def say(self, text: str, kind: str = "information") -> None:
        """One line for the user."""
        ...

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Keys that can follow and what they do, in place of the key line; None: no more."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer:
        """Textual's."""
        ...


class Keyboard:
    """Reads the keys of one context."""

    def __init__(
        self, target: Any, registry: Registry, context: Context, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.target = target
        self.registry = registry
        self.context = context
        self._clock = clock
        self._reader = Reader(Keymap(registry.of(context)))
        self.before: Callable[[Command], object] | None = None
        """Told of each command before it runs."""
        self.letters_of: Callable[[Command], Sequence[tuple[str, str]]] = lambda command: ()
        """Letters that a command takes just now, and what each does: for a command whose key ends with any letter."""
        self._timer: Timer | None = None
        self._has_hints = False

    @property
    def pressed(self) -> str:
        """The count and keys that wait for more."""
        return self._reader.pressed

    def press(self, event: Key) -> None:
        """Take a key event, and keep it from everybody else."""
        event.stop()
        event.prevent_default()
        self.feed(key_of_event(event.key, event.character))

    def feed(self, key: str) -> None:
        """Take a key by our name of it."""
        self._hide_hints()
        self._act(self._reader.feed(key, self._clock()))
        if self._reader.is_holding:
            self._timer = self.target.set_timer(TORN_SECONDS + 0.05, self._tick)
        elif self._reader.pressed:
            self._timer = self.target.set_timer(HINT_SECONDS, self._show_hints)

    def clear(self) -> None:
        """Forget what has begun."""
        self._hide_hints()
        self._reader.clear()

    def inherit(self, other: Keyboard) -> None:
        """Take over from the keyboard of a prompt that was closed."""
        self._reader.inherit(other._reader)

    def run(self, name: str, text: str = "", count: int | None = None) -> None:
        """Run a command by its name, as the palette, a click and `:` do."""
        self.clear()
        command = self.registry.get(name)
        if command is None or self.context not in command.contexts:
            self.target.say(f"no command {name}", "problem")
        else:
            self.perform(command, Call(count, "", text))

    def perform(self, command: Command, call: Call) -> None:
        """Run a command; what it can't do is said."""
        if self.before is not None:
            self.before(command)
        try:
            command.run(self.target, call)
        except (CommandError, ReportError, UnknownReference) as error:
            self.target.say(str(error), "problem")
        except OSError as error:
            self.target.say(f"{command.title}: {error.strerror or error}", "problem")

    def _act(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Run):
                self.perform(outcome.command, outcome.call)
            elif isinstance(outcome, Drop) and self.context != "prompt":
                self.target.say(f"{outcome.pressed} is no key here  (? help)")

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
