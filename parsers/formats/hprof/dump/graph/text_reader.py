"""Bulk reader for texts of Strings: neighbouring parts of the file are read together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.index.strings import StringLayout
from parsers.formats.hprof.dump.read.values import UTF_16
from parsers.formats.hprof.dump.records.tags import BYTE, CHAR, PRIMITIVE_ARRAY_DUMP
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.graph.text_finder import TextPlaces
from parsers.model.distinct import distinct
from parsers.model.names.java_method import joined
from parsers.model.tables.column_values import Named, TextArrays, gathered, taken, text_arrays
from parsers.model.tables.column_values import joined as joined_texts
from parsers.query.search.text_lines import LATIN_1, UTF_16_BE, UTF_16_LE

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.model.arrays import I64Array, U8Array

GAP, MOST_TOGETHER = 4096, 1 << 20
"""Most bytes between two positions that are read together, and most bytes read at once."""
MOST_BUFFERED = 16 << 20
"""Most bytes of the file whose texts are read at once."""
AROUND = 128
"""Upper bound of the bytes read of a String and before its text."""
HEAD = 26
"""Upper bound of the bytes before the values of an array."""
LONGEST_FIELD = 8
"""Most bytes of a field."""
CHARSETS = {UTF_16_LE: "utf-16-le", UTF_16_BE: "utf-16-be"}
Read = Callable[[int, int], bytes]


class TextReader:
    """Reads texts of Strings."""

    def __init__(self, graph: DumpGraph, layout: Sequence[int]) -> None:
        """layout: a `StringLayout`, or empty"""
        self._graph = graph
        self._read: Read = graph.read
        self._layout = StringLayout(*layout) if len(layout) else None

    @property
    def can_place(self) -> bool:
        """True if all texts are in arrays of the layout that `placed` supports."""
        return self._layout is not None

    def texts(self, strings: I64Array, most: int) -> list[str | None]:
        """Returns the first characters of the texts of some Strings: int64, objects."""
        layout = self._layout
        if layout is None:
            return [self._graph.text(string, most) for string in strings.tolist()]
        found: list[str | None] = [None] * len(strings)
        with_array, arrays = self._arrays(strings)
        if len(with_array):
            for place, text in zip(
                with_array.tolist(), self._texts_of(strings[with_array], arrays[with_array], layout, most), strict=True
            ):
                found[place] = text
        return found

    def columns(self, strings: I64Array, most: int) -> TextArrays:
        """Returns the same as a column: ASCII, which most texts are, as it is."""
        with_array, arrays = self._arrays(strings)
        if self._layout is None or not len(with_array):
            return text_arrays(self.texts(strings, most))
        placed = self._placed(strings[with_array], arrays[with_array], self._layout, most)
        is_plain = placed.is_text & (placed.forms == LATIN_1)
        plain = taken(placed.data, placed.places[is_plain], placed.counts[is_plain])
        high = np.searchsorted(plain.starts, np.flatnonzero(plain.data >= 0x80), "right") - 1
        others = np.ones(len(strings), bool)
        others[np.delete(with_array[is_plain], high)] = False
        decoded = text_arrays(self.texts(strings[others], most))
        numbers = np.empty(len(strings), np.int64)
        numbers[with_array[is_plain]] = np.arange(np.count_nonzero(is_plain))
        numbers[others] = len(plain.starts) - 1 + np.arange(np.count_nonzero(others))
        found = gathered(Named(numbers, joined_texts(plain, decoded)))
        if decoded.is_known is None:
            return found
        is_known = np.ones(len(strings), bool)
        is_known[others] = decoded.is_known
        return found._replace(is_known=is_known)

    def placed(self, strings: I64Array, most: int) -> Iterator[tuple[I64Array, TextPlaces]]:
        """Yields the first characters of the texts of many Strings, in parts: the Strings, and their positions."""
        layout = self._layout
        with_array, arrays = self._arrays(strings)
        if layout is None or not len(with_array):
            return
        byte_ends = np.cumsum(np.minimum(self._graph.column("bytes", arrays[with_array]), 2 * most) + AROUND)
        borders = np.searchsorted(
            byte_ends, np.arange(MOST_BUFFERED, int(byte_ends[-1]) + MOST_BUFFERED, MOST_BUFFERED)
        )
        start = 0
        for stop in distinct(np.minimum(borders + 1, len(with_array))).tolist():
            part = with_array[start:stop]
            yield part, self._placed(strings[part], arrays[part], layout, most)
            start = stop

    def _arrays(self, strings: I64Array) -> tuple[I64Array, I64Array]:
        """Returns which of some Strings have an array, and the arrays of all."""
        graph = self._graph
        arrays = np.full(len(strings), NO_OBJECT, np.int64)
        if len(strings):
            firsts, counts = graph.column("first", strings), graph.column("references", strings)
            arrays[counts > 0] = graph.targets(firsts[counts > 0])
        return np.flatnonzero(arrays != NO_OBJECT), arrays

    def _texts_of(self, strings: I64Array, arrays: I64Array, layout: StringLayout, most: int) -> list[str | None]:
        """Returns texts of Strings that have an array."""
        placed = self._placed(strings, arrays, layout, most)
        whole = placed.data.tobytes().decode("latin-1")
        found: list[str | None] = []
        rows = zip(
            placed.is_text.tolist(), placed.forms.tolist(), placed.places.tolist(), placed.counts.tolist(), strict=True
        )
        for is_text, form, place, count in rows:
            text = whole[place : place + count] if is_text else None
            found.append(text if text is None or form == LATIN_1 else _wide(text, CHARSETS[form]))
        return found

    def _placed(self, strings: I64Array, arrays: I64Array, layout: StringLayout, most: int) -> TextPlaces:
        """Returns positions of the texts of Strings that have an array."""
        graph, size = self._graph, self._graph.id_size
        values = 9 + 2 * size
        lengths = np.full(len(strings), values + max(layout) + LONGEST_FIELD)
        wanted = np.minimum(graph.column("bytes", arrays), 2 * most) + HEAD
        offsets = np.concatenate([graph.column("offset", each) for each in (strings, arrays)])
        data, places = self._together(offsets, np.concatenate([lengths, wanted]))
        of_string, of_array = places[: len(strings)], places[len(strings) :]
        tags, types = data[of_array], data[of_array + 9 + size]
        counts = _number(data, of_array + 5 + size)
        is_text = (tags == PRIMITIVE_ARRAY_DUMP) & ((types == CHAR) | (types == BYTE))
        fields, filled = of_string + values, _number(data, of_string + values - 4)
        begins = np.zeros(len(strings), np.int64)
        if layout.start >= 0 and layout.units >= 0:
            is_there = max(layout.start, layout.units) + 4 <= filled
            begins = np.where(is_there, np.maximum(_signed(data, fields + layout.start), 0), 0)
            units = np.maximum(_signed(data, fields + layout.units), 0)
            counts = np.where(is_there, np.minimum(units, np.maximum(counts - begins, 0)), counts)
        forms = np.where(types == CHAR, UTF_16_BE, LATIN_1).astype(np.uint8)
        if layout.coder >= 0:
            is_utf_16 = (layout.coder < filled) & (data[fields + layout.coder] == UTF_16)
            forms[is_utf_16 & (types == BYTE)] = UTF_16_LE
        widths = np.where(types == CHAR, 2, 1)
        starts, bytes = begins * widths + 10 + size, np.minimum(counts, most) * widths
        bytes[~is_text] = 0
        # A text may begin far after the start of its array; an array may be truncated.
        is_far = (starts + bytes > wanted) & is_text
        found = of_array + starts
        found[~is_text] = 0
        if is_far.any():
            far = np.flatnonzero(is_far)
            more, there = self._together(offsets[len(strings) :][far] + starts[far], bytes[far])
            found[far] = there + len(data)
            data = np.concatenate([data, more])
        return TextPlaces(data, found, bytes, forms, is_text)

    def _together(self, offsets: I64Array, lengths: I64Array) -> tuple[U8Array, I64Array]:
        """Reads bytes of the file at some positions; returns them as uint8, and the index of each position."""
        order = np.argsort(offsets, kind="stable")
        starts, stops = offsets[order], np.maximum.accumulate((offsets + lengths)[order])
        is_far = np.append(True, starts[1:] > stops[:-1] + GAP)
        # Also limits the size of a piece if all positions are close.
        is_far |= np.append(True, np.diff(starts // MOST_TOGETHER) > 0)
        firsts = np.flatnonzero(is_far)
        ends = stops[np.append(firsts[1:], len(order)) - 1]
        begins = starts[firsts]
        before = np.append(0, np.cumsum(ends - begins))
        data = np.zeros(int(before[-1]), np.uint8)
        for begin, end, at in zip(begins.tolist(), ends.tolist(), before[:-1].tolist(), strict=True):
            piece = np.frombuffer(self._read(end - begin, begin), np.uint8)
            data[at : at + len(piece)] = piece
        groups = np.cumsum(is_far) - 1
        places = np.empty(len(order), np.int64)
        places[order] = starts - begins[groups] + before[:-1][groups]
        return data, places


def _wide(text: str, encoding: str) -> str:
    """Decodes a text of two bytes a unit, from its bytes as characters."""
    data = text.encode("latin-1")
    return joined(data[: len(data) // 2 * 2].decode(encoding, "surrogatepass"))


def _number(data: U8Array, places: I64Array) -> I64Array:
    """Returns unsigned numbers of four bytes: int64."""
    found = np.zeros(len(places), np.int64)
    for byte in range(4):
        found = found << 8 | data[places + byte]
    return found


def _signed(data: U8Array, places: I64Array) -> I64Array:
    """Returns signed numbers of four bytes: int64."""
    found = _number(data, places)
    return np.where(found >> 31, found - (1 << 32), found)
