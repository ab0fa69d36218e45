"""The lines of a method that a weight belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.report import SectionRow
from parsers.profile.nested import NestedStacks
from parsers.profile.views.count_text import shown_text

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.profile.profile import Profile
    from parsers.profile.source import ProfileSource

MOST_LINES = 20
"""Maximum of lines of a method in the side pane."""


def method_lines(
    source: ProfileSource, profile: Profile, rows: I64Array, depth: int, is_down: bool
) -> list[SectionRow]:
    """Returns the lines of the traces of some rows at one depth, the heaviest first; empty if none is known.

    Nested traces have no lines.

    depth  counted from the outermost frame if is_down, else from the innermost
    """
    stacks, traces = profile.stacks, profile.traces[rows]
    if isinstance(stacks, NestedStacks):
        return []
    places = stacks.first[1:][traces] - 1 - depth if is_down else stacks.first[:-1][traces] + depth
    used, place = np.unique(stacks.frames[places], return_inverse=True)
    sums = np.zeros(len(used), np.int64)
    np.add.at(sums, place, profile.weights[0][rows])
    lines: dict[str, int] = {}
    for frame, weight in zip(used.tolist(), sums.tolist(), strict=True):
        line = source.line(frame)
        lines[line] = lines.get(line, 0) + weight
    if not any(lines):
        return []
    value = profile.values[0]
    return [
        SectionRow(f"line {line}" if line else "line unknown", shown_text(value, weight))
        for line, weight in sorted(lines.items(), key=lambda item: -item[1])[:MOST_LINES]
    ]
