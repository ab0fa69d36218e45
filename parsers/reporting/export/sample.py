"""The input of profile exporters: stacks with weights."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.model.row import Unit


@dataclass(frozen=True, slots=True)
class SampleFrame:
    """A method, a line, a class …; frames with one number are equal."""

    number: int
    name: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A stack, the outermost frame first, and its weights in the order of the profile's values."""

    frames: tuple[SampleFrame, ...]
    weights: tuple[float, ...]


def whole(weight: float, unit: Unit) -> int:
    """Converts a weight to an integer: milliseconds to microseconds, others unchanged."""
    return round(weight * 1000) if unit == "ms" else round(weight)
