"""The call stack of a thread at a moment, as far as calls were recorded."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NEVER
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

MOST_NEIGHBOURS = 200
"""Neighbours of the found call that are checked for clocks stepping back."""


def calls_at(recording: TraceRecording, thread: int, moment: int) -> list[int]:
    """Returns the calls of a thread running at a moment since 1970, the innermost first.

    Stacks are not cached: a thread may have millions of calls, and all threads are queried.
    """
    if not recording.rows("call"):
        return []
    begins, ends, parents = (recording.column(f"call_{name}") for name in ("start", "end", "parent"))
    call = _last_before(recording, thread, moment)
    stack: list[int] = []
    while call != NONE:
        # Ended calls are recognised by their end, never by position alone: clocks step back.
        if (ends[call] == NEVER or moment < ends[call]) and begins[call] != NEVER:
            stack.append(call)
        call = int(parents[call])
    return stack


def _last_before(recording: TraceRecording, thread: int, moment: int) -> int:
    """Returns the last call of a thread, in file order, that had begun; NONE if there is none."""
    column = recording.column
    calls, begins, ends = column("call_of_thread"), column("call_start"), column("call_end")
    places = recording.of_thread("call", thread)

    def began(place: int) -> int:
        call = calls[place]
        start = int(begins[call])
        # A call without entry is positioned at its exit.
        return int(ends[call]) if start == NEVER else start

    place = places.start + bisect_right(places, moment, key=began) - 1
    for after in range(min(place + MOST_NEIGHBOURS, places.stop - 1), place, -1):
        if began(after) <= moment:
            return int(calls[after])
    return int(calls[place]) if place >= places.start else NONE
