"""What exporters of profiles are given: stacks with weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from parsers.model.report import Unit


@dataclass(frozen=True, slots=True)
class Frame:
    """A method, a line of one, a class …; two of one number are the same."""

    number: int
    name: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A stack, the outermost frame first, and its weights in the order of the profile's values."""

    frames: tuple[Frame, ...]
    weights: tuple[float, ...]


@runtime_checkable
class HasSamples(Protocol):
    """A view that is a profile."""

    name: str

    def sample_values(self) -> list[tuple[str, Unit]]:
        """What the weights of samples are: titles and units."""
        ...

    def samples(self, node: int | None = None) -> Iterator[Sample]:
        """The stacks of the profile; those through a node of the view."""
        ...


def whole(weight: float, unit: Unit) -> int:
    """A weight as a whole number: milliseconds in microseconds, others as they are."""
    return round(weight * 1000) if unit == "ms" else round(weight)
