"""Tags and sizes of binary heap dumps.

Source: `heapDumper.cpp` of HotSpot 8 to 25, `hprof_b_spec.h` of the agent, `hprof.cc` of Android; all numbers are
big-endian, ids have 4 or 8 bytes, as given in the header.
"""

from __future__ import annotations

HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END = 0x0C, 0x1C, 0x2C
HEAP_TAGS = (HEAP_DUMP, HEAP_DUMP_SEGMENT)

CLASS_DUMP, INSTANCE_DUMP, OBJECT_ARRAY_DUMP, PRIMITIVE_ARRAY_DUMP = 0x20, 0x21, 0x22, 0x23
PRIMITIVE_ARRAY_NO_DATA, HEAP_DUMP_INFO = 0xC3, 0xFE

ROOTS: dict[int, tuple[str, int, int]] = {
    0x08: ("thread_object", 1, 8),
    0x01: ("jni_global", 2, 0),
    0x02: ("jni_local", 1, 8),
    0x03: ("java_frame", 1, 8),
    0x04: ("native_stack", 1, 4),
    0x06: ("thread_block", 1, 4),
    0x07: ("monitor_used", 1, 0),
    0x05: ("sticky_class", 1, 0),
    0xFF: ("unknown", 1, 0),
    0x89: ("interned_string", 1, 0),
    0x8A: ("finalizing", 1, 0),
    0x8B: ("debugger", 1, 0),
    0x8C: ("reference_cleanup", 1, 0),
    0x8D: ("vm_internal", 1, 0),
    0x8E: ("jni_monitor", 1, 8),
    0x90: ("unreachable", 1, 0),
}
"""By tag: name, ids and bytes of other numbers in its body. The order is that of `columns.ROOT_KINDS`."""
OBJECTS = (CLASS_DUMP, INSTANCE_DUMP, OBJECT_ARRAY_DUMP, PRIMITIVE_ARRAY_DUMP, PRIMITIVE_ARRAY_NO_DATA)
SUB_RECORDS = frozenset((*ROOTS, *OBJECTS, HEAP_DUMP_INFO))
"""Tags of sub-records."""
THREAD_OBJECT = 0x08
WITH_THREAD = (0x02, 0x03, 0x04, 0x06, 0x08, 0x8E)
"""Roots whose first other number is a thread's serial."""
WITH_FRAME = (0x02, 0x03, 0x8E)
"""Roots whose second other number is a frame's number; that of 08 is a trace's serial."""

BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = range(4, 12)
OBJECT = 2
WIDTHS = (0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8)
"""Bytes of a value by its type; an object, 2, has the bytes of an id."""
PRIMITIVES = {
    BOOLEAN: "boolean",
    CHAR: "char",
    FLOAT: "float",
    DOUBLE: "double",
    BYTE: "byte",
    SHORT: "short",
    INT: "int",
    LONG: "long",
}

BEGINS_AGAIN = (0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x1C, 0x2C)
"""Tags of records that no sub-record has: such a byte, followed by a plausible header, ends a heap record."""

FIRST_CLASS = len(PRIMITIVES)
"""Number of the first class: smaller types are arrays of primitives, in the order of PRIMITIVES."""
FIRST_PRIMITIVE = min(PRIMITIVES)

UNIT = 8
"""Sizes are multiples of this number of bytes, in every layout."""
