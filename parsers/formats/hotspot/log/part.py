"""Counts and problems of one file of a run, apart from the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.formats.hotspot.log.read.tags import KINDS

LINE_BLOCK = 64 << 10
"""Bytes of a block; the number of lines before each block of a file is stored."""
KEPT_PROBLEMS = 1000
"""Maximum torn tags, gaps and the like that are listed; all are counted."""
NUL_GAP = 512
"""Consecutive NUL bytes that count as a gap: a disk's smallest block."""


@dataclass(slots=True)
class LogFile:
    """One file. Offsets are those of the file. Elements in fragments are counted only as such."""

    base: int
    """Run offset of its start."""
    size: int
    first_task: int = 0
    first_event: int = 0
    first_thread: int = 0
    first_block: int = 0
    """Index of its first block in the array of lines."""
    kinds: list[int] = field(default_factory=lambda: [0] * KINDS)
    """Number of tags by kind (`tags`)."""
    outside: Counter[str] = field(default_factory=Counter)
    """Elements outside of tasks by name."""
    outside_in_fragments: Counter[str] = field(default_factory=Counter)
    """The same in fragments."""
    newlines: int = 0
    nul_bytes: int = 0
    first_bad_utf8_byte: int = -1
    mid_line: list[tuple[int, str]] = field(default_factory=list)
    """The first tags that don't begin their line."""
    mid_line_count: int = 0
    failed_dependencies: Counter[str] = field(default_factory=Counter)
    """Types of dependency_failed in tasks."""
    torn: list[tuple[int, str]] = field(default_factory=list)
    """The first torn tags, with their names."""
    torn_count: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    """The first gaps of NULs: from, to."""
    headers: list[tuple[int, int, int]] = field(default_factory=list)
    """The first `hotspot_log` tags: offset, process, time_ms."""
    tty: tuple[int, int] = (-1, -1)
    """Offsets of the first `<tty` and the last `</tty`; -1 where there is none."""
    fragment_is_open: bool = False
    """True if the file ends in a fragment."""
    strays: list[tuple[int, int, int]] = field(default_factory=list)
    """The first ranges with elements of tasks outside of all tasks, and the number of these elements (`stray`)."""
    stray_count: int = 0
    """Number of such elements in all."""
    ends_in: int = -1
    """Offset of the tag in which the file ends; -1 if it ends after one."""

    def fields(self) -> dict[str, Any]:
        """Returns the fields as JSON can hold them."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: dict(sorted(value.items())) if isinstance(value, Counter) else value for name, value in values.items()
        }

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> LogFile:
        """Returns the part of such fields."""
        part = cls(**fields)
        for name in ("outside", "outside_in_fragments", "failed_dependencies"):
            setattr(part, name, Counter(fields[name]))
        part.tty = (fields["tty"][0], fields["tty"][1])
        return part
