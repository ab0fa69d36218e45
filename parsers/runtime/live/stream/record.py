"""A record of a live stream that tells something: an answer, or news that nobody asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Record:
    """One of them, all of which has come."""

    name: str
    """As records are counted: `heap_summary`; of a text stream the words of its section: `CPU SAMPLES`."""
    offset: int
    """Of its first byte in the stream."""
    end: int
    facts: Mapping[str, int] = field(default_factory=dict)
    """The numbers of its head."""
