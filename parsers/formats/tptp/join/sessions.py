"""Sessions of a recording while its events are joined, by plain code or by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parsers.formats.tptp.read.counted_session import CountedSession
from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.batch import SessionMark
from parsers.formats.tptp.schema.columns import NO_END_TAG


class JoinedSessions:
    """Begins and ends sessions at their marks."""

    def __init__(self) -> None:
        self.sessions: list[CountedSession] = []
        self._is_open = False
        self._last_mark: SessionMark | None = None
        """End of the last session beyond MOST_SESSIONS."""

    def _begin_session(self, offset: int, member: str | None) -> None:
        raise NotImplementedError

    def _end_session(self, mark: SessionMark) -> None:
        raise NotImplementedError

    def _mark(self, mark: SessionMark) -> None:
        if self._is_open and len(self.sessions) == MOST_SESSIONS:
            self._last_mark = mark if mark.end is not None else self._last_mark
            return
        if self._is_open:
            self._end_session(mark if mark.end is not None else SessionMark(mark.row, mark.offset, end=NO_END_TAG))
        if mark.end is None:
            self._begin_session(mark.offset, mark.member)

    def _end_last(self, offset: int) -> None:
        """Ends the open session at the end of the input. offset: behind its last element"""
        if self._is_open:
            self._end_session(self._last_mark or SessionMark(0, offset, end=NO_END_TAG))

    @property
    def elements(self) -> int:
        """Number of elements added."""
        return sum(session.elements for session in self.sessions)

    def _facts(self, finding_counts: Sequence[int]) -> dict[str, Any]:
        return {"sessions": [session.facts() for session in self.sessions], "finding_counts": list(finding_counts)}
