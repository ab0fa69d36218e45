"""Collapsed stacks for flame graph scripts: a line for each stack, frames outermost first, and its weight.

Source: `stackcollapse` scripts of FlameGraph: `frame;frame;frame weight`. `;` and line ends in a frame have no
escape, so they are written as `,` and blank. Weights are integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from parsers.model.row import Unit
from parsers.reporting.export.sample import Sample, whole

EMPTY = "(no frames)"


def collapsed(samples: Iterable[Sample], unit: Unit, leave_out: Callable[[int], None]) -> Iterator[str]:
    """Returns the lines, each stack once, in order of first occurrence, with the first weight only.

    leave_out  receives the number of stacks with negative weights, which the format doesn't have
    """
    weights: dict[str, int] = {}
    for sample in samples:
        stack = ";".join(frame_text(frame.name) for frame in sample.frames) or EMPTY
        weights[stack] = weights.get(stack, 0) + whole(sample.weights[0], unit)
    leave_out(sum(weight < 0 for weight in weights.values()))
    return (f"{stack} {weight}\n" for stack, weight in weights.items() if weight > 0)


def frame_text(name: str) -> str:
    """Returns a name as one frame on one line."""
    return " ".join(name.replace(";", ",").split()) or "?"
