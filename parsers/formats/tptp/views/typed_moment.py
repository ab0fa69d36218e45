"""Moments as users type them, and as REFs name them.

`12.5`, `12.5 s`, `at 1:02.5`: since the start of the session. `moment:1178705712.5`: since 1970 if a session was
running then, else since its start, too. The prefix `run:2/` or `session 2` selects one of several sessions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from parsers.views.timelines.moments import MOMENT, typed_nanos
from parsers.views.timelines.timeline_view import SECOND, moment_text

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

TYPED = re.compile(
    r"(?:run:(?P<run>\d{1,9})/|session (?P<session>\d{1,9}) )?(?:at |(?P<ref>moment:))?"
    rf"{MOMENT.format('')}(?: ?s)?"
)


class TypedMoment(NamedTuple):
    """A moment of a session."""

    session: int
    nanos: int
    """Nanoseconds since 1970."""


def typed_moment(recording: TraceRecording, text: str) -> TypedMoment | None:
    """Returns the moment that a text means; None if it is none, or outside the recording."""
    found = TYPED.fullmatch(text.strip())
    if found is None:
        return None
    nanos = typed_nanos(found)
    number = found["run"] or found["session"]
    sessions = range(recording.rows("session")) if number is None else [int(number) - 1]
    reaches = [(each, *reach(recording, each)) for each in sessions if 0 <= each < recording.rows("session")]
    for each, first, last in reaches:
        if found["ref"] and first <= nanos <= last:
            return TypedMoment(each, nanos)
    for each, first, last in reaches[:1]:
        if first + nanos <= last:
            return TypedMoment(each, first + nanos)
    return None


def reach(recording: TraceRecording, session: int) -> tuple[int, int]:
    """Returns start of a session and end of its data, since 1970; 0 if nothing in it has a time."""
    first = max(int(recording.column("session_earliest")[session]), 0)
    return first, max(int(recording.column("session_latest")[session]), first)


def moment_ref(nanos: int, session: int = 0) -> str:
    """Returns the REF of a moment."""
    before = f"run:{session + 1}/" if session else ""
    return f"{before}moment:{nanos // SECOND}.{nanos % SECOND:09}"


def exact_text(nanos: int) -> str:
    """Formats a moment since a start with all its digits, at least to milliseconds."""
    decimals = next(count for count in (3, 6, 9) if nanos % 10 ** (9 - count) == 0)
    return moment_text(nanos, decimals)
