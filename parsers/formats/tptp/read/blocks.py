"""Reader of recordings in plain code, in blocks: strict if a block is well-formed, else by the tolerant scanner.

The result does not depend on the ends of blocks: an element belongs to the block in which it begins, and both readers
find the same elements in well-formed blocks.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from parsers.formats.tptp.read.construct_reader import ConstructReader, ConstructRow
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.scanner import MOST, WHITE, next_start
from parsers.formats.tptp.read.sessions import ROOT
from parsers.formats.tptp.schema.batch import EventBatch
from parsers.formats.tptp.schema.vocabulary import NOTHING, Vocabulary

BLOCK = 128 << 10
"""Bytes that are read at a time: larger ones make the strict parser slower."""
FULL_STOP = b"</TRACE"

Read = Callable[[int, int], bytes]
"""Function of a count and an offset: that many bytes, fewer only at the end."""


class PlainReader:
    """Reader of a recording from its start to its end."""

    def __init__(
        self,
        read: Read,
        parts: Sequence[DocumentPart],
        vocabulary: Vocabulary,
        block: int = BLOCK,
        is_strict: bool = True,
    ) -> None:
        """
        is_strict  True: by the strict parser where possible; False: by the scanner alone, with the same result
        """
        self._constructs = ConstructReader(vocabulary)
        self.sessions = self._constructs.sessions
        self._read = read
        self._parts = parts
        self._block = block
        self._is_strict = is_strict

    def batches(self) -> Iterator[EventBatch]:
        """Yields all events; a batch for each block."""
        for part in self._parts:
            at = part.start
            while True:
                data = self._read(min(self._block + MOST, part.end - at), at)
                batch = _new_batch(at)
                batch.odd_names = self._constructs.odd_names
                self.sessions.batch = batch
                if at == part.start:
                    self.sessions.begin(0, at, part)
                stop = min(at + self._block, part.end)
                at += self._take_block(batch, data, stop - at)
                batch.done = at
                if at >= part.end:
                    self.sessions.end(len(batch))
                    yield batch
                    break
                yield batch

    def _take_block(self, batch: EventBatch, data: bytes, stop: int) -> int:
        """Reads constructs that begin before `stop`. Returns the end of the last one."""
        at, is_tried = 0, not self._is_strict
        while at < stop:
            start = data.find(b"<", at, stop)
            if start != at:
                until = start if start >= 0 else stop
                self.sessions.gap(batch.base + at, data[at:until])
                at = until
                continue
            if not is_tried and self._may_be_strict(data, at):
                is_tried = True
                after = self._take_strictly(batch, data, at, stop)
                if after > at:
                    at = after
                    continue
            at = self._take_one(batch, data, at, stop)
        return at

    @staticmethod
    def _may_be_strict(data: bytes, at: int) -> bool:
        """True if an element other than the root begins here."""
        return data[at + 1 : at + 2].isalpha() and not data.startswith(b"<" + ROOT, at)

    def _take_strictly(self, batch: EventBatch, data: bytes, at: int, stop: int) -> int:
        """Reads well-formed elements that begin before `stop`. Returns their end; `at` if they are not well-formed."""
        from parsers.formats.tptp.read.strict import strict_elements

        until = data.find(b"<", stop) if stop < len(data) else len(data)
        if until < 0 and len(data) - stop >= MOST:
            return at
        block = data[at : until if until >= 0 else len(data)]
        if block.rstrip(WHITE).endswith(b">") and (closes := block.rfind(FULL_STOP)) > 0:
            block = block[:closes]
        found = strict_elements(block, self.sessions.codec)
        if found is None:
            return at
        for element in found:
            here = element._replace(start=at + element.start, end=at + element.end)
            _add(batch, here.start, self._constructs.take_element(batch, here, len(batch)))
        return at + len(block)

    def _take_one(self, batch: EventBatch, data: bytes, at: int, stop: int) -> int:
        """Reads the construct that begins with the `<` at `at`. Returns its end, or where the next one may begin."""
        taken = self._constructs.take(batch, data, at, len(batch))
        if taken is None:
            until = next_start(data, at + 1, stop)
            self.sessions.gap(batch.base + at, data[at:until])
            return until
        if taken.code != NOTHING:
            _add(batch, at, taken)
        return taken.end


def _new_batch(base: int) -> EventBatch:
    return EventBatch(base, array("B"), array("B"), array("I"), array("I"), array("q"))


def _add(batch: EventBatch, start: int, taken: ConstructRow) -> None:
    batch.code.append(taken.code)
    batch.name.append(taken.name)
    batch.start.append(start)
    batch.end.append(taken.end)
    batch.numbers.extend(taken.numbers)
