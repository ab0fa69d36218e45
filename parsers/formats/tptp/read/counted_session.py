"""What is known of a session beside the tables, as JSON can hold it."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.schema.batch import SessionMark
from parsers.formats.tptp.schema.counters import COUNTERS, ELEMENTS


class CountedSession:
    """One session on its way."""

    def __init__(self, counts: Any) -> None:
        self._counts = counts
        self._facts: dict[str, Any] = {}

    @property
    def elements(self) -> int:
        """How many it has until now."""
        return int(self._counts[ELEMENTS])

    def end(self, mark: SessionMark) -> None:
        """It has ended."""
        self._facts = {
            "declared": mark.declared,
            "used": mark.used,
            "zeros": mark.zeros,
            "rest": mark.rest,
            **(mark.facts or {}),
        }

    def facts(self) -> dict[str, Any]:
        """All of it."""
        return {**self._facts, "counts": {name: int(n) for name, n in zip(COUNTERS, self._counts, strict=True)}}
