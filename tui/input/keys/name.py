"""Notation of keys: `j`, `^f`, `PgDn`, `zz`, `m{letter}`; and conversion of terminal events to it.

A *key* is one press, named as on a key cap: printable characters as they are, `^x` for Ctrl with a letter, other keys
by the names in `SPECIAL`. A *sequence* is a tuple of keys. Help, the configuration and the tests use this form.
"""

from __future__ import annotations

from collections.abc import Mapping

SPECIAL: Mapping[str, str] = {
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "enter": "Enter",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "backspace": "Backspace",
    "delete": "Del",
    "insert": "Ins",
    "escape": "Esc",
    "space": "Space",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}
"""Textual's names of keys, and their names here."""

FORBIDDEN = frozenset({"^i", "^m", "^h", "^[", "^j", "^s", "^q", "F10", "F11"})
"""Keys that terminals can't distinguish from others, or reserve. Never bound."""

ANY_LETTER = "{letter}"
WILDCARDS: Mapping[str, frozenset[str]] = {
    ANY_LETTER: frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "{1-9}": frozenset("123456789"),
}
"""Wildcards for one key of a sequence, with the keys they match."""

Sequence = tuple[str, ...]

_BY_LOWER = {name.lower(): name for name in SPECIAL.values()}
_BY_LOWER |= {"pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc", "delete": "Del"}


def parse_sequence(text: str) -> Sequence:
    """The keys of a written sequence: `parse_sequence("]m") == ("]", "m")`. Raises ValueError for an invalid key."""
    if special := _BY_LOWER.get(text.lower()) if len(text) > 1 else None:
        return (special,)
    keys: list[str] = []
    at = 0
    while at < len(text):
        wildcard = next((name for name in WILDCARDS if text.startswith(name, at)), None)
        if wildcard is not None:
            keys.append(wildcard)
            at += len(wildcard)
        elif text[at] == "^" and at + 1 < len(text) and text[at + 1].isascii() and text[at + 1].isprintable():
            keys.append(text[at : at + 2].lower())
            at += 2
        elif text[at].isprintable() and not text[at].isspace():
            keys.append(text[at])
            at += 1
        else:
            raise ValueError(f"{text!r} is not a key")
    if not keys:
        raise ValueError("an empty text is not a key")
    return tuple(keys)


def key_of_event(name: str, character: str | None) -> str:
    """Converts a key from Textual's name and its typed character, if any."""
    if name in SPECIAL:
        return SPECIAL[name]
    if name.startswith("ctrl+") and len(name) == len("ctrl+x"):
        return "^" + name[-1]
    if character is not None and len(character) == 1 and character.isprintable():
        return "Space" if character == " " else character
    return name


def shown_key(key: str) -> str:
    """A written sequence in the form of the help."""
    return key.replace("{letter}", "a…z").replace("{1-9}", "1…9")
