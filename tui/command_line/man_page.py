"""The man page, from the registry of the command line: `coffeetree help man` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from tui.command_line.help_text import joined_options, option_names, reference_forms
from tui.command_line.registry import BROWSE, COMMANDS, FILES, INTRODUCTION, TOPICS, VERSION


def man_page() -> str:
    """The page as source for troff, with the macros of man(7)."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield f'.TH COFFEETREE 1 "" "coffeetree {VERSION}"'
    yield ".nh\n.ad l"
    yield ".SH NAME\ncoffeetree \\- terminal browser for the trees that JVM toolchains write"
    yield ".SH SYNOPSIS"
    for command in (BROWSE, *COMMANDS):
        yield f".B coffeetree\n{_plain(command.usage.removeprefix('coffeetree '))}\n.br"
    yield f".SH DESCRIPTION\n{_plain(INTRODUCTION)}\n.PP\n{_plain(FILES)}"
    yield ".SH OPTIONS OF ALL COMMANDS"
    yield from _entries((option_names(option), option.help) for option in joined_options(BROWSE))
    yield ".TP\n.B \\-\\-json\nprint JSON: one object, or one object a line"
    yield ".SH COMMANDS"
    common = {option.name for option in joined_options(BROWSE)} | {"json"}
    for command in COMMANDS:
        yield f".SS {_plain(command.usage)}\n{_plain(command.help[0].upper() + command.help[1:])}."
        options = (option for option in joined_options(command) if option.name not in common)
        yield from _entries((option_names(option), option.help) for option in options)
        yield ".PP\n.EX"
        yield from (_plain(f"coffeetree {example}") for example in command.examples)
        yield ".EE"
    for name, (title, text) in TOPICS.items():
        head = f'.SH "{_plain(title.upper())}"'
        yield f"{head}\n.EX\n{_plain(text)}\n.EE" if name == "status" else f"{head}\n{_plain(text)}"
        if name == "ref":
            yield from _entries(reference_forms())


def _entries(entries: Iterator[tuple[str, str]]) -> Iterator[str]:
    for name, text in entries:
        yield f".TP\n.B {_plain(name)}\n{_plain(text)}"


def _plain(text: str) -> str:
    """Text without meaning to troff: no escapes, hyphens as they are typed, no requests."""
    lines = text.rstrip("\n").replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in lines)
