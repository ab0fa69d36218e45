"""Reader of single constructs of a recording: kind, contents, and the beginnings of sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
    Element,
    is_well_formed,
    local,
    parsed_attributes,
    written_attributes,
)
from parsers.formats.tptp.read.session_facts import MOST_FACTS, WITH_FACTS
from parsers.formats.tptp.read.sessions import Sessions
from parsers.formats.tptp.schema.batch import NEVER, EventBatch
from parsers.formats.tptp.schema.values import numbers_of
from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, UNKNOWN, Vocabulary


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
        state: Any = None,
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
            return self.take_element(batch, self._element_of(construct, batch.base), row)
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

    def take_element(self, batch: EventBatch, element: Element, row: int) -> ConstructRow:
        """Returns the row of an element in the bytes of the batch."""
        code = self._vocabulary.codes.get(element.name, UNKNOWN)
        start, end = batch.base + element.start, batch.base + element.end
        if code == UNKNOWN:
            batch.odd.append(self._number(element.name.encode("utf-8", "replace")))
            self.sessions.element(row, code, start, end, element.is_open)
            return ConstructRow(element.end, code)
        numbers = numbers_of(self._vocabulary, code, element.attributes, batch.words, self._note_other)
        texts_by_name: dict[str, str] | None = None
        if code in WITH_FACTS and self.sessions.state.facts < MOST_FACTS:
            self.sessions.state.facts += 1
            texts_by_name = {}
            for name, value in element.attributes:
                texts_by_name.setdefault(self._vocabulary.aliases.get(name, name), value)
        self.sessions.element(row, code, start, end, element.is_open, texts_by_name)
        return ConstructRow(element.end, code, self._places.get(element.name, NOTHING), numbers)

    def _own_number(self, name: bytes) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.odd_names)
            self.odd_names.append(name)
        return number

    def _element_of(self, construct: Construct, base: int) -> Element:
        """Converts a construct to an element as a strict parser returns it."""
        text, encoding = decode(construct.attributes, self.sessions.codec)
        length = construct.end - construct.start
        if encoding is not None:
            self.sessions.note_wrong_encoding(base + construct.start, length, encoding)
        written = written_attributes(text)
        if not is_well_formed(text, written):
            self.sessions.odd(base + construct.start, length)
        name, _ = decode(construct.name, self.sessions.codec)
        is_open = construct.kind == OPEN_ELEMENT
        return Element(construct.start, construct.end, is_open, local(name), parsed_attributes(written))
