"""The words of the command line: command, reports, options. Imports no slow modules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.command_line.registry import (
    BROWSE,
    COMMANDS,
    LATER,
    OPTIONS,
    PATTERN_OPTIONS,
    Option,
    Subcommand,
    command_named,
    is_of,
)

if TYPE_CHECKING:
    from parsers.io.cache import Cache

ALL = -1
"""Value of `--depth` and `--limit` for `all`."""


class UsageError(Exception):
    """The command line is invalid; the text is the reason, in one line."""


class Arguments:
    """The parsed command line. Options that were not given have their defaults."""

    def __init__(self, command: str = "", reports: Sequence[str] = (), word: str = "") -> None:
        self.command = command
        """Name of the command; empty: browse."""
        self.reports = list(reports)
        self.word = word
        """PATTERN or REF of the commands that have one."""
        self.before = ""
        """The first of the two words of the commands that have two."""
        self.given: dict[str, str | int | bool | list[str]] = {}

    def text(self, name: str) -> str | None:
        """The value of an option."""
        value = self.given.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[str]:
        """The values of an option that may be given several times."""
        values = self.given.get(name)
        return values if isinstance(values, list) else []

    def is_given(self, name: str) -> bool:
        """True if an option without value was given."""
        return name in self.given

    def count(self, name: str, default: int) -> int | None:
        """The number of an option; None: all."""
        value = self.given.get(name, default)
        return None if value == ALL or not isinstance(value, int) else value

    def cache(self) -> Cache:
        """The cache that the options ask for."""
        from parsers.io.cache import Cache

        return Cache(self.text("cache-dir"), keep=not self.is_given("no-cache"))

    @property
    def patterns(self) -> dict[str, str]:
        """The given suppress and expand patterns, by names such as `suppress_types`."""
        given = ((name, self.text(name)) for name in PATTERN_OPTIONS)
        return {name.replace("-", "_"): value for name, value in given if value is not None}


def parse(words: Sequence[str]) -> Arguments:
    """Parses the words after the program's name. Raises `UsageError`."""
    words = list(words)
    place = first_plain(words)
    first = words[place] if place is not None else ""
    if first in LATER:
        raise UsageError(f"the command {first} is still to come; a file of that name is ./{first}")
    command = command_named(first)
    if place is not None and command is not BROWSE:
        del words[place]
    elif first.isidentifier() and not os.path.lexists(first):
        _refuse_mistyped(first)
    arguments = Arguments(command.name)
    plain = _take_options(words, command, arguments)
    if any(map(arguments.is_given, ("help", "version", "engine"))):
        return arguments
    if not command.has_reports:
        if len(plain) > bool(command.word) or (command.needs_word and not plain):
            raise UsageError(f"{command.name} takes {'one' if command.word else 'no'} word: {command.usage}")
        arguments.word = plain[0] if plain else ""
        return arguments
    if command.word:
        needed = [word for word in (command.reports.removesuffix("..."), command.before, command.word) if word]
        if len(plain) < len(needed):
            named = f"{', '.join(needed[:-1])} and {needed[-1]}"
            raise UsageError(f"{command.name} needs {named}: {command.usage}")
        arguments.word = plain.pop()
        if command.before:
            arguments.before = plain.pop()
    if not plain and command is not BROWSE:
        raise UsageError(f"no report was given: {command.usage}")
    if len(plain) > 1 and "..." not in command.reports:
        raise UsageError(f"{command.name} takes one {command.reports} and one {command.word}: {command.usage}")
    arguments.reports = plain
    return arguments


def first_plain(words: Sequence[str]) -> int | None:
    """Index of the first word that is neither an option nor the value of one; None: none before `--`."""
    with_value = {f"--{option.name}" for option in OPTIONS if option.value}
    place = 0
    while place < len(words) and words[place] != "--":
        if not words[place].startswith("-") or words[place] == "-":
            return place
        place += 2 if words[place] in with_value else 1
    return None


def _take_options(words: list[str], command: Subcommand, arguments: Arguments) -> list[str]:
    """Moves the options into `arguments`; returns the other words in order."""
    plain: list[str] = []
    words.reverse()
    while words:
        word = words.pop()
        if word == "--":
            plain += reversed(words)
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
        elif word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            option = _find(command, word, [option for option in OPTIONS if option.name == name])
            _take(option, value if has_value else None, words, arguments)
        else:
            for letter in word[1:]:
                option = _find(command, word, [option for option in OPTIONS if option.short == letter])
                _take(option, None, words, arguments)
    return plain


def _find(command: Subcommand, word: str, options: Sequence[Option]) -> Option:
    """The option, if this command has it. Raises `UsageError`."""
    if options and is_of(options[0], command):
        return options[0]
    name = word.partition("=")[0]
    see = f"see coffeetree {command.name} --help".replace("  ", " ")
    if options:
        others = ", ".join(each.name for each in COMMANDS if is_of(options[0], each))
        raise UsageError(
            f"{command.name or 'the browser'} has no option --{options[0].name}, which is for {others}: {see}"
        )
    from parsers.model.names.suggestion import closest

    close = closest(name[2:], [option.name for option in OPTIONS]) if name.startswith("--") else ""
    raise UsageError(f"there is no option {name}: {f'did you mean --{close}?' if close else see}")


def _refuse_mistyped(word: str) -> None:
    """Raises `UsageError` for a word that is neither a command nor a file, but like a command."""
    from parsers.model.names.suggestion import closest

    if close := closest(word, [command.name for command in COMMANDS]):
        raise UsageError(f"{word} is neither a command nor a file: did you mean coffeetree {close}?")


def _take(option: Option, value: str | None, words: list[str], arguments: Arguments) -> None:
    """Stores an option, with its own value or the next word."""
    if not option.value:
        if value is not None:
            raise UsageError(f"--{option.name} takes no value")
        arguments.given[option.name] = True
        return
    if value is None:
        if not words:
            raise UsageError(f"--{option.name} needs a value: --{option.name} {option.value}")
        value = words.pop()
    if option.is_list:
        arguments.given[option.name] = [*arguments.texts(option.name), value]
    else:
        arguments.given[option.name] = _number(option, value) if option.is_count else value


def _number(option: Option, value: str) -> int:
    if value == "all":
        return ALL
    if not value.isascii() or not value.isdigit() or len(value) > 15:
        raise UsageError(f"--{option.name} takes a number or all, not {value!r}")
    return int(value)
