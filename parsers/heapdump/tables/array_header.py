"""Bytes before the first element of an array, as the sizes of other objects of a text dump prove them.

HPROF text does not print the width of the JVM. Three layouts of HotSpot exist, each with its own sizes of
`java.lang.Object`, of the boxes of primitive values, and of arrays. Sizes that a layout cannot have exclude it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsers.heapdump.graph.columns import OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.tables.class_names import readable_class
from parsers.heapdump.tables.object_size import ARRAY_HEADER, element_size
from parsers.index.bitpacked.columns import numbers
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.heapdump.text_dumps.recorded import HeapColumns, RecordedHeap
    from parsers.model.arrays import BoolArray, I64Array, U8Array

PIECE = 1 << 20
"""Objects read at a time."""
PLAIN, SMALL_BOX, LARGE_BOX = 1, 2, 3
"""Classes of known sizes: without fields, with a value of at most 4 bytes, with one of 8."""
KNOWN_CLASSES = {
    "java.lang.Object": PLAIN,
    **{f"java.lang.{name}": SMALL_BOX for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Float")},
    **{f"java.lang.{name}": LARGE_BOX for name in ("Long", "Double")},
}


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """Sizes in bytes in a kind of JVM."""

    array_header: int
    reference: int
    smallest: int
    """An object without fields, or an empty array of references: whichever is smaller."""
    known: Sequence[int]
    """Instances of KNOWN_CLASSES, by their number; the first is unused."""


LAYOUTS = (
    ObjectLayout(ARRAY_HEADER, 4, 16, (0, 16, 16, 24)),  # 64 bits, compressed references and class pointers
    ObjectLayout(12, 4, 8, (0, 8, 16, 16)),  # 32 bits
    ObjectLayout(24, 8, 16, (0, 16, 24, 24)),  # 64 bits, not compressed
)
"""The most common one first: it is assumed where several are possible."""


def array_header(recording: RecordedHeap) -> int:
    """Bytes of the header of an array: as stored, else found now."""
    stored = recording.facts.get("layout")
    found: int = (layout_facts(recording) if stored is None else stored)["array_header"]
    return found


def layout_facts(recording: HeapColumns) -> dict[str, Any]:
    """`array_header` in bytes, and `estimated`: why it is an assumption; empty if it is proven or not needed."""
    names = [readable_class(text) for text in recording.texts("class")]
    known = np.array([KNOWN_CLASSES.get(name, 0) for name in names], np.uint8)
    element_sizes = np.array([element_size(name) for name in names], np.int64)
    kinds, possible, is_needed = np.asarray(recording.column("object_kind")), list(LAYOUTS), False
    for start in range(0, len(kinds), PIECE):
        part = slice(start, start + PIECE)
        types = numbers(recording.column("object_class"), part)
        sizes, elements = (
            numbers(recording.column(f"object_{name}"), part).astype(np.int64) for name in ("size", "elements")
        )
        is_bare = (kinds[part] == PRIMITIVE_ARRAY) & (sizes == elements * element_sizes[types])
        is_needed = is_needed or bool(is_bare.any())
        possible = _possible(possible, kinds[part], known[types], sizes, elements, is_bare)
        if len(possible) < 2 and is_needed:
            break
    assumed = (possible or LAYOUTS)[0].array_header
    return {"array_header": assumed, "estimated": _why(possible) if is_needed else ""}


def _possible(
    layouts: Sequence[ObjectLayout],
    kinds: U8Array,
    known: U8Array,
    sizes: I64Array,
    elements: I64Array,
    is_bare: BoolArray,
) -> list[ObjectLayout]:
    """The layouts that agree with all sizes. known: by object a number of KNOWN_CLASSES; is_bare: without header"""
    is_plain, is_array = kinds == PLAIN_OBJECT, kinds == OBJECT_ARRAY
    is_known = is_plain & (known > 0)
    # Sizes of known classes, each once: a number of KNOWN_CLASSES in the upper half.
    printed = np.unique(known[is_known].astype(np.int64) << 32 | sizes[is_known]).tolist()
    whole = sizes[(is_plain | is_array | (kinds == PRIMITIVE_ARRAY)) & ~is_bare & (sizes > 0)]
    smallest = int(whole.min()) if len(whole) else LAYOUTS[-1].array_header
    arrays = sizes[(is_array | (kinds == PRIMITIVE_ARRAY)) & ~is_bare & (sizes > 0)]
    smallest_array = int(arrays.min()) if len(arrays) else LAYOUTS[-1].array_header
    lengths, array_sizes = elements[is_array], sizes[is_array]

    def agrees(layout: ObjectLayout) -> bool:
        return (
            all(layout.known[each >> 32] == each & 0xFFFF_FFFF for each in printed)
            and layout.smallest <= smallest
            and layout.array_header <= smallest_array
            and not (layout.array_header + layout.reference * lengths > array_sizes).any()
        )

    return [layout for layout in layouts if agrees(layout)]


def _why(possible: Sequence[ObjectLayout]) -> str:
    if not possible:
        return f"sizes of the dump fit no known JVM; array headers of {ARRAY_HEADER} bytes are assumed"
    if len(possible) == 1:
        return ""
    headers = " or ".join(str(layout.array_header) for layout in sorted(possible, key=lambda each: each.array_header))
    return f"the dump does not show whether array headers take {headers} bytes; {possible[0].array_header} are assumed"
