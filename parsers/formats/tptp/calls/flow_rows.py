"""Threads and their calls in order, as positions: with repetitions folded, or with each call.

A head is a row that is not a call: a session, if there are several, or a thread.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.store.names import TraceNames

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array, U16Array

BLOCK = 1 << 20
"""Rows processed in one step."""


class Head(NamedTuple):
    """A row that is not a call."""

    node: int
    is_session: bool
    row: int
    """Row of sessions or threads."""
    first: int
    """The first call below it, counted over all calls that have rows."""


class FlowRows:
    """A `Preorder`."""

    is_complete = True

    def __init__(self, recording: TraceRecording, names: TraceNames, is_folded: bool) -> None:
        column = recording.numbers
        depths, ends = column("flow_depth"), column("flow_end")
        self.places: AnyArray | None = None
        """Index in `call_of_thread` by call with a row; None if all calls have rows."""
        self.times: AnyArray | None = None
        firsts = column("thread_first_call").astype(np.int64)
        if is_folded:
            self.places, ends = column("flow_kept"), column("flow_kept_end")
            self.times = column("flow_kept_times")
            firsts = np.searchsorted(self.places, firsts)
        self._depths, self._call_ends = depths, ends
        self.heads = _heads(recording, names, firsts)
        self.levels = 1 + (recording.sessions > 1)
        """Number of levels of heads."""
        self._head_nodes = [head.node for head in self.heads]
        self._head_firsts = [head.first for head in self.heads]
        self.calls = len(ends)
        self.rows = len(self.heads) + self.calls

    def place(self, node: int) -> tuple[Head, int]:
        """Returns the head above a position, or at it, and the number of the call; -1 if the position is a head."""
        head = self.heads[bisect_right(self._head_nodes, node) - 1]
        return head, -1 if head.node == node else head.first + node - head.node - 1

    def node_of_call(self, call: int) -> int:
        """Returns the position of a call that has a row."""
        head = self.heads[bisect_right(self._head_firsts, call) - 1]
        return head.node + 1 + call - head.first

    def place_of(self, call: int) -> int:
        """Returns the index of a call in `call_of_thread`."""
        return call if self.places is None else int(self.places[call])

    def call_at(self, place: int) -> int:
        """Returns the call with a row for an index of `call_of_thread`: the call itself, or the one it repeats."""
        if self.places is None:
            return place
        return int(np.searchsorted(self.places, np.uint32(place), "right")) - 1

    def call_depths(self, start: int, stop: int) -> U16Array:
        """Returns depths of calls below their threads, uint16."""
        return self._depths[start:stop] if self.places is None else self._depths[self.places[start:stop]]

    def depth(self, node: int) -> int:
        """Returns the depth of a position."""
        head, call = self.place(node)
        if call < 0:
            return 0 if head.is_session else self.levels - 1
        return min(int(self.call_depths(call, call + 1)[0]) + self.levels, 65_535)

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        pieces, node = [np.empty(0, np.uint16)], start
        at = bisect_right(self._head_nodes, start) - 1
        while node < stop:
            head = self.heads[at]
            until = self._head_nodes[at + 1] if at + 1 < len(self.heads) else self.rows
            if node == head.node:
                pieces.append(np.array([self.depth(node)], np.uint16))
                node += 1
            first, last = (head.first + each - head.node - 1 for each in (node, min(until, stop)))
            below = self.call_depths(first, last)
            pieces.append(np.minimum(below, 65_535 - self.levels) + np.uint16(self.levels))
            node, at = min(until, stop), at + 1
        return np.concatenate(pieces).astype(np.uint16, copy=False).data

    def ends(self, start: int, stop: int) -> I64Array:
        """Returns the ends of a range."""
        nodes = np.arange(start, stop)
        calls = nodes - np.searchsorted(self._head_nodes, nodes, "right")
        found: AnyArray = self._call_ends[np.maximum(calls, 0)] + (nodes - calls)
        heads = [node for node in self._head_nodes if start <= node < stop]
        found[np.array(heads, np.int64) - start] = [self.end(node) for node in heads]
        return found

    def end(self, node: int) -> int:
        """Returns the position after the subtree of a position."""
        head, call = self.place(node)
        if call >= 0:
            return node + int(self._call_ends[call]) - call
        others = (each.node for each in self.heads[bisect_right(self._head_nodes, node) :])
        if head.is_session:
            others = (each.node for each in self.heads if each.is_session and each.node > node)
        return next(others, self.rows)

    def parent(self, node: int) -> int | None:
        """Returns the position of the parent."""
        head, call = self.place(node)
        if call < 0:
            if head.is_session or self.levels == 1:
                return None
            return next(each.node for each in reversed(self.heads) if each.is_session and each.node < node)
        depth = int(self.call_depths(call, call + 1)[0])
        if not depth:
            return head.node
        stop = call
        while stop > head.first:
            start = max(head.first, stop - BLOCK)
            above = np.flatnonzero(self.call_depths(start, stop) < depth)
            if len(above):
                return head.node + 1 + start + int(above[-1]) - head.first
            stop = start
        return head.node

    def head_of(self, is_session: bool, row: int) -> int | None:
        """Returns the position of a session or thread."""
        return next((head.node for head in self.heads if (head.is_session, head.row) == (is_session, row)), None)


def _heads(recording: TraceRecording, names: TraceNames, firsts: I64Array) -> list[Head]:
    """Returns the heads of all threads with calls. firsts: first call of each thread, and one more entry"""
    threads = np.flatnonzero(np.diff(firsts))
    places, first = firsts[threads].tolist(), -1
    sessions = recording.sessions_of("thread", threads).tolist() if recording.sessions > 1 else [first] * len(threads)
    heads: list[Head] = []
    for thread, place, session in zip(threads.tolist(), places, sessions, strict=True):
        if session != first:
            first = session
            heads.append(Head(place + len(heads), True, session, place))
        heads.append(Head(place + len(heads), False, thread, place))
    return heads
