"""A record of a live stream with information: an answer, or unsolicited news."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Record:
    """One complete record."""

    name: str
    """Name as in `counts`: `heap_summary`; in a text stream the words of its section: `CPU SAMPLES`."""
    offset: int
    """Offset of its first byte in the stream."""
    end: int
    facts: Mapping[str, int] = field(default_factory=dict)
    """The numbers of its head."""
