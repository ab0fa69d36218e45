"""Columns of a heap dump in an index: objects, references, referrers, roots.

Formats store them under these names, so that graphs and views of heap dumps know no format. See also `heap_tables`.
"""

from __future__ import annotations

from parsers.index.bitpacked.columns import Packing
from parsers.model.none import NONE

HEAP_DUMP = 3
"""`section_kind` of heap dumps in a file that holds other sections, too."""
HAS_END = 2
"""Bit of `section_flags`: the section has its end in the file."""
IS_MISSING = 4
"""Bit of `trace_flags`: the file refers to the stack trace, but does not contain it."""

HEAP: dict[str, str] = {
    "object_id": "u8",
    "object_offset": "u8",
    "object_size": "u4",  # sz; 0 for CLS
    "object_trace": "u4",
    "object_class": "u4",  # its class; for a CLS the class that it declares
    "object_elements": "u4",  # nelems; 0 for OBJ and CLS
    "object_first": "u4",  # first of its references; the next object's first one ends them
    "object_kind": "u1",
}
"""OBJ, ARR and CLS records of heap dumps. `object_first` has one more entry than there are objects."""
PLAIN_OBJECT, OBJECT_ARRAY, PRIMITIVE_ARRAY, CLASS_OBJECT = range(4)

CUT_OBJECTS: dict[str, str] = {"cut_object": "u4"}
"""Rows of HEAP whose class name is truncated in the file, ascending."""

REFERENCES: dict[str, str] = {
    "reference_target": "u4",  # row of HEAP in the same section; NONE if the dump has no such object
    "reference_label": "u4",  # a word (FIELD, STATIC) or an index, above LABEL_BITS that say FIELD … DOMAIN
}
LABEL_BITS = 3
LABEL_MASK = (1 << LABEL_BITS) - 1
MOST_LABELLED = NONE >> LABEL_BITS
FIELD, ELEMENT, STATIC, CONSTANT, SUPER, LOADER, SIGNERS, DOMAIN = range(8)
"""`reference_label & LABEL_MASK`."""

REFERRERS: dict[str, str] = {
    "referrer": "u4",  # rows of REFERENCES that lead to an object, ascending
    "referrer_first": "u4",  # by object, one more entry than objects: first of its referrers
}
"""References by target. The owner of a reference is the last object with `object_first` at or before it."""

ROOTS: dict[str, str] = {
    "root_offset": "u8",
    "root_id": "u8",
    "root_value": "u8",  # thread: its id; JNI global ref: its number; else NOWHERE
    "root_object": "u4",  # row of HEAP; NONE if the dump has no such object
    "root_thread": "u4",  # thread id; NONE if the dump has none
    "root_frame": "u4",  # NONE if the dump has none
    "root_trace": "u4",  # NONE if the dump has none
    "root_name": "u4",  # a word: name of a system class; for an unknown kind the whole text in brackets
    "root_kind": "u1",  # place in ROOT_KINDS
    "root_flags": "u1",  # IS_CUT
}
ROOT_KINDS = (
    "thread",
    "JNI global ref",
    "JNI local ref",
    "Java stack",
    "native stack",
    "thread block",
    "busy monitor",
    "system class",
    "unknown",
    "interned string",
    "finalizing",
    "debugger",
    "reference cleanup",
    "VM internal",
    "JNI monitor",
    "unreachable",
)


PACKED: dict[str, Packing] = {
    "object_id": Packing("u1", "u8", True),
    "object_offset": Packing("u2", "u8", True),
    "object_size": Packing("u1", "u4"),
    "object_trace": Packing("u2", "u4"),
    "object_class": Packing("u2", "u4"),
    "object_elements": Packing("u1", "u4"),
    "object_first": Packing("u2", "u4", True),
    "reference_label": Packing("u2", "u4"),
    "referrer_first": Packing("u2", "u4", True),
    "object_step": Packing("u1", "u4"),
}
"""Columns that an index stores bitpacked: see `parsers.index.bitpacked.columns`. `object_step` is in `heap_tables`."""
DUMP_PACKED: dict[str, Packing] = {
    "object_id": Packing("u2", "u8", True),
    "object_offset": Packing("u2", "u8", True),
    "object_size": Packing("u1", "u4"),
    "object_class": Packing("u2", "u4"),
    "object_order": Packing("u2", "u4", True),
    "object_first": Packing("u1", "u4", True),
    "reference_target": Packing("u1", "u4", True, True),
    "referrer_first": Packing("u1", "u4", True),
    "referrer": Packing("u1", "u4", True, True),
    "object_step": Packing("u1", "u4"),
    "object_dominator": Packing("u1", "u4", True, True),
    "object_dominated": Packing("u1", "u4", True, True),
    "object_retained": Packing("u1", "i8"),
}
"""The same for binary heap dumps, whose sizes are in units (see `formats/hprof/dump/index/sizes.py`)."""
MAY_BE_PACKED = PACKED.keys() | DUMP_PACKED.keys()

STRING = "java.lang.String"
