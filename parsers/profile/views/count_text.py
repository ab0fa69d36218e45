"""Numbers of profiles as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.profile.profile import Value


def shown_text(value: Value, weight: int, sign: str = "") -> str:
    """Formats a weight with its unit; sign: "+" marks increases."""
    if value.unit == "ns":
        return f"{'+' if sign and weight > 0 else ''}{nanos_text(int(weight))}"
    shown = value.shown(weight)
    number = f"{shown:{sign},}" if isinstance(shown, int) else f"{shown:{sign},.1f}"
    return f"{number} {value.noun or value.title if value.unit == 'count' else value.unit}"


def nanos_text(nanos: int) -> str:
    """Formats a duration: three decimals in the largest unit of which it is at least one."""
    for scale, unit in ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")):
        if abs(nanos) >= scale:
            return f"{nanos / scale:,.3f} {unit}"
    return f"{nanos} ns"
