"""Facts of a session that are not in tables, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.schema.batch import SessionMark
from parsers.formats.tptp.schema.counters import SessionCounter

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers


class CountedSession:
    """A session that is being read."""

    def __init__(self, counts: Numbers) -> None:
        self._counts = counts
        self._facts: dict[str, Any] = {}

    @property
    def elements(self) -> int:
        """Returns the number of elements so far."""
        return int(self._counts[SessionCounter.ELEMENTS])

    def end(self, mark: SessionMark) -> None:
        """Ends the session."""
        self._facts = {
            "declared": mark.declared,
            "used": mark.used,
            "zeros": mark.zeros,
            "rest": mark.rest,
            **(mark.facts or {}),
        }

    def facts(self) -> dict[str, Any]:
        """Returns all facts."""
        return {**self._facts, "counts": {each.name.lower(): int(self._counts[each]) for each in SessionCounter}}
