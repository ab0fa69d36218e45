"""Codes of the strings in a field of events: equal texts have equal codes. Each text is decoded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.recorded_data import GAP, pieces_of
from parsers.formats.jfr.read.metadata import string_at
from parsers.formats.jfr.read.program import STRING_TYPE
from parsers.formats.jfr.read.values import Key

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.model.arrays import BoolArray, I64Array

FEWEST = 1 << 10
"""Slots of the smallest hash table."""


class StringCodes:
    """The different strings found so far."""

    def __init__(self, data: RecordedData) -> None:
        self._data = data
        self._slots, self._keys = np.zeros(FEWEST, np.uint32), np.zeros(FEWEST // 2, np.int64)
        self._codes: list[int] = []
        """By number of a key: the code of its text."""
        self.texts: dict[str | None, int] = {}
        """Codes by text, in their order."""

    def add(self, places: I64Array, chunks: I64Array) -> I64Array:
        """Returns the codes of strings by their offsets, ascending, and the chunks of their events."""
        found = np.zeros(len(places), np.int64)
        for start, stop in pieces_of(places, 0, len(places)):
            first = int(places[start])
            block = self._data.read(int(places[stop - 1]) - first + GAP, first)
            found[start:stop] = self.of_block(block, first, places[start:stop] - first, chunks[start:stop])
        return found

    def of_block(self, block: bytes, base: int, places: I64Array, chunks: I64Array) -> I64Array:
        """Returns the codes of strings in a block of the file. base: its offset"""
        engine, known = self._data.engine, len(self._codes)
        self._ensure(known + len(places))
        numbers, firsts = np.zeros(len(places), np.int64), np.zeros(known + len(places), np.int64)
        count = engine.strings.number_strings(
            engine.data(block), len(block), base, places, chunks, self._slots, self._keys, known, firsts, numbers
        )
        for row in firsts[known:count].tolist():
            text = self._text(block, int(places[row]), int(chunks[row]))
            self._codes.append(self.texts.setdefault(text, len(self.texts)))
        return np.array(self._codes, np.int64)[numbers]

    def is_text(self, codes: I64Array) -> BoolArray:
        """Returns, by code, False for the code of strings that are null or damaged."""
        return np.not_equal(codes, self.texts.get(None, -1))

    def _text(self, block: bytes, place: int, chunk: int) -> str | None:
        text, at = string_at(block, place, len(block))
        if at < 0:
            return None
        if isinstance(text, int):
            values = self._data.chunk(chunk)
            return values.text(Key(values.id_of(STRING_TYPE), text))
        return text

    def _ensure(self, count: int) -> None:
        """Makes space for so many keys."""
        if count > len(self._keys):
            known = len(self._codes)
            slots = 1 << (2 * count).bit_length()
            keys = np.zeros(slots // 2, np.int64)
            keys[:known] = self._keys[:known]
            self._slots, self._keys = np.zeros(slots, np.uint32), keys
            self._data.engine.loops.fill_keys(keys[:known], self._slots)
