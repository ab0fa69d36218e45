"""Options that `:set` and the configuration change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar

Value = TypeVar("Value")


class BadOption(ValueError):
    """Unknown option or invalid value; the text lists valid ones."""


def option(default: Value, help: str) -> Value:
    """A field with its meaning."""
    return field(default=default, metadata={"help": help})


@dataclass(slots=True)
class Options:
    """Options of the browser."""

    number: bool = option(False, "show the number of each row")
    ignorecase: bool = option(False, "searches never mind the case (else only those without capitals)")
    wrapscan: bool = option(True, "n and N continue at the other end")
    scrolloff: int = option(2, "rows kept in sight above and below the cursor")
    ascii: bool = option(False, "only ASCII signs")
    mono: bool = option(False, "no colours")
    percent: bool = option(False, "the place in percent in the status line")
    mouse: bool = option(True, "clicks and wheel (off: the terminal's own selection works)")
    follow: bool = option(False, "stay at the end of a growing file")
    theme: str = option("", "dark, light, ansi-dark, ansi-light or mono")
    """Empty: chosen for the terminal."""

    def set(self, name: str, value: object) -> None:
        """Sets an option to a value of its type. Raises `BadOption`."""
        kinds = {option.name: option.type for option in fields(self)}
        if name not in kinds:
            raise BadOption(f"no option {name!r}: there are {', '.join(kinds)}")
        kind = kinds[name]
        if kind == "bool" and not isinstance(value, bool):
            raise BadOption(f"{name} is on or off (true, false), not {value!r}")
        if kind == "int" and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000):
            raise BadOption(f"{name} is a number from 0 to 1000, not {value!r}")
        if kind == "str" and not isinstance(value, str):
            raise BadOption(f"{name} is a text, not {value!r}")
        setattr(self, name, value)

    def set_text(self, words: str) -> list[str]:
        """Changes options as in `:set`: `number`, `nonumber`, `number!`, `scrolloff=5`. Returns their names."""
        changed: list[str] = []
        for word in words.split():
            name, sign, text = word.partition("=")
            if sign:
                self.set(name, _value(text))
            elif name.endswith("!"):
                name = name[:-1]
                self.set(name, not getattr(self, name, False))
            elif name.startswith("no") and hasattr(self, name[2:]):
                name = name[2:]
                self.set(name, False)
            else:
                self.set(name, True)
            changed.append(name)
        return changed

    def shown(self) -> Iterable[str]:
        """Each option in the form that sets it."""
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, bool):
                yield option.name if value else f"no{option.name}"
            else:
                yield f"{option.name}={value}"


OPTION_HELP: Mapping[str, str] = {each.name: each.metadata["help"] for each in fields(Options)}
"""Meaning of each option."""


def _value(text: str) -> object:
    if text.lower() in ("on", "true", "yes"):
        return True
    if text.lower() in ("off", "false", "no"):
        return False
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else text
