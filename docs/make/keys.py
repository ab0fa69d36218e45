"""Writes `docs/keys.md`, the page of all keys, from the registry of commands. Run it by `make keys`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tui.input.keys.name import shown_key  # noqa: E402
from tui.input.keys.registry import Command, every_command  # noqa: E402

PAGE = ROOT / "docs" / "keys.md"

INTRODUCTION = """\
# Keys

All keys and commands, from the registry of the program. In the browser `?` shows those of the view you are in, and
after a prefix such as `f`, `y`, `z` or `p` the key line lists what can follow. `^p` finds a command by a few letters.

* A count precedes a key: `10j` is ten rows down, `120G` row 120 of the document, `50%` its middle.
* `^x` is Ctrl+X, `{letter}` any letter, `{1-9}` any digit.
* Every command can be typed by its name after `:`, also those without a key.
* [Configuration](configuration.md) describes how to change keys.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    groups: dict[str, list[Command]] = {}
    for command in every_command():
        groups.setdefault(command.group, []).append(command)
    for title, commands in groups.items():
        yield f"## {title}\n"
        yield "| keys | command | effect |"
        yield "|---|---|---|"
        for command in commands:
            keys = " ".join(_code(shown_key(key)) for key in command.keys)
            yield f"| {keys} | {_code(f':{command.name} {command.argument}'.strip())} | {_text(command.help)} |"
        yield ""


def _code(text: str) -> str:
    """A code span in a table."""
    return "`` ` ``" if text == "`" else f"`{text}`".replace("|", "\\|")


def _text(text: str) -> str:
    """A sentence of the help; outside of its code spans, characters with a meaning in Markdown are escaped."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = (re.sub(r"([\\*_<>\[\]`])", r"\\\1", part) for part in parts[::2])
    return "".join(parts).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
