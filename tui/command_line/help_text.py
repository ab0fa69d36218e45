"""Help texts, from the registry of the command line. No line is longer than 80 characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import TextWrapper

from tui.command_line.arguments import UsageError
from tui.command_line.registry import (
    BROWSE,
    COMMANDS,
    FILES,
    INTRODUCTION,
    PATTERN_OPTIONS,
    REFERENCES,
    TOPICS,
    Option,
    Subcommand,
    command_named,
    listed_options,
)

WIDTH = 80
NAME_WIDTH = 14
"""Columns of the name of a command or topic, with the indentation."""
OPTION_WIDTH = 28
"""Columns of an option and its value, with the indentation."""


def help_text(name: str = "") -> str:
    """Help of a command; without a name, of the whole program."""
    command = command_named(name)
    return "\n".join(_program() if command is BROWSE else _command(command))


def topic_text(name: str) -> str:
    """Text of `coffeetree help NAME`. Raises `UsageError`."""
    if name in TOPICS:
        title, text = TOPICS[name]
        forms = "".join(f"\n  {form:16} {meaning}" for form, meaning in reference_forms()) if name == "ref" else ""
        return f"{title}\n\n{text}{forms}".rstrip("\n")
    names = [command.name for command in COMMANDS]
    if name in ("", *names):
        return help_text(name)
    from parsers.model.names.suggestion import suggestion

    raise UsageError(f"no command or topic is called {name}: {suggestion(name, [*names, *TOPICS])}")


def short_usage() -> str:
    """Text for a call without reports in a folder without reports."""
    examples = (
        ("coffeetree REPORT", "open a report"),
        ("coffeetree target/reports", "list the reports of a folder, open one"),
        ("coffeetree why REPORT NAME", "print why something is in a report"),
    )
    lines = [f"  {example:30} {meaning}" for example, meaning in examples]
    return "\n".join([INTRODUCTION, *lines, "", "coffeetree help lists all commands."])


def reference_forms() -> Iterator[tuple[str, str]]:
    """Yields the forms of REFs with their meaning."""
    return ((f"{kind}:{value}", meaning) for kind, (value, meaning) in REFERENCES.items())


def option_names(option: Option) -> str:
    """An option as it is typed, with the name of its value."""
    names = f"-{option.short}, --{option.name}" if option.short else f"--{option.name}"
    return f"{names} {option.value}".rstrip()


def joined_options(command: Subcommand) -> Sequence[Option]:
    """The options of a command; the six options of patterns are one entry."""
    options = listed_options(command)
    patterns = Option(
        "suppress-X, --expand-X",
        "PATTERNS",
        "hide rows below matching types, roots or methods (X); see `coffeetree help patterns`",
    )
    first = next((option for option in options if option.name in PATTERN_OPTIONS), None)
    return [
        patterns if option is first else option
        for option in options
        if option is first or option.name not in PATTERN_OPTIONS
    ]


def _program() -> Iterator[str]:
    yield INTRODUCTION
    yield f"{BROWSE.usage}\n    {BROWSE.help}\n"
    yield "Commands:"
    for command in COMMANDS:
        yield from _entry(command.name, command.help, NAME_WIDTH)
    yield "\nEach prints its options and examples with --help, and JSON with --json."
    yield "\nOptions:"
    yield from _options(BROWSE)
    yield "\nTopics (coffeetree help TOPIC):"
    for name, (title, _) in TOPICS.items():
        yield from _entry(name, title, NAME_WIDTH)
    yield f"\n{FILES}".rstrip()


def _command(command: Subcommand) -> Iterator[str]:
    yield f"{command.usage}\n    {command.help}\n"
    yield "Options:"
    yield from _options(command)
    yield "\nExamples:"
    yield from (f"  coffeetree {example}" for example in command.examples)
    words = f"{command.word} {command.before} {''.join(option.value for option in listed_options(command))}"
    topics = [name for name, sign in (("ref", "REF"), ("patterns", "PATTERN")) if sign in words]
    if command.has_json:
        topics.append("status")
    if topics:
        yield "\nSee also: " + ", ".join(f"coffeetree help {name}" for name in topics)


def _options(command: Subcommand) -> Iterator[str]:
    for option in joined_options(command):
        yield from _entry(("" if option.short else "    ") + option_names(option), option.help, OPTION_WIDTH)


def _entry(name: str, text: str, width: int) -> Iterator[str]:
    """A name and its explanation, which begins in column `width` and continues there."""
    line = f"  {name}".ljust(width)
    if len(line) > width or line[-1:] != " ":
        yield line
        line = " " * width
    yield from TextWrapper(
        WIDTH - 1,
        initial_indent=line,
        subsequent_indent=" " * width,
        break_long_words=False,
        break_on_hyphens=False,
    ).wrap(text)
