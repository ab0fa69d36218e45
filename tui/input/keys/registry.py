"""The registry of commands: actions, keys and texts.

Each command is a function with a docstring. Its keys, its word after `:`, its entry in the palette, its line of the
help and its place in the key line are all derived from its `Command`, so they always agree. The modules
`tui/input/commands/<group>.py` contain the commands; `every_command` collects them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import cleandoc
from typing import Any, Literal

from tui.input.keys.name import Sequence, parse_sequence

Context = Literal["browser", "picker", "listening", "prompt"]
"""Contexts of keys: the screen of a report with all its panes, a list of a folder's reports, a list of connected JVMs,
or the prompt line."""

EVERYWHERE: tuple[Context, ...] = ("browser", "picker", "listening")
"""The contexts of commands that work wherever there are rows."""

GROUPS = (
    "moving",
    "folding",
    "links",
    "search",
    "filters",
    "marks",
    "cuts",
    "yank",
    "views",
    "live",
    "program",
    "typing",
)
"""Modules of `tui.input.commands` with commands, in the order of the help."""


@dataclass(frozen=True, slots=True)
class CommandCall:
    """The call of a command: count before its key, letter at the end of its sequence, argument after `:`."""

    count: int | None = None
    letter: str = ""
    text: str = ""

    @property
    def times(self) -> int:
        """The count, or 1."""
        return 1 if self.count is None else self.count


Function = Callable[[Any, CommandCall], object]
"""Function of a command: receives its target (browser, picker or prompt) and the call."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    """Its name after `:` and in the configuration."""
    keys: tuple[str, ...]
    """Written sequences; see `tui.input.keys.name`."""
    title: str
    """Two or three words for the palette and the key line."""
    help: str
    """One sentence or two: the function's docstring."""
    group: str
    contexts: frozenset[Context]
    run: Function
    argument: str = ""
    """Its argument after `:`, as in the help."""
    complete: Callable[[Any, str], Iterable[str]] | None = field(default=None, repr=False)
    """Returns completions of the argument typed so far."""

    @property
    def sequences(self) -> tuple[Sequence, ...]:
        """The keys, parsed."""
        return tuple(parse_sequence(key) for key in self.keys)


class CommandGroup:
    """A group of commands, in the order of their definition."""

    def __init__(self, title: str, contexts: Iterable[Context] = ("browser",)) -> None:
        self.title = title
        self.contexts: frozenset[Context] = frozenset(contexts)
        self.commands: list[Command] = []

    def command(
        self,
        name: str,
        keys: str = "",
        title: str = "",
        *,
        help: str = "",
        argument: str = "",
        contexts: Iterable[Context] | None = None,
        complete: Callable[[Any, str], Iterable[str]] | None = None,
    ) -> Callable[[Function], Function]:
        """Makes the decorated function a command. `keys` are separated by blanks.

        help: its help; empty: the docstring of the function
        """

        def add(function: Function) -> Function:
            words = help or " ".join(cleandoc(function.__doc__ or "").split())
            places = self.contexts if contexts is None else frozenset(contexts)
            made = tuple(keys.split())
            self.commands.append(
                Command(name, made, title or name, words, self.title, places, function, argument, complete)
            )
            return function

        return add


class Registry:
    """All commands, by name; the configuration may have changed their keys."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self.commands = tuple(commands)
        self._by_name = {command.name: command for command in self.commands}
        if len(self._by_name) != len(self.commands):
            names = [command.name for command in self.commands]
            raise ValueError(f"command defined twice: {next(name for name in names if names.count(name) > 1)}")

    def __iter__(self) -> Iterator[Command]:
        return iter(self.commands)

    def __getitem__(self, name: str) -> Command:
        return self._by_name[name]

    def get(self, name: str) -> Command | None:
        """The command of that name; None if there is none."""
        return self._by_name.get(name)

    def of(self, context: Context) -> list[Command]:
        """The commands of a context."""
        return [command for command in self.commands if context in command.contexts]

    def groups(self, context: Context) -> dict[str, list[Command]]:
        """The commands of a context under the titles of their groups."""
        found: dict[str, list[Command]] = {}
        for command in self.of(context):
            found.setdefault(command.group, []).append(command)
        return found

    def with_keys(self, keys: Mapping[str, tuple[str, ...]]) -> Registry:
        """A registry with other keys for some commands. A key given to one is removed from its earlier command."""
        given = {sequence for texts in keys.values() for sequence in map(parse_sequence, texts)}
        changed: list[Command] = []
        for command in self.commands:
            if command.name in keys:
                changed.append(replace(command, keys=keys[command.name]))
            elif command.contexts != {"prompt"}:
                kept = tuple(key for key in command.keys if parse_sequence(key) not in given)
                changed.append(replace(command, keys=kept))
            else:
                changed.append(command)
        return Registry(changed)


def every_command() -> Registry:
    """The registry of all commands, in the order of the help."""
    commands: list[Command] = []
    for name in GROUPS:
        group: CommandGroup = import_module(f"tui.input.commands.{name}").GROUP
        commands.extend(group.commands)
    return Registry(commands)
