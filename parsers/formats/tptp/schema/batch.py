"""Events read from a recording, by plain code or kernels: columns of numbers in file order.

An event is a row: its element, its position, and the values of its attributes as numbers. A negative number is a text:
-1 minus its index in `words`; so an id is negative if it is not written in digits. Most events consist of numbers only.
Those with attributes without a slot have all attributes as texts in addition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS

NEVER = -(1 << 63)
"""In `numbers`: the attribute is missing, or its value is not a number where one is expected."""


class Texts(NamedTuple):
    """All attributes of an event with an attribute that has no slot or an unexpected value."""

    row: int
    name: str
    """The element, as spelled."""
    attributes: dict[str, str]
    """By our names (`vocabulary`), others as spelled, with their values: entities resolved, decoded."""


class Session(NamedTuple):
    """Start or end of a session, before the event of that row. An open session ends before another begins."""

    row: int
    offset: int
    """Offset of its start; at its end: after its last complete element."""
    member: str | None = None
    """At its start: the member of the zip."""
    end: int | None = None
    """At its end: index in `columns.SESSION_ENDS`."""
    declared: str | None = None
    """At its end: the declared encoding; None: none."""
    used: str = "UTF-8"
    """At its end: the encoding of its texts."""
    zeros: int = 0
    """At its end: number of NUL bytes at the end of the file."""
    rest: int = 0
    """At its end: bytes after its last complete element, without NUL bytes and white space."""
    facts: dict[str, Any] | None = None
    """At its end: its own facts, see `session_facts`."""


class Finding(NamedTuple):
    """A finding: something unexpected in the file."""

    kind: int
    """Index in `columns.FINDING_KINDS`."""
    offset: int
    value: int


@dataclass
class EventBatch:
    """Consecutive events. The columns are numpy arrays from kernels, `array`s from plain code."""

    base: int
    """The offset that `start` and `end` are relative to."""
    code: Any
    """u1: of the element, see `vocabulary.CODES`; NOTHING: the row is no event"""
    name: Any
    """u1: spelling, index in `Vocabulary.names`; NOTHING for an unknown element, whose name is in its texts"""
    start: Any
    """u4: of the `<`"""
    end: Any
    """u4: after the `>`"""
    numbers: Any
    """i8[rows × SLOTS]: values by slot, row by row; NEVER for missing values"""
    words: list[str] = field(default_factory=list)
    """Texts that `numbers` refer to, as in the file: entities resolved, decoded. Not unique."""
    texts: list[Texts] = field(default_factory=list)
    """Texts of the events that have any, in order."""
    sessions: list[Session] = field(default_factory=list)
    """Session starts and ends, in order."""
    findings: list[Finding] = field(default_factory=list)
    done: int = 0
    """All bytes before this offset are in this batch or in earlier ones."""

    def __len__(self) -> int:
        return len(self.code)

    def events(self) -> Iterator[Event]:
        """Yields the events, one by one, for plain code."""
        texts = {each.row: each for each in self.texts}
        for row in range(len(self.code)):
            code = int(self.code[row])
            if code != NOTHING:
                numbers = tuple(map(int, self.numbers[row * SLOTS : row * SLOTS + SLOTS]))
                start, end = self.base + int(self.start[row]), self.base + int(self.end[row])
                yield Event(row, code, int(self.name[row]), start, end, numbers, texts.get(row))


class Event(NamedTuple):
    """One event of a batch."""

    row: int
    code: int
    name: int
    offset: int
    end: int
    numbers: tuple[int, ...]
    texts: Texts | None
