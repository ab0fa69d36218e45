"""Strings of a heap dump by their texts, those of which most is wasted first: an index's arrays.

string_object  uint32: the String objects of each text, in file order; behind them those without a text
string_first   uint32: where those of each text begin that several Strings have; its last entry: where those begin that
               are alone with theirs
string_waste   int64, by text of several: bytes that would be free if there were one of each
string_length  uint32, by text, those of Strings that are alone with it too: UTF-16 units
string_layout  int64: a `StringLayout`; empty where a String refers to something else before its text, or there is none

A String takes its own bytes and those of its array, unless it is a part of a longer one. Arrays that equal Strings
share are no waste.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.formats.hprof.dump.index.sizes import UNIT, Measured
from parsers.formats.hprof.dump.read.class_record import chain_of, width_of
from parsers.formats.hprof.dump.read.heap import FIRST_CLASS, Heap
from parsers.formats.hprof.dump.read.references import References
from parsers.formats.hprof.dump.read.tags import BYTE, INT, OBJECT
from parsers.formats.hprof.dump.read.values import UTF_16
from parsers.heapdump.graph.columns import NONE, PLAIN_OBJECT
from parsers.heapdump.tables.text_sums import place_strings, sum_texts
from parsers.index.scratch import Scratch, anonymous
from parsers.io.plain import PlainBytes

STRING = "java.lang.String"
PIECE = 1 << 20
"""Objects that are looked at at a time."""
LONGEST = 1 << 20
"""Elements of a text that are compared; of longer ones their lengths besides."""


Strings = tuple[dict[str, Any], dict[str, int]]
"""Arrays of an index, and totals."""


class StringLayout(NamedTuple):
    """Where the fields of a String stand in its values; -1 for one that it hasn't."""

    value: int
    coder: int
    start: int
    units: int


class Texts(NamedTuple):
    """What is known of the Strings of a heap, each in the place that it has among them."""

    numbers: Any
    """uint32: which text, by first occurrence; NONE for none."""
    total: int
    """How many texts there are."""
    lengths: Any
    """uint32: UTF-16 units."""
    arrays: Any
    """uint32: the object that holds it, NONE for none."""
    wholes: Any
    """uint8: whether it is all of that."""
    by_array: Any
    """uint32: places, those of one array behind each other; of Strings without array too, or not."""


def string_types(heap: Heap, measured: Measured) -> list[int]:
    """Types of that name: one, but in strange files."""
    return [type for type, id in enumerate(heap.type_ids[FIRST_CLASS:], FIRST_CLASS) if measured.names[id] == STRING]


def string_layout(heap: Heap, measured: Measured, type: int) -> tuple[StringLayout, list[int]]:
    """Where the fields of Strings of a type stand, and references before that to the array."""
    at, places, before = 0, dict[bytes, tuple[int, int]](), list[int]()
    for declared in chain_of(heap.type_ids[type], heap.classes):
        for name, of in declared.fields:
            places.setdefault(measured.texts.get(name, b"?"), (at, of))
            before += [at] if of == OBJECT else []
            at += width_of(of, heap.id_size)

    def place(name: bytes, of: int) -> int:
        return next((at for at, type in (places.get(name, (-1, of)),) if type == of), -1)

    layout = StringLayout(place(b"value", OBJECT), place(b"coder", BYTE), place(b"offset", INT), place(b"count", INT))
    return layout, [each for each in before if each < layout.value]


def _layout_of_all(heap: Heap, measured: Measured, types: list[int]) -> Any:
    """The one layout of all Strings, as an array; empty if there are several, or others than JVMs have."""
    layouts = [string_layout(heap, measured, type) for type in types if heap.type_ids[type] in heap.classes]
    is_usual = len(layouts) == len(types) == 1 and layouts[0][0].value >= 0 and not layouts[0][1]
    return np.array(layouts[0][0] if is_usual else (), np.int64)


