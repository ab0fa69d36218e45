"""The call stack of a thread at a moment, as far as calls were recorded."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from parsers.tptp.columns import NEVER, NONE

if TYPE_CHECKING:
    from parsers.tptp.recording import Recording

KEPT = 16
"""Threads whose calls are kept in the order of time."""


class CallStacks:
    """Of one recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._starts: OrderedDict[int, tuple[Any, Any]] = OrderedDict()

    def at(self, thread: int, moment: int) -> list[int]:
        """The calls that were running, the innermost first. moment: since 1970"""
        if not self._recording.rows("call"):
            return []
        rows, starts = self._calls(thread)
        place = int(starts.searchsorted(moment, "right")) - 1
        if place < 0:
            return []
        column = self._recording.column
        begins, ends, parents = column("call_start"), column("call_end"), column("call_parent")
        call = int(rows[place])
        stack: list[int] = []
        while call != NONE:
            # Clocks step back: what ended is found by its end, never by its place alone.
            if (ends[call] == NEVER or moment < ends[call]) and begins[call] != NEVER:
                stack.append(call)
            call = int(parents[call])
        return stack

    def _calls(self, thread: int) -> tuple[Any, Any]:
        """The calls of a thread in file order, and when each began, never before one that stands before it."""
        import numpy as np

        from parsers.index.packed import numbers

        found = self._starts.get(thread)
        if found is None:
            column = self._recording.column
            first = column("thread_first_call")
            rows = numbers(column("call_of_thread"), slice(int(first[thread]), int(first[thread + 1])))
            starts = np.maximum.accumulate(numbers(column("call_start"), rows)) if len(rows) else np.empty(0, np.int64)
            found = rows, starts
            while len(self._starts) >= KEPT:
                self._starts.popitem(last=False)
        self._starts[thread] = found
        self._starts.move_to_end(thread)
        return found
