"""A parsed heap dump: objects in file order, classes, roots. Filled by plain code or by kernels.

If an id occurs several times, the last object counts. An id that is both a class and another object is one object:
the class, with the references of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hprof.dump.read.problem_list import CUT, RESUMED, ProblemList
from parsers.formats.hprof.dump.records.records import HeapSegment, Segments
from parsers.formats.hprof.dump.records.tags import FIRST_CLASS as FIRST_CLASS
from parsers.formats.hprof.dump.records.tags import FIRST_PRIMITIVE as FIRST_PRIMITIVE
from parsers.formats.hprof.dump.records.tags import WITH_FRAME
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.read.classes import HeapClasses
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

PIECE = 1 << 20
"""Objects that are processed at a time."""
SUB_RECORDS = ("class_dump", "instance_dump", "object_array_dump", "primitive_array_dump", "heap_dump_info")


@dataclass(frozen=True, slots=True)
class HeapRoots:
    """Roots as written, in file order, in numpy arrays."""

    offsets: U64Array
    """uint64"""
    tags: U8Array
    """uint8"""
    ids: U64Array
    """uint64"""
    threads: U32Array
    """uint32: serials of threads; NONE where none is named."""
    second: U32Array
    """uint32: of those in WITH_FRAME the number of the frame, of a thread object the serial of its trace."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def frames(self) -> U32Array:
        """Returns numbers of frames; NONE where none is named."""
        return np.where(np.isin(self.tags, np.array(WITH_FRAME, np.uint8)), self.second, np.uint32(NONE))


@dataclass(slots=True)
class HeapCounts:
    """Counts for the whole file."""

    sub_records: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUB_RECORDS, 0))
    unknown: int = 0
    """Unreadable sub-records of an unknown tag."""
    duplicates: int = 0
    nulls: int = 0
    is_truncated: bool = False
    problems: ProblemList = field(default_factory=ProblemList)

    def pass_by(self, offset: int, segment: HeapSegment, kind: int, tag: int) -> None:
        """Notes where a heap record is damaged. Such records that follow each other are a run if nothing is read."""
        start = segment.offset if offset == segment.start else offset
        self.problems.add(offset, *damaged_segment(kind, tag), start, segment.end)


def damaged_segment(kind: int, tag: int) -> tuple[str, str, str]:
    """The words for an unreadable sub-record. kind: UNKNOWN_TAG or CUT, plus RESUMED"""
    is_cut = kind & CUT
    what = (
        f"a sub-record of tag 0x{tag:02x} is cut or damaged"
        if is_cut
        else f"a sub-record of the unknown tag 0x{tag:02x}"
    )
    lost = "everything up to the next readable one" if kind & RESUMED else "the rest of the heap record"
    return "cut" if is_cut else "unknown record", what, f"{lost} is skipped"


class WeakFields(NamedTuple):
    """Weak fields: their references keep nothing alive."""

    own: Mapping[int, frozenset[int]]
    """By id of the declaring class: byte offsets relative to its first own value."""
    always: frozenset[int]
    """Classes of `own` whose fields are weak in all instances."""
    holders: frozenset[int]
    """Classes in whose instances the other fields are weak, too: java.lang.ref.WeakReference and its subclasses."""


NONE_WEAK = WeakFields({}, frozenset(), frozenset())


@dataclass
class ParsedHeap:
    """The last dump of a file. numpy arrays have an entry for each object, in file order."""

    id_size: int
    id_bits: int
    """All bits that any id has, those of classes left out."""
    ids: U64Array
    """uint64"""
    offsets: U64Array
    """uint64: of the sub-record with its tag."""
    kinds: U8Array
    """uint8: PLAIN_OBJECT …"""
    types: U32Array
    """uint32: places in `type_ids`; of a class object that of its class."""
    lengths: U32Array
    """uint32: elements of an array, bytes of the values of an instance; 0 of a class object."""
    type_ids: list[int]
    """Ids of classes, ascending, after FIRST_CLASS entries for arrays of primitives."""
    classes: HeapClasses
    roots: HeapRoots
    also: dict[int, tuple[int, int]]
    """By id of a class that is also another object: offset and kind of that object."""
    counts: HeapCounts
    segments: Segments
    weak: WeakFields = NONE_WEAK

    @property
    def objects(self) -> int:
        """Returns the number of objects, class objects included."""
        return len(self.kinds)

    @cached_property
    def class_objects(self) -> I64Array:
        """int64: the objects of `classes`, in the same order."""
        return np.flatnonzero(self.kinds == CLASS_OBJECT)

    @property
    def class_types(self) -> U32Array:
        """uint32: the types of `classes`, in the same order."""
        return self.types[self.class_objects]
