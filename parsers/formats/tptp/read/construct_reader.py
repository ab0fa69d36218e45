"""Reader of single constructs of a recording: kind, contents, and the beginnings of sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.tptp.read.decoding import decode
from parsers.formats.tptp.read.scanner import (
    CLOSE,
    DOCUMENT_TYPE,
    ELEMENT,
    OPEN_ELEMENT,
    PROLOGUE,
    Buffer,
    Construct,
    Constructs,
    is_well_formed,
    local,
    parsed_attributes,
    written_attributes,
)
from parsers.formats.tptp.read.session_facts import MOST_FACTS, WITH_FACTS
from parsers.formats.tptp.read.sessions import Sessions
from parsers.formats.tptp.schema.batch import NEVER, EventBatch
from parsers.formats.tptp.schema.values import FURTHER_NAMES, MOST_UNKNOWN_NAMES, numbers_of
from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from parsers.formats.tptp.read.session_state import SessionState


class ConstructRow(NamedTuple):
    """The row of a construct."""

    end: int
    """End of the construct in the bytes of the batch."""
    code: int = NOTHING
    name: int = NOTHING
    numbers: tuple[int, ...] | list[int] = (NEVER,) * SLOTS


class ConstructReader:
    """Reader of constructs: reports each to `sessions`, and returns the rows of elements."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        number: Callable[[bytes], int] | None = None,
        note_other: Callable[[int, str], None] | None = None,
        state: SessionState | None = None,
    ) -> None:
        """
        number      gives the number of the name of an unknown element, which may be new; None: in the order of
                    `odd_names`
        note_other  receives unknown attributes of known elements; None: `sessions`
        state       numbers shared with a kernel, see `session_state`
        """
        self.sessions = Sessions(state)
        self.constructs = Constructs()
        self.odd_names: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self._number = number if number is not None else self._own_number
        self._note_other = note_other if note_other is not None else self.sessions.note_other
        self._vocabulary = vocabulary
        self._places = {name: place for place, name in enumerate(vocabulary.names)}

    def take(self, batch: EventBatch, data: Buffer, at: int, row: int) -> ConstructRow | None:
        """Reads the construct that begins with the `<` at `at`; None if it can't be matched.

        row  its number if it is an element
        """
        construct = self.constructs.at(data, at, batch.base)
        if construct is None:
            return None
        if construct.kind in (ELEMENT, OPEN_ELEMENT):
            return self._take_element(batch, construct, row)
        start, end = batch.base + construct.start, batch.base + construct.end
        if construct.kind == CLOSE:
            self.sessions.close(start, end, construct.name)
        elif construct.kind == PROLOGUE:
            self.sessions.prologue(row, start, construct.name)
        elif construct.kind == DOCUMENT_TYPE:
            self.sessions.document_type(start, end)
        else:
            self.sessions.other(start)
        return ConstructRow(construct.end)

    def _take_element(self, batch: EventBatch, construct: Construct, row: int) -> ConstructRow:
        start, end = batch.base + construct.start, batch.base + construct.end
        text, encoding = decode(construct.attributes, self.sessions.codec)
        if encoding is not None:
            self.sessions.note_wrong_encoding(start, end - start, encoding)
        written = written_attributes(text)
        if not is_well_formed(text, written):
            self.sessions.odd(start, end - start)
        name, attributes = local(decode(construct.name, self.sessions.codec)[0]), parsed_attributes(written)
        is_open, code = construct.kind == OPEN_ELEMENT, self._vocabulary.codes.get(name, UNKNOWN)
        if code == UNKNOWN:
            batch.odd.append(self._number(name.encode("utf-8", "replace")))
            self.sessions.element(row, code, start, end, is_open)
            return ConstructRow(construct.end, code)
        numbers = numbers_of(self._vocabulary, code, attributes, batch.words, self._note_other)
        texts_by_name: dict[str, str] | None = None
        if code in WITH_FACTS and self.sessions.state.facts < MOST_FACTS:
            self.sessions.state.facts += 1
            texts_by_name = {}
            for attribute, value in attributes:
                texts_by_name.setdefault(self._vocabulary.aliases.get(attribute, attribute), value)
        self.sessions.element(row, code, start, end, is_open, texts_by_name)
        return ConstructRow(construct.end, code, self._places.get(name, NOTHING), numbers)

    def _own_number(self, name: bytes) -> int:
        if len(self.odd_names) >= MOST_UNKNOWN_NAMES and name not in self._numbers:
            name = FURTHER_NAMES
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.odd_names)
            self.odd_names.append(name)
        return number
