"""Sessions of a recording while its events are joined, by plain code or by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.batch import SessionMark
from parsers.formats.tptp.schema.columns import NO_END_TAG
from parsers.formats.tptp.schema.counters import SessionCounter

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers


class CountedSession:
    """Counts and facts of a session that are stored in the header of the index, not in tables."""

    def __init__(self, counts: Numbers) -> None:
        """counts: by SessionCounter; they still grow"""
        self._counts = counts
        self.mark = SessionMark(0, 0)
        """Its end, once that is known."""

    @property
    def elements(self) -> int:
        """Number of elements so far."""
        return int(self._counts[SessionCounter.ELEMENTS])

    def facts(self) -> dict[str, object]:
        """Returns all facts."""
        mark, counts = self.mark, {each.name.lower(): int(self._counts[each]) for each in SessionCounter}
        found = {"declared": mark.declared, "used": mark.used, "zeros": mark.zeros, "rest": mark.rest}
        return {**found, **(mark.facts or {}), "counts": counts}


class JoinedSessions:
    """Begins and ends sessions at their marks."""

    def __init__(self) -> None:
        self.sessions: list[CountedSession] = []
        self._is_open = False
        self._last_mark: SessionMark | None = None
        """End of the last session beyond MOST_SESSIONS."""

    def _begin_session(self, offset: int, member: str | None) -> None:
        raise NotImplementedError

    def _end_rows(self, offset: int, state: int) -> None:
        """Completes the rows of the open session. offset: behind its last element; state: index in SESSION_ENDS"""
        raise NotImplementedError

    def _begin(self, offset: int, member: str | None = None) -> None:
        self._is_open = True
        self._begin_session(offset, member)

    def _end(self, mark: SessionMark) -> None:
        self._is_open = False
        self._end_rows(mark.offset, mark.end or 0)
        self.sessions[-1].mark = mark

    def _mark(self, mark: SessionMark) -> None:
        if self._is_open and len(self.sessions) == MOST_SESSIONS:
            self._last_mark = mark if mark.end is not None else self._last_mark
            return
        if self._is_open:
            self._end(mark if mark.end is not None else SessionMark(mark.row, mark.offset, end=NO_END_TAG))
        if mark.end is None:
            self._begin(mark.offset, mark.member)

    def _end_last(self, offset: int) -> None:
        """Ends the open session at the end of the input. offset: behind its last element"""
        if self._is_open:
            self._end(self._last_mark or SessionMark(0, offset, end=NO_END_TAG))

    @property
    def elements(self) -> int:
        """Number of elements added."""
        return sum(session.elements for session in self.sessions)

    def _facts(self, finding_counts: Sequence[int]) -> dict[str, Any]:
        return {"sessions": [session.facts() for session in self.sessions], "finding_counts": list(finding_counts)}
