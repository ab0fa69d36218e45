"""The stack trace in the side pane: frames are links to all calls of their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.report import Section, SectionRow, counted
from parsers.profile.method_name import short_method
from parsers.profile.views.count_text import shown_text

if TYPE_CHECKING:
    from parsers.profile.profile import Profile
    from parsers.profile.source import ProfileSource

SHOWN_FRAMES = 200
"""Maximum of frames of a trace in the side pane."""


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
