"""What `:set` and the configuration can change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


class BadOption(ValueError):
    """No such option, or a value it can't have; the text says what would do."""


@dataclass(slots=True)
class Options:
    """How the browser behaves; one line of help each."""

    number: bool = False
    """Show the number of each row."""
    ignorecase: bool = False
    """Searches never mind the case (else only those without capitals)."""
    wrapscan: bool = True
    """`n` goes on from the other end."""
    scrolloff: int = 2
    """Rows kept in sight above and below the cursor."""
    ascii: bool = False
    """Only ASCII signs."""
    mono: bool = False
    """No colours."""
    percent: bool = False
    """The status line tells the place in percent."""
    mouse: bool = True
    """The terminal sends clicks and the wheel (off: its own selection works)."""
    follow: bool = False
    """Stay at the end of a growing file."""
    theme: str = ""
    """Name of the theme; empty: what fits the terminal."""

    def set(self, name: str, value: object) -> None:
        """Give an option a value of its type. Raises BadOption."""
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
        """Change options as `:set` says: `number`, `nonumber`, `number!`, `scrolloff=5`. Returns their names."""
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
        """Each option as it could be typed."""
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, bool):
                yield option.name if value else f"no{option.name}"
            else:
                yield f"{option.name}={value}"


OPTION_HELP = {
    "number": "show the number of each row",
    "ignorecase": "searches never mind the case (else only those without capitals)",
    "wrapscan": "n and N go on from the other end",
    "scrolloff": "rows kept in sight above and below the cursor",
    "ascii": "only ASCII signs",
    "mono": "no colours",
    "percent": "the place in percent in the status line",
    "mouse": "clicks and wheel (off: the terminal's own selection works)",
    "follow": "stay at the end of a growing file",
    "theme": "dark, light, ansi-dark, ansi-light or mono",
}


def _value(text: str) -> object:
    if text.lower() in ("on", "true", "yes"):
        return True
    if text.lower() in ("off", "false", "no"):
        return False
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else text
