"""Profiles for speedscope: one file, with a profile for each value.

Source: speedscope's file format, https://www.speedscope.app/file-format-schema.json: `shared.frames`, and profiles of
type "sampled" whose samples are lists of frame numbers, outermost first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from parsers.model.row import Unit
from parsers.reporting.export.sample import Sample, SampleFrame, whole

SCHEMA = "https://www.speedscope.app/file-format-schema.json"

UNITS = {"ms": "microseconds", "ns": "nanoseconds", "bytes": "bytes"}


def speedscope(
    name: str,
    values: Sequence[tuple[str, Unit]],
    samples: Iterable[Sample],
    exporter: str,
    leave_out: Callable[[int, str], None],
) -> Iterator[str]:
    """Yields the document, in pieces.

    leave_out  receives for each value the number of samples with negative weights, which the format doesn't have, and
               the title of the value
    """
    frames: dict[int, int] = {}
    listed: list[dict[str, object]] = []
    stacks: list[list[int]] = []
    weights: list[list[int]] = [[] for _ in values]
    for sample in samples:
        stacks.append([_number(frame, frames, listed) for frame in sample.frames])
        for place, (_, unit) in enumerate(values):
            weights[place].append(whole(sample.weights[place], unit))
    profiles = []
    for place, (title, unit) in enumerate(values):
        leave_out(sum(weight < 0 for weight in weights[place]), title)
        kept = [(stack, weight) for stack, weight in zip(stacks, weights[place], strict=True) if weight > 0]
        profiles.append(
            {
                "type": "sampled",
                "name": f"{name}: {title}",
                "unit": UNITS.get(unit, "none"),
                "startValue": 0,
                "endValue": sum(weight for _, weight in kept),
                "samples": [stack for stack, _ in kept],
                "weights": [weight for _, weight in kept],
            }
        )
    document = {
        "$schema": SCHEMA,
        "shared": {"frames": listed},
        "profiles": profiles,
        "name": name,
        "activeProfileIndex": 0,
        "exporter": exporter,
    }
    yield from json.JSONEncoder(ensure_ascii=True, allow_nan=False).iterencode(document)
    yield "\n"


def _number(frame: SampleFrame, frames: dict[int, int], listed: list[dict[str, object]]) -> int:
    number = frames.get(frame.number)
    if number is None:
        number = frames[frame.number] = len(listed)
        listed.append({"name": frame.name, **({"line": frame.line} if frame.line is not None else {})})
    return number
