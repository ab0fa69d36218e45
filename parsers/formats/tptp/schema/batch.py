"""Events read from a recording, by plain code or kernels: columns of numbers in file order.

An event is a row: its element, its position, and the values of its attributes as numbers. A negative number is a text:
-1 minus its index in `words`; so an id is negative if it is not written in digits. Most events have no texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, TIME, UNKNOWN
from parsers.model.none import NONE

NEVER = -(1 << 63)
"""In `numbers`: the attribute is missing, or its value is not a number where one is expected."""


class SessionMark(NamedTuple):
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


class TraceFinding(NamedTuple):
    """A finding: something unexpected in the file."""

    kind: int
    """A FindingKind."""
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
    """u1: how it is spelled, place in `Vocabulary.names`; of an unknown element NOTHING, its name is in `odd`"""
    start: Any
    """u4: of the `<`"""
    end: Any
    """u4: after the `>`"""
    numbers: Any
    """i8[rows × SLOTS]: values by slot, row by row; NEVER for missing values"""
    words: list[str] = field(default_factory=list)
    """Texts that `numbers` refer to, as in the file: entities resolved, decoded. Not unique."""
    odd: Any = field(default_factory=lambda: array("I"))
    """u4: names of unknown elements, in the order of their rows: places in `odd_names`"""
    odd_names: Sequence[bytes] = ()
    """Names of unknown elements of the file, in UTF-8."""
    sessions: list[SessionMark] = field(default_factory=list)
    """Beginnings and ends, in order."""
    findings: Any = field(default_factory=list)
    """`TraceFinding`s, in order."""
    done: int = 0
    """All bytes before this offset are in this batch or in earlier ones."""

    def __len__(self) -> int:
        return len(self.code)

    def events(self, words: Sequence[int] = ()) -> Iterator[TraceEvent]:
        """The events, one by one: what plain code reads. words: numbers that replace the indexes in `words`"""
        odd, names = iter(self.odd), self.odd_names
        columns = (each.tolist() for each in (self.code, self.name, self.start, self.end))
        for row, (code, name, start, end) in enumerate(zip(*columns, strict=True)):
            if code != NOTHING:
                numbers = self.numbers[row * SLOTS : row * SLOTS + SLOTS].tolist()
                if words:
                    numbers = [-1 - words[-1 - each] if NEVER < each < 0 else each for each in numbers]
                element_name = names[next(odd)].decode() if code == UNKNOWN else ""
                yield TraceEvent(row, code, name, self.base + start, self.base + end, tuple(numbers), element_name)


class TraceEvent(NamedTuple):
    """One event of a batch."""

    row: int
    code: int
    name: int
    offset: int
    end: int
    numbers: tuple[int, ...]
    element_name: str
    """Name of an unknown element."""

    @property
    def time(self) -> int:
        """Moment of the event; NEVER."""
        return self.numbers[TIME]

    def word(self, slot: int) -> int:
        """Returns the number of the word in a slot, after texts have been replaced by words; NONE if it has none."""
        number = self.numbers[slot]
        return NONE if number >= 0 or number == NEVER else -1 - number