def find_strings(
    heap: Heap, measured: Measured, references: References, units: Any, plain: PlainBytes | None = None,
    scratch: Scratch = anonymous,
) -> Strings:  # fmt: skip
    """The arrays above, and totals. By kernels if `plain` is given, which reads the file.

    units  uint32[n]: sizes of objects / UNIT
    """
    types = string_types(heap, measured)
    strings = _strings(heap, types)
    if plain is None:
        texts = plain_texts(heap, measured, strings)
        sums = _sum_plainly(strings, texts, units)
        placed = _place_plainly
    else:
        from parsers.formats.hprof.dump.index.string_texts import KernelTexts, place, sum_up

        texts = KernelTexts(heap, measured, references, strings, plain, scratch).find()
        sums, placed = sum_up(strings, texts, units), place
    counts, bytes, kept = sums
    several, alone = np.flatnonzero(counts > 1), np.flatnonzero(counts == 1)
    waste = (bytes - kept)[several]
    # Stable: texts are numbered by their first String.
    order = np.argsort(-waste, kind="stable")
    ranked = np.concatenate([several[order], alone])
    ranks = np.empty(texts.total, np.uint32)
    ranks[ranked] = np.arange(len(ranked), dtype=np.uint32)
    starts = np.zeros(len(ranked) + 1, np.uint32)
    np.cumsum(counts[ranked], out=starts[1:])
    firsts = starts[: len(several) + 1].copy()
    lengths = np.zeros(texts.total, np.uint32)
    has_text = texts.numbers != NONE
    lengths[texts.numbers[has_text]] = texts.lengths[has_text]
    arrays = {
        "string_object": placed(texts, ranks, starts, strings),
        "string_first": firsts,
        "string_waste": waste[order] * UNIT,
        "string_length": lengths[ranked],
        "string_layout": _layout_of_all(heap, measured, types),
    }
    return arrays, {"strings": len(strings), "strings_distinct": texts.total}


def _strings(heap: Heap, types: list[int]) -> Any:
    """The instances of some types: uint32. Looks at a piece at a time: tables of all objects cost more than looking."""
    found = [np.empty(0, np.uint32)]
    for start in range(0, heap.objects, PIECE):
        part = slice(start, start + PIECE)
        is_one = np.isin(heap.types[part], types) & (heap.kinds[part] == PLAIN_OBJECT)
        found.append((np.flatnonzero(is_one) + start).astype(np.uint32))
    return np.concatenate(found)


def plain_texts(heap: Heap, measured: Measured, strings: Any) -> Texts:
    """By plain code: the texts themselves are compared."""
    numbers: dict[tuple[str, int], int] = {}
    rows = []
    for id in heap.ids[strings].tolist():
        text = measured.values.text(id, LONGEST)
        if text is None:
            rows.append((NONE, 0, NONE, 0))
            continue
        array, length, is_whole = _held(measured, id)
        rows.append((numbers.setdefault((text, length), len(numbers)), length, array, int(is_whole)))
    found, lengths, arrays, wholes = np.array(rows, np.uint32).reshape(-1, 4).T
    by_array = np.argsort(arrays, kind="stable").astype(np.uint32)
    return Texts(found, len(numbers), lengths, arrays, wholes, by_array)


def _held(measured: Measured, id: int) -> tuple[int, int, bool]:
    """Of a String that has a text: the object that holds it, its UTF-16 units, whether it is all of that."""
    fields = measured.values.named(id)
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


def _sum_plainly(strings: Any, texts: Texts, units: Any) -> tuple[Any, Any, Any]:
    sums = [[0] * texts.total for _ in range(3)]
    columns = [each.tolist() for each in (texts.by_array, strings, texts.arrays, texts.wholes, texts.numbers, units)]
    sum_texts(*columns, *sums)
    return tuple(np.array(each, np.int64) for each in sums)  # type: ignore[return-value]  # three of them


def _place_plainly(texts: Texts, ranks: Any, starts: Any, strings: Any) -> Any:
    placed = [0] * len(strings)
    numbers, ranked, begins, objects = (each.tolist() for each in (texts.numbers, ranks, starts, strings))
    place_strings(numbers, ranked, begins, objects, placed)
    return np.array(placed, np.uint32)
