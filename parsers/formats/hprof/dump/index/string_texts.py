"""Kernel reader for texts of a heap's Strings: two passes over the file, Strings first, then arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.index.strings import LONGEST, StringTexts, string_layout
from parsers.formats.hprof.dump.index.strings_kernel import BYTES, CHARS, Slices, hash_texts, number_texts, read_strings
from parsers.formats.hprof.dump.read.heap import FIRST_PRIMITIVE, ParsedHeap
from parsers.formats.hprof.dump.references.references import HeapReferences
from parsers.heapdump.graph.columns import PRIMITIVE_ARRAY
from parsers.index.scratch import Scratch
from parsers.io.plain import PlainBytes
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, U8Array, U32Array, U64Array

PIECE = 4 << 20
"""Bytes of the file scanned at a time."""
SLICES = {"arrays": "u4", "coders": "u1", "starts": "u4", "counts": "u4"}
"""Types of the columns of `Slices`."""
LEAST, HEAD = 16, 64
"""Lower bound of the bytes of an object, upper bound of those before its values."""
MOST_FIELDS = 1 << 16
"""Upper bound of the bytes of a String's fields."""


class StringTextReader:
    """Reads the texts of Strings, given as objects: uint32, ascending."""

    def __init__(
        self, heap: ParsedHeap, measured: MeasuredHeap, references: HeapReferences, strings: U32Array,
        plain: PlainBytes, scratch: Scratch,
    ) -> None:  # fmt: skip
        self._heap = heap
        self._measured = measured
        self._references = references
        self._strings = strings
        self._plain = plain
        self._scratch = scratch
        self._buffer = np.zeros(PIECE + max(2 * LONGEST, MOST_FIELDS) + 2 * HEAD, np.uint8)

    def find(self) -> StringTexts:
        """Returns all texts."""
        from parsers.formats.hprof.text.heap_kernel import transpose

        count, make = len(self._strings), self._scratch
        slices = Slices(*(make(f"slices_{name}", type, count) for name, type in SLICES.items()))
        self._read_strings(slices)
        arrays = slices.arrays
        with_array = np.flatnonzero(arrays != NONE)
        with_array = with_array[~self._are_texts(arrays[with_array])]
        arrays[with_array] = NONE
        firsts: U32Array = make("texts", "u4", self._heap.objects + 1)
        by_array = transpose(arrays, firsts, lambda count: make("by_array", "u4", count))
        hashes, lengths, wholes = (
            make(name, type, count) for name, type in {"hashes": "u8", "lengths": "u4", "wholes": "u1"}.items()
        )
        self._hash(slices, firsts, by_array, hashes, lengths, wholes)
        del firsts
        numbers, found = make("numbers_of_texts", "u4", count), make("hashes_of_texts", "u8", count)
        table = make("table", "u4", 1 << (count + count // 2 + 1).bit_length())
        total = number_texts(hashes, table, found, numbers)
        return StringTexts(numbers, total, lengths, arrays, wholes, by_array)

    def _are_texts(self, arrays: U32Array) -> BoolArray:
        """Returns which objects are char[] or byte[]."""
        heap = self._heap
        types = heap.types[arrays]
        is_one = (types == CHARS - FIRST_PRIMITIVE) | (types == BYTES - FIRST_PRIMITIVE)
        are_texts: BoolArray = is_one & (heap.kinds[arrays] == PRIMITIVE_ARRAY)
        return are_texts

    def _read_strings(self, slices: Slices) -> None:
        heap, references, strings = self._heap, self._references, self._strings
        types = heap.types[strings]
        layouts = {type: string_layout(self._measured.fields(type)) for type in distinct(types).tolist()}
        start = 0
        while start < len(strings):
            offsets = heap.offsets[strings[start : start + PIECE // LEAST]]
            first = int(offsets[0])
            stop = start + int(np.searchsorted(offsets, np.uint64(first + PIECE)))
            # All of one type, as there is one String class except in unusual files.
            other = np.flatnonzero(types[start:stop] != types[start])
            stop = start + int(other[0]) if len(other) else stop
            layout, others = layouts[int(types[start])]
            before = np.array(others, np.int64)
            part = Slices._make(each[start:stop] for each in slices)
            if layout.value < 0:
                part.arrays[:] = NONE
            else:
                self._fill(first, int(strings[stop - 1]), MOST_FIELDS)
                read_strings(
                    self._buffer, first, heap.id_size, strings[start:stop], heap.offsets, layout, before,
                    references.firsts, references.targets, part,
                )  # fmt: skip
            start = stop

    def _hash(
        self, slices: Slices, firsts: U32Array, by_array: U32Array, hashes: U64Array, lengths: U32Array, wholes: U8Array
    ) -> None:
        heap, start = self._heap, 0
        while start < len(by_array):
            array = int(slices.arrays[by_array[start]])
            first = int(heap.offsets[array])
            behind = int(np.searchsorted(heap.offsets[array:], np.uint64(first + PIECE))) + array
            stop = int(firsts[behind]) if behind < heap.objects else len(by_array)
            self._fill(first, int(slices.arrays[by_array[stop - 1]]), 2 * LONGEST)
            hash_texts(
                self._buffer, first, heap.id_size, LONGEST, by_array[start:stop], heap.offsets, slices, hashes,
                lengths, wholes,
            )  # fmt: skip
            start = stop

    def _fill(self, start: int, last: int, most: int) -> None:
        """Reads bytes from an offset into the buffer, with a limit for the last object's values."""
        offsets = self._heap.offsets
        stop = int(offsets[last]) + HEAD + most
        if last + 1 < len(offsets):
            stop = min(stop, int(offsets[last + 1]))
        self._plain.read_into(self._buffer.data[: stop - start], start)
