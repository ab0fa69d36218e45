"""Numbers of profiles as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.time_text import nanos_text

if TYPE_CHECKING:
    from parsers.profile.profile import Value


def shown_text(value: Value, weight: int, sign: str = "") -> str:
    """Formats a weight with its unit; sign: "+" marks increases."""
    if value.unit == "ns":
        return f"{'+' if sign and weight > 0 else ''}{nanos_text(int(weight))}"
    shown = value.shown(weight)
    number = f"{shown:{sign},}" if isinstance(shown, int) else f"{shown:{sign},.1f}"
    return f"{number} {value.noun or value.title if value.unit == 'count' else value.unit}"
