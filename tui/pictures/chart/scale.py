"""Round numbers along an axis, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, log10

from parsers.model.row import Unit

CLOCK = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
"""Steps of a time axis in seconds, from one second on, in usual units of time."""

PREFIXES = ("", "k", "M", "G", "T", "P")
BYTES = ("B", "KB", "MB", "GB", "TB", "PB")

SIGNS: Mapping[Unit, str] = {"percent": "%", "text": ""}
"""Units with another suffix than their name."""

STEPS = 10
"""Minimum number of steps in a range that is rounded to whole steps."""

MINUTES = 120
"""Seconds from which an axis shows minutes."""


def round_step(least: float) -> float:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5, 10 … that is at least `least`."""
    if least <= 0:
        return 1.0
    power = 10.0 ** floor(log10(least))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= least * (1 - 1e-9))


def seconds_step(least: float) -> float:
    """The smallest step of seconds or clock units that is at least `least`."""
    if least <= 1:
        return round_step(least)
    return next((float(each) for each in CLOCK if each >= least), round_step(least / 86_400) * 86_400)


def ticks(low: float, high: float, most: int, unit: Unit = "count") -> list[float]:
    """Round numbers within an axis, at most `most` + 1, evenly spaced."""
    if high <= low or most < 1:
        return [low]
    least = (high - low) / most
    step = seconds_step(least) if unit == "s" else round_step(least)
    if unit in ("count", "bytes"):
        step = max(step, 1.0)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def round_range(low: float, high: float) -> tuple[float, float]:
    """The range of an axis for numbers: from zero to a round number slightly above the highest."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        return low, low + 1.0
    step = round_step((high - low) / STEPS)
    return floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step


def tick_text(value: float, unit: Unit, span: float) -> str:
    """Short text of a number on an axis; span: length of the axis, which determines the precision."""
    if unit == "s":
        return clock_text(value, span)
    base, _, per = unit.partition("/")
    if base not in ("bytes", "count"):
        number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        return f"{number} {SIGNS.get(unit, unit)}".strip()
    names = BYTES if base == "bytes" else PREFIXES
    size, place = abs(value), 0
    while size >= 1000 and place < len(names) - 1:
        size, place = size / 1000, place + 1
    number = f"{value / 1000**place:.3g}" if size < 1000 else f"{value / 1000**place:.0f}"
    return f"{number} {names[place]}{'/' + per if per else ''}".strip()


def clock_text(seconds: float, span: float) -> str:
    """A time on an axis of `span` seconds: `2.5 s`, `12:30`, `1:05:00`."""
    if max(span, abs(seconds)) < MINUTES:
        digits = 0 if span >= 10 else max(0, min(6, 1 - floor(log10(max(span, 1e-6)))))
        return f"{seconds:.{digits}f} s"
    sign, whole = "-" if seconds < 0 else "", abs(seconds)
    rest = f"{whole % 60:02.0f}" if span >= 10 else f"{whole % 60:04.1f}"
    minutes = int(whole // 60)
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{rest}" if minutes >= 60 else f"{sign}{minutes}:{rest}"
