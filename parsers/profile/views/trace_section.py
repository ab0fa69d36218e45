"""The stack trace in the side pane, whose frames are links to all calls of their methods; and the lines of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.row import Section, SectionRow, counted
from parsers.profile.merge import sums_of
from parsers.profile.method_name import short_method
from parsers.profile.nested import NestedStacks
from parsers.profile.views.count_text import shown_text

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.profile.profile import Profile
    from parsers.profile.source import ProfileSource

SHOWN_FRAMES = 200
"""Maximum of frames of a trace in the side pane."""
MOST_LINES = 20
"""Maximum of lines of a method in the side pane."""


def trace_section(
    source: ProfileSource, profile: Profile, trace: int, weight: int, count: int, view: str, is_cut: bool
) -> Section:
    """Returns one trace, its weight, and the number of traces of which it is the heaviest. view: target of the links"""
    frames = profile.stacks.of(trace)
    rows = [
        SectionRow(
            f"{place:>2} {short_method(method)}",
            ref=f"method:{method}",
            view=view,
            badges={"line": source.line(int(frame)) or None},
        )
        for place, frame in enumerate(frames[:SHOWN_FRAMES].tolist())
        for method in [source.methods[int(source.method_of[frame])]]
    ]
    if not len(frames):
        rows.append(SectionRow("no frames were recorded"))
    if is_cut:
        rows.append(SectionRow(f"cut at depth {len(frames)}: callers unknown"))
    if count > 1:
        rows.append(SectionRow(f"the heaviest of {counted(count, 'trace')} through this row"))
    title = f"{source.trace_title(trace)}  {shown_text(profile.values[0], weight)}"
    return Section(title, tuple(rows), max(0, len(frames) - SHOWN_FRAMES))


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
    sums = sums_of([profile.weights[0][rows]], place, len(used))[0]
    lines: dict[str, int] = {}
    for frame, weight in zip(used.tolist(), sums.tolist(), strict=True):
        line = source.line(frame)
        lines[line] = lines.get(line, 0) + weight
    if not any(lines):
        return []
    value = profile.values[0]
    return [
        SectionRow(_line_text(line), shown_text(value, weight))
        for line, weight in sorted(lines.items(), key=lambda item: -item[1])[:MOST_LINES]
    ]


def _line_text(line: str) -> str:
    """Returns the label for a location, as `ProfileSource.line` gives it: `line 482`, `native`."""
    if not line:
        return "line unknown"
    return f"line {line[1:]}" if line.startswith(":") else line
