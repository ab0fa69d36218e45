"""Collapsed stacks, as flame graph scripts read them: a line for each stack, frames outermost first, and its weight.

Source: `stackcollapse` scripts of FlameGraph: `frame;frame;frame weight`; there is no way to write a `;` or a line end
in a frame, so they are written as `,` and blank. Weights are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parsers.model.report import Unit
from parsers.reporting.export.sample import Sample, whole

EMPTY = "(no frames)"


def collapsed(samples: Iterable[Sample], unit: Unit) -> Iterator[str]:
    """The lines, each stack once, in the order in which they first come. Only the first weight is told."""
    weights: dict[str, int] = {}
    for sample in samples:
        stack = ";".join(frame_text(frame.name) for frame in sample.frames) or EMPTY
        weights[stack] = weights.get(stack, 0) + whole(sample.weights[0], unit)
    return (f"{stack} {weight}\n" for stack, weight in weights.items() if weight > 0)


def frame_text(name: str) -> str:
    """A name that is one frame on one line."""
    return " ".join(name.replace(";", ",").split()) or "?"
