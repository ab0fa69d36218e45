"""Traces and their frames as positions: each trace, then its frames."""

from __future__ import annotations

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.model.trees.grouped_preorder import TwoLevelPreorder


class TraceRows(TwoLevelPreorder):
    """A `Preorder` of traces with their frames as leaves."""

    def __init__(self, recording: ProfileRecording) -> None:
        self._recording = recording

    @property
    def is_complete(self) -> bool:  # type: ignore[override]  # recordings grow
        """True if no more rows will be added."""
        return self._recording.is_complete

    @property
    def groups(self) -> int:
        """Number of traces."""
        return self._recording.rows("trace")

    def before(self, group: int) -> int:
        """Number of frames before those of a trace."""
        return self._recording.rows("stack") if group >= self.groups else self._recording.column("trace_first")[group]
