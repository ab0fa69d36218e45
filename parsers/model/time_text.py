"""Times as text."""

from __future__ import annotations


def nanos_text(nanos: float, decimals: int = 3) -> str:
    """Formats a duration in nanoseconds: with decimals in the largest unit of which it is at least one."""
    for scale, unit in ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")):
        if abs(nanos) >= scale:
            return f"{nanos / scale:,.{decimals}f} {unit}"
    return f"{nanos:,.0f} ns"


def time_text(nanos: int, zone: int = 0) -> str:
    """Formats a time in nanoseconds since 1970: `2026-11-22 10:23:30.890223803`, `… 15:53:30.890223803 +05:30`.

    zone  milliseconds that the zone is ahead of UTC
    """
    # The first screen formats durations only.
    from datetime import datetime, timedelta

    seconds, rest = divmod(nanos + zone * 1_000_000, 1_000_000_000)
    try:
        moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    except OverflowError:
        return f"{nanos:,} ns since 1970"
    minutes = abs(zone) // 60_000
    of_zone = f" {'-' if zone < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}" if zone else ""
    return f"{moment:%Y-%m-%d %H:%M:%S}.{rest:09}{of_zone}"
