"""Events as they come out of a recording, by plain code and by kernels alike: columns of numbers in file order.

An event is a row: its element, where it stands, and what its attributes say: numbers. A negative one is a text: -1 less
its place in `words`; so an id is negative where it is not written in digits. Most events are nothing but that. Those
with attributes that have no slot have all of them as texts besides.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, UNKNOWN

NEVER = -(1 << 63)
"""In `numbers`: there is no such attribute, or its value is no number where one is expected."""


class Texts(NamedTuple):
    """All attributes of an event, of which some have no slot or a value that was not expected."""

    row: int
    name: str
    """The element, as spelled."""
    attributes: dict[str, str]
    """By our names (`vocabulary`), others as spelled, with their values: entities resolved, decoded."""


class Session(NamedTuple):
    """Where a session begins or ends: before the event of that row. One that is open ends before another begins."""

    row: int
    offset: int
    """Of its beginning; at its end: behind its last complete element."""
    member: str | None = None
    """At its beginning: the member of the zip."""
    end: int | None = None
    """At its end: place in `columns.SESSION_ENDS`."""
    declared: str | None = None
    """At its end: the encoding that it names; None: none."""
    used: str = "UTF-8"
    """At its end: the encoding that its texts are in."""
    zeros: int = 0
    """At its end: NUL bytes behind all else."""
    rest: int = 0
    """At its end: bytes behind its last complete element, zeros and white space not counted."""
    facts: dict[str, Any] | None = None
    """At its end: what it says of itself, see `session_facts`."""


class Finding(NamedTuple):
    """Something that is not as it should be."""

    kind: int
    """Place in `columns.FINDING_KINDS`."""
    offset: int
    value: int


@dataclass
class EventBatch:
    """Events that stand one behind the other. The columns are numpy arrays of kernels, arrays of plain code."""

    base: int
    """The offset that `start` and `end` count from."""
    code: Any
    """u1: of the element, see `vocabulary.CODES`; NOTHING: the row is no event"""
    name: Any
    """u1: how it is spelled, place in `Vocabulary.names`; of an unknown element NOTHING, its name is in `odd`"""
    start: Any
    """u4: of the `<`"""
    end: Any
    """u4: behind the `>`"""
    numbers: Any
    """i8[rows × SLOTS]: values by slot, those of a row side by side; NEVER where there is none"""
    words: list[str] = field(default_factory=list)
    """Texts that `numbers` refer to, as in the file: entities resolved, decoded. One may be there several times."""
    texts: list[Texts] = field(default_factory=list)
    """Of events that have any, in order."""
    odd: Any = field(default_factory=lambda: array("I"))
    """u4: names of unknown elements, in the order of their rows: places in `odd_names`"""
    odd_names: Sequence[str] = ()
    """Names of unknown elements of the file."""
    sessions: list[Session] = field(default_factory=list)
    """Beginnings and ends, in order."""
    findings: Any = field(default_factory=list)
    """`Finding`s, in order."""
    done: int = 0
    """All before this offset is in this batch or in those before it."""

    def __len__(self) -> int:
        return len(self.code)

    def events(self) -> Iterator[Event]:
        """The events, one by one: what plain code reads."""
        texts, odd = {each.row: each for each in self.texts}, iter(self.odd)
        for row in range(len(self.code)):
            code = int(self.code[row])
            if code != NOTHING:
                numbers = tuple(map(int, self.numbers[row * SLOTS : row * SLOTS + SLOTS]))
                start, end = self.base + int(self.start[row]), self.base + int(self.end[row])
                spelled = self.odd_names[next(odd)] if code == UNKNOWN else ""
                yield Event(row, code, int(self.name[row]), start, end, numbers, texts.get(row), spelled)


class Event(NamedTuple):
    """One event of a batch."""

    row: int
    code: int
    name: int
    offset: int
    end: int
    numbers: tuple[int, ...]
    texts: Texts | None
    spelled: str
    """Name of an unknown element."""
