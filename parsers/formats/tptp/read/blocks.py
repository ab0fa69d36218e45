"""Reader of recordings in plain code, in blocks.

The result does not depend on their ends: an element belongs to the block in which it begins.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from parsers.formats.tptp.read.construct_reader import ConstructReader
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.scanner import MOST, next_start
from parsers.formats.tptp.schema.batch import EventBatch
from parsers.formats.tptp.schema.vocabulary import NOTHING, Vocabulary

BLOCK = 128 << 10
"""Bytes that are read at a time."""

Read = Callable[[int, int], bytes]
"""Function of a count and an offset: that many bytes, fewer only at the end."""


class PlainReader:
    """Reader of a recording from its start to its end."""

    def __init__(self, read: Read, parts: Sequence[DocumentPart], vocabulary: Vocabulary, block: int = BLOCK) -> None:
        self._constructs = ConstructReader(vocabulary)
        self.sessions = self._constructs.sessions
        self._read = read
        self._parts = parts
        self._block = block

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
        at = 0
        while at < stop:
            start = data.find(b"<", at, stop)
            taken = self._constructs.take(batch, data, at, len(batch)) if start == at else None
            if taken is None:
                # Up to the next construct: bytes that are none, or a `<` that begins none.
                until = next_start(data, at + 1, stop) if start == at else start if start >= 0 else stop
                self.sessions.gap(batch.base + at, data[at:until])
                at = until
                continue
            if taken.code != NOTHING:
                batch.code.append(taken.code)
                batch.name.append(taken.name)
                batch.start.append(at)
                batch.end.append(taken.end)
                batch.numbers.extend(taken.numbers)
            at = taken.end
        return at


def _new_batch(base: int) -> EventBatch:
    return EventBatch(base, array("B"), array("B"), array("I"), array("I"), array("q"))
