"""Numbers of profiles in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.profile.profile import Value


def shown_text(value: Value, weight: int, sign: str = "") -> str:
    """A weight with its unit, for people; sign: "+" tells that of what has grown."""
    shown = value.shown(weight)
    number = f"{shown:{sign},}" if isinstance(shown, int) else f"{shown:{sign},.1f}"
    return f"{number} {value.noun or value.title if value.unit == 'count' else value.unit}"


def counted(count: int, word: str) -> str:
    """A number of things."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
