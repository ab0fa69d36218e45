"""A recording read by plain code, in blocks: strictly where a block is well-formed, else by the tolerant scanner.

What comes out does not depend on where blocks end: an element belongs to the block that it begins in, and both readers
find the same elements in what is well-formed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from parsers.tptp.batch import EventBatch, Texts
from parsers.tptp.decoding import decode
from parsers.tptp.parts import Part
from parsers.tptp.scanner import (
    CLOSE,
    DOCUMENT_TYPE,
    ELEMENT,
    MOST,
    OPEN_ELEMENT,
    PROLOGUE,
    WHITE,
    Construct,
    Element,
    attributes_of,
    construct_at,
    is_well_formed,
    local,
)
from parsers.tptp.sessions import ROOT, Sessions
from parsers.tptp.values import numbers_of
from parsers.tptp.vocabulary import NOTHING, UNKNOWN, Vocabulary

BLOCK = 128 << 10
"""Bytes that are read at a time: larger ones make the strict parser slower."""
FULL_STOP = b"</TRACE"

Read = Callable[[int, int], bytes]
"""Of a count and an offset: that many bytes, fewer only at the end."""


class PlainReader:
    """Reads a recording from its start to its end."""

    def __init__(
        self, read: Read, parts: Sequence[Part], vocabulary: Vocabulary, block: int = BLOCK, is_strict: bool = True
    ) -> None:
        """
        is_strict  by the strict parser where that goes; else by the scanner alone, which finds the same
        """
        self.sessions = Sessions()
        self._read = read
        self._parts = parts
        self._vocabulary = vocabulary
        self._places = {name: place for place, name in enumerate(vocabulary.names)}
        self._block = block
        self._is_strict = is_strict

    def batches(self) -> Iterator[EventBatch]:
        """All events; a batch for each block."""
        for part in self._parts:
            at = part.start
            while True:
                data = self._read(min(self._block + MOST, part.end - at), at)
                rows = _Rows(at)
                self.sessions.batch = rows.batch
                if at == part.start:
                    self.sessions.begin(0, at, part)
                stop = min(at + self._block, part.end)
                at += self._take_block(rows, data, stop - at)
                rows.batch.done = at
                if at >= part.end:
                    self.sessions.end(len(rows.batch))
                    yield rows.batch
                    break
                yield rows.batch

    def _take_block(self, rows: _Rows, data: bytes, stop: int) -> int:
        """Takes what begins before `stop`; where it ends."""
        at, is_tried = 0, not self._is_strict
        while at < stop:
            start = data.find(b"<", at, stop)
            if start != at:
                until = start if start >= 0 else stop
                self.sessions.gap(rows.base + at, data[at:until])
                at = until
                continue
            if not is_tried and self._may_be_strict(data, at):
                is_tried = True
                after = self._take_strictly(rows, data, at, stop)
                if after > at:
                    at = after
                    continue
            at = self._take_one(rows, data, at, stop)
        return at

    @staticmethod
    def _may_be_strict(data: bytes, at: int) -> bool:
        """Whether an element begins here that is not the root."""
        return data[at + 1 : at + 2].isalpha() and not data.startswith(b"<" + ROOT, at)

    def _take_strictly(self, rows: _Rows, data: bytes, at: int, stop: int) -> int:
        """Takes well-formed elements, up to one that begins at `stop` or behind it; where they end, `at` if not."""
        until = data.find(b"<", stop) if stop < len(data) else len(data)
        if until < 0 and len(data) - stop >= MOST:
            return at
        block = data[at : until if until >= 0 else len(data)]
        if block.rstrip(WHITE).endswith(b">") and (closes := block.rfind(FULL_STOP)) > 0:
            block = block[:closes]
        from parsers.tptp.strict import strict_elements

        found = strict_elements(block, self.sessions.codec)
        if found is None:
            return at
        for element in found:
            self._take_element(rows, at, element)
        return at + len(block)

    def _take_one(self, rows: _Rows, data: bytes, at: int, stop: int) -> int:
        """Takes what begins with the `<` at `at`; where it ends, or where the next one may begin."""
        construct = construct_at(data, at, len(data))
        sessions = self.sessions
        if construct is None:
            until = data.find(b"<", at + 1, stop)
            until = until if until >= 0 else stop
            sessions.gap(rows.base + at, data[at:until])
            return until
        start, end = rows.base + construct.start, rows.base + construct.end
        if construct.kind in (ELEMENT, OPEN_ELEMENT):
            self._take_element(rows, 0, self._element_of(construct, rows.base))
        elif construct.kind == CLOSE:
            sessions.close(start, end, construct.name)
        elif construct.kind == PROLOGUE:
            sessions.prologue(len(rows.batch), start, end, construct.name)
        elif construct.kind == DOCUMENT_TYPE:
            sessions.document_type(start, end)
        else:
            sessions.other(start, end)
        return construct.end

    def _element_of(self, construct: Construct, base: int) -> Element:
        """What was matched, as a strict parser gives it."""
        text, encoding = decode(construct.attributes, self.sessions.codec)
        length = construct.end - construct.start
        if encoding is not None:
            self.sessions.lies(base + construct.start, length, encoding)
        if not is_well_formed(text):
            self.sessions.odd(base + construct.start, length)
        name, _ = decode(construct.name, self.sessions.codec)
        is_open = construct.kind == OPEN_ELEMENT
        return Element(construct.start, construct.end, is_open, local(name), list(attributes_of(text)))

    def _take_element(self, rows: _Rows, at: int, element: Element) -> None:
        batch = rows.batch
        code = self._vocabulary.codes.get(element.name, UNKNOWN)
        numbers, said = numbers_of(self._vocabulary, code, element.attributes, batch.words, self.sessions.others)
        texts = Texts(len(batch), element.name, said) if said is not None else None
        start, end = at + element.start, at + element.end
        self.sessions.element(len(batch), code, rows.base + start, rows.base + end, element.is_open, texts)
        if texts is not None:
            batch.texts.append(texts)
        rows.add(code, self._places.get(element.name, NOTHING), start, end, numbers)


class _Rows:
    """A batch that grows."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.batch = EventBatch(base, array("B"), array("B"), array("I"), array("I"), array("q"))

    def add(self, code: int, name: int, start: int, end: int, numbers: list[int]) -> None:
        batch = self.batch
        batch.code.append(code)
        batch.name.append(name)
        batch.start.append(start)
        batch.end.append(end)
        batch.numbers.extend(numbers)
