"""Traces and their frames as positions: each trace, then its frames."""

from __future__ import annotations

from bisect import bisect_right

from parsers.formats.hprof.data.recording import ProfileRecording


class TraceRows:
    """A `Preorder` of two levels."""

    def __init__(self, recording: ProfileRecording) -> None:
        self._recording = recording

    @property
    def is_complete(self) -> bool:
        """True if no more rows will be added."""
        return self._recording.is_complete

    @property
    def traces(self) -> int:
        """Number of traces."""
        return self._recording.rows("trace")

    @property
    def rows(self) -> int:
        """Number of traces and frames."""
        return self.node(self.traces)

    def node(self, trace: int) -> int:
        """Returns the position of a trace; for the index after the last trace the end."""
        if trace >= self.traces:
            return self.traces + self._recording.rows("stack")
        return trace + self._recording.column("trace_first")[trace]

    def place(self, node: int) -> tuple[int, int]:
        """Returns the trace of a position, and the index of its frame; -1: the trace itself."""
        trace = bisect_right(range(self.traces), node, key=self.node) - 1
        return trace, node - self.node(trace) - 1

    def depth(self, node: int) -> int:
        """Returns 0 for a trace, 1 for a frame."""
        return int(self.place(node)[1] >= 0)

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        depths = memoryview(bytearray(2 * max(stop - start, 0))).cast("H")
        if not len(depths):
            return depths
        at, trace = start, self.place(start)[0] + 1
        if self.node(trace - 1) == start:
            trace -= 1
        while at < stop:
            after = self.node(trace) if trace < self.traces else stop
            for place in range(at, min(after, stop)):
                depths[place - start] = 1
            at, trace = after + 1, trace + 1
        return depths

    def end(self, node: int) -> int:
        """Returns the next trace, for a trace; the next position, for a frame."""
        trace, frame = self.place(node)
        return self.node(trace + 1) if frame < 0 else node + 1

    def parent(self, node: int) -> int | None:
        """Returns the trace of a frame."""
        trace, frame = self.place(node)
        return None if frame < 0 else self.node(trace)
