"""Strings of a heap dump by text, those that waste most first: arrays of an index.

string_object  uint32: the String objects of each text, in file order; then those without a text
string_first   uint32: the first one of each text that several Strings have; its last entry: the first of the Strings
that are the only one with their text
string_waste   int64, by text of several: bytes that would be free if each text existed once
string_length  uint32, by text, also those of a single String: UTF-16 units
string_layout  int64: a `StringLayout`; empty if another reference precedes the text in a String, or there is none

The size of a String includes its array, unless the String is a part of a longer one. Arrays shared by equal Strings are
no waste.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.dump.index.sizes import UNIT, MeasuredHeap
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.read.values import UTF_16, FieldValue
from parsers.formats.hprof.dump.records.tags import BYTE, INT, OBJECT
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.heapdump.tables.text_sums import place_strings, sum_texts
from parsers.kernels.compiled import compiled
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array

STRING = "java.lang.String"
PIECE = 1 << 20
"""Objects processed at a time."""
LONGEST = 1 << 20
"""Elements of a text that are compared; longer texts are also compared by length."""


Strings = tuple[dict[str, "AnyArray"], dict[str, int]]
"""Arrays of an index, and totals."""


class StringLayout(NamedTuple):
    """Offsets of a String's fields in its values; -1 for a missing field."""

    value: int
    coder: int
    start: int
    units: int


class StringTexts(NamedTuple):
    """Texts of the Strings of a heap, indexed by String."""

    numbers: U32Array
    """uint32: number of the text, by first occurrence; NONE for none."""
    total: int
    """Number of texts."""
    lengths: U32Array
    """uint32: UTF-16 units."""
    arrays: U32Array
    """uint32: the object with the text, NONE for none."""
    wholes: U8Array
    """uint8: 1 if the text is all of that array."""
    by_array: U32Array
    """uint32: indices of Strings grouped by array; Strings without array may be included."""


def string_layout(fields: Iterable[tuple[bytes, int, int]]) -> tuple[StringLayout, list[int]]:
    """Returns field offsets of a class of Strings, and the offsets of references before that to the array.

    fields  of its instances, in file order: name, type, offset
    """
    places, before = dict[bytes, tuple[int, int]](), list[int]()
    for name, of, at in fields:
        places.setdefault(name, (at, of))
        before += [at] if of == OBJECT else []

    def place(name: bytes, of: int) -> int:
        return next((at for at, type in (places.get(name, (-1, of)),) if type == of), -1)

    layout = StringLayout(place(b"value", OBJECT), place(b"coder", BYTE), place(b"offset", INT), place(b"count", INT))
    return layout, [each for each in before if each < layout.value]


def _layout_of_all(heap: ParsedHeap, measured: MeasuredHeap) -> I64Array:
    """Returns the common layout of all Strings, as an array; empty if there are several, or none that JVMs use."""
    # One type, except in unusual files.
    types = measured.types_called(STRING)
    layouts = [string_layout(measured.fields(type)) for type in types if heap.type_ids[type] in heap.classes]
    is_usual = len(layouts) == len(types) == 1 and layouts[0][0].value >= 0 and not layouts[0][1]
    return np.array(layouts[0][0] if is_usual else (), np.int64)


def string_arrays(
    heap: ParsedHeap, measured: MeasuredHeap, strings: U32Array, texts: StringTexts, units: U32Array
) -> Strings:
    """Returns the arrays above, and totals.

    strings   see `string_objects`
    units     uint32[n]: sizes of objects / UNIT
    """
    counts = np.zeros(texts.total, np.uint32)
    bytes, kept = np.zeros(texts.total, np.int64), np.zeros(texts.total, np.int64)
    compiled(sum_texts)(texts.by_array, strings, texts.arrays, texts.wholes, texts.numbers, units, counts, bytes, kept)
    several, alone = np.flatnonzero(counts > 1), np.flatnonzero(counts == 1)
    waste = (bytes - kept)[several]
    # Stable: texts are numbered by their first String.
    order = np.argsort(-waste, kind="stable")
    ranked = np.concatenate([several[order], alone])
    ranks = np.empty(texts.total, np.uint32)
    ranks[ranked] = np.arange(len(ranked), dtype=np.uint32)
    starts = np.cumulative_sum(counts[ranked], dtype=np.uint32, include_initial=True)
    firsts = starts[: len(several) + 1].copy()
    lengths = np.zeros(texts.total, np.uint32)
    has_text = texts.numbers != NONE
    lengths[texts.numbers[has_text]] = texts.lengths[has_text]
    placed = np.empty(len(strings), np.uint32)
    compiled(place_strings)(texts.numbers, ranks, starts, strings, placed)
    arrays = {
        "string_object": placed,
        "string_first": firsts,
        "string_waste": waste[order] * UNIT,
        "string_length": lengths[ranked],
        "string_layout": _layout_of_all(heap, measured),
    }
    return arrays, {"strings": len(strings), "strings_distinct": texts.total}


def string_objects(heap: ParsedHeap, measured: MeasuredHeap) -> U32Array:
    """Returns the Strings of a heap: uint32, ascending. Works in pieces, without a table of all objects."""
    types = measured.types_called(STRING)
    found = [np.empty(0, np.uint32)]
    for start in range(0, heap.objects, PIECE):
        part = slice(start, start + PIECE)
        is_one = np.isin(heap.types[part], types) & (heap.kinds[part] == PLAIN_OBJECT)
        found.append((np.flatnonzero(is_one) + start).astype(np.uint32))
    return np.concatenate(found)


def plain_texts(heap: ParsedHeap, measured: MeasuredHeap, strings: U32Array) -> StringTexts:
    """Returns the texts by plain code, which compares the texts themselves."""
    numbers: dict[tuple[str, int], int] = {}
    rows = []
    for id in heap.ids[strings].tolist():
        fields = measured.values.named(id)
        text = measured.values.text_in(fields, LONGEST)
        if text is None:
            rows.append((NONE, 0, NONE, 0))
            continue
        array, length, is_whole = _text_of(measured, fields)
        rows.append((numbers.setdefault((text, length), len(numbers)), length, array, int(is_whole)))
    found, lengths, arrays, wholes = np.ascontiguousarray(np.array(rows, np.uint32).reshape(-1, 4).T)
    by_array = np.argsort(arrays, kind="stable").astype(np.uint32)
    return StringTexts(found, len(numbers), lengths, arrays, wholes.astype(np.uint8), by_array)


def _text_of(measured: MeasuredHeap, fields: Mapping[bytes, FieldValue]) -> tuple[int, int, bool]:
    """Returns, for a String with a text: the object with it, its UTF-16 units, True if the text is all of that."""
    array = int(fields[b"value"].value)
    number, place = measured.find(array), measured.place_of(array)
    assert number is not None
    assert place is not None
    start, count = (fields.get(name) for name in (b"offset", b"count"))
    length = place.length
    if start is not None and count is not None and start.type == count.type == INT:
        length = min(max(int(count.value), 0), max(place.length - max(int(start.value), 0), 0))
    is_utf_16 = place.of == BYTE and b"coder" in fields and fields[b"coder"].value == UTF_16
    return number, length // 2 if is_utf_16 else length, length == place.length
