"""Lines of the tables and keys of a TOML text, for error messages: Python's reader has no line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_PIECE = re.compile(
    r'"""(?>[^"\\]++|\\.|"(?!""))*+"""'
    r"|'''.*?'''"
    r'|"(?>[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|\n|[\[\]{}]"
    r"|[^\"'#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
"""Strings, comments, brackets, line ends, and text between; matches any text, so that all of it is consumed."""


@dataclass(slots=True)
class TomlTable:
    """A `[name]` or `[[name]]`; the top of the file has an empty name."""

    name: str
    line: int
    keys: dict[str, int] = field(default_factory=dict)
    """Line by key."""


class TomlPlaces:
    """Lines of tables and their keys, from 1."""

    def __init__(self, text: str) -> None:
        table = TomlTable("", 1)
        self._named = {"": [table]}
        """By name, in the order of the text."""
        for line, statement in _statements(text):
            if statement.startswith("["):
                table = TomlTable(_plain(statement.strip("[] \t")), line)
                self._named.setdefault(table.name, []).append(table)
            elif "=" in statement:
                table.keys.setdefault(_plain(statement.partition("=")[0]), line)

    def line(self, name: str = "", index: int = 0, key: str = "") -> int:
        """Returns the line of a table, by its name and its index among those of that name, or of a key in it.

        For inline tables it is the line of the key that contains them.
        """
        named = self._named.get(name, [])
        if index < len(named):
            return named[index].keys.get(key, named[index].line)
        return self._named[""][0].keys.get(name, 1)


def _statements(text: str) -> list[tuple[int, str]]:
    """Returns the first line of each statement without its comment, and its line number."""
    found: list[tuple[int, str]] = []
    line, start, depth, statement = 1, 1, 0, ""
    is_first = True
    for match in _PIECE.finditer(text.replace("\r\n", "\n")):
        piece = match[0]
        if piece == "\n":
            line += 1
            is_first = not depth
            if is_first:
                if statement.strip():
                    found.append((start, statement.strip()))
                statement, start = "", line
            continue
        if piece.startswith("#"):
            continue
        depth += (piece in ("[", "{")) - (piece in ("]", "}"))
        if is_first:
            statement += piece
        line += piece.count("\n")
    if statement.strip():
        found.append((start, statement.strip()))
    return found


def _plain(name: str) -> str:
    """Returns a key without blanks and quotes."""
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name
