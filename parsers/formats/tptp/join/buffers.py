"""Buffers that kernels write: columns of tables, meanings of ids, the state of the session."""

from __future__ import annotations

from ctypes import Structure, c_int64
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.tptp.join.tables import NAMES
from parsers.formats.tptp.schema.columns import COLUMNS
from parsers.formats.tptp.schema.counters import FINDING_KINDS, SessionCounter

if TYPE_CHECKING:
    from parsers.kernels.id_table import IdTable
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array


class JoinState(Structure):
    """Numbers that kernels change, too. The first ones are lengths of the tables of `TraceBuffers`."""

    threads: int
    classes: int
    methods: int
    objects: int
    moves: int
    states: int
    calls: int
    nodes: int
    collections: int
    dumps: int
    edges: int
    roots: int
    unknowns: int
    pauses: int
    elements: int
    counted: int
    findings: int
    pool: int
    """Used slots of `entities`."""
    first_moment: int
    """Of the session, as the following ones."""
    earliest: int
    latest: int
    session_end: int
    block_now: int
    """The block whose elements are counted, …"""
    touched: int
    """… and the number of element names in it."""
    odd: int
    """The next row of an unknown element."""
    no_thread: int
    """Rows for elements without an id; -1."""
    no_method: int
    live: int
    """Objects, and their bytes."""
    live_bytes: int
    finished: int
    """Number of collections, and the row of the last one; 1 during a collection."""
    collection_now: int
    is_collecting: int
    dump_now: int
    pause_start: int
    edges_mixed: int
    """1 if edges of dumps are mixed; the same for roots."""
    roots_mixed: int
    open_calls: int
    open_keys: int
    """Used slots of `open_slots`."""
    is_full: int
    """1 if a hash table must be enlarged before the next event."""
    _fields_ = tuple((name, c_int64) for name in __annotations__)


PAGE_BITS = 8
PAGE = 1 << PAGE_BITS
PAGED = 1 << 32
"""Ids below this have a slot in a page, unless pages far outnumber objects."""
SPARSE = 16
"""Most page slots per object."""
FEW = 1 << 16

SCRATCH: dict[str, tuple[str, str]] = {
    "thread_top": ("thread", "u4"),
    "thread_height": ("thread", "u4"),
    "thread_moment": ("thread", "i8"),
    "thread_lock": ("thread", "u4"),
    "thread_waiting": ("thread", "u4"),
    "thread_ended": ("thread", "u1"),
    "thread_is_mixed": ("thread", "u1"),
    "thread_indexed": ("thread", "u1"),
    "class_ended": ("class", "u1"),
    "class_methods": ("class", "u4"),
    "method_ended": ("method", "u1"),
    "method_next": ("method", "u4"),
    "node_last": ("node", "u4"),
    "edge_dump": ("edge", "u4"),
    "root_dump": ("root", "u4"),
    "element_spelling": ("element", "u4"),
    "element_now": ("element", "u4"),
}
"""Temporary columns while a recording is read: tables and types.

thread_top, thread_height     the call on top of the stack, the height of the stack
thread_moment                 of the last event of that id
thread_lock, thread_waiting   open states
thread_is_mixed               1 if tickets on its stack do not ascend
thread_indexed                1 if its open calls are in `open_slots`
class_methods, method_next    defined methods of a class
node_last                     the child node that was entered last
edge_dump, root_dump          their dump
element_spelling              number of the name, see `EventBatch.name`; from 256: unknown ones
element_now                   its count in the block
"""


class IdTables(NamedTuple):
    """Meanings of the ids of the session."""

    pages: U32Array
    """uint32 by page of ids: 0: unused, 1: its ids are in `hashed`, else its index in `entities` + 2, in pages"""
    entities: U32Array
    """uint32: an entity + 1; 0: none"""
    ended_kinds: U8Array
    """uint8: last kind of an ended id, + 1"""
    hashed: IdTable
    """Its rows are indexes in `entities`."""
    threads: IdTable
    classes: IdTable
    methods: IdTable
    dumps: IdTable


class TraceBuffers(NamedTuple):
    """All buffers. Tables are arrays of records: see `record_of`."""

    state: AnyArray
    """A record of `JoinState`."""
    counts: I64Array
    """int64 by SessionCounter"""
    found: I64Array
    """int64 by FindingKind: number of findings"""
    threads: AnyArray
    classes: AnyArray
    methods: AnyArray
    objects: AnyArray
    moves: AnyArray
    states: AnyArray
    calls: AnyArray
    nodes: AnyArray
    collections: AnyArray
    dumps: AnyArray
    edges: AnyArray
    roots: AnyArray
    unknowns: AnyArray
    pauses: AnyArray
    elements: AnyArray
    counted: AnyArray
    findings: AnyArray
    node_slots: U32Array
    """uint32: see `kernels.calls`"""
    open_slots: I64Array
    """int64[2, 2^k]: see `kernels.open_calls`"""
    element_rows: U32Array
    """uint32 by spelling (`EventBatch.name`, from 256: unknown ones): its row of elements; NONE: none yet"""
    touched: U32Array
    """uint32: the elements that occur in the block"""
    ids: IdTables


RECORDS: dict[str, str] = {
    "threads": "thread",
    "classes": "class",
    "methods": "method",
    "objects": "object",
    "moves": "move",
    "states": "state",
    "calls": "call",
    "nodes": "node",
    "collections": "collection",
    "dumps": "dump",
    "edges": "edge",
    "roots": "root",
    "unknowns": "unknown",
    "pauses": "pause",
    "elements": "element",
    "counted": "counted",
    "findings": "finding",
}
"""Fields of `TraceBuffers` that are tables."""


def field_of(column: str) -> str:
    """Returns the name of a column in the records of its table: without the name of the table."""
    field = column.partition("_")[2] or column
    return "class_row" if field == "class" else field


def record_of(table: str) -> Any:
    """Returns the record type of a table: its columns in `columns` and in SCRATCH."""
    fields = {name: COLUMNS[name] for name in NAMES[table]}
    fields |= {name: type for name, (of, type) in SCRATCH.items() if of == table}
    widest_first = sorted(fields.items(), key=lambda field: -int(field[1][1:]))
    return np.dtype([(field_of(name), type) for name, type in widest_first], align=True)


def blank_row(table: str, **values: int) -> AnyArray:
    """Returns an array of one record, with the given values; the others are 0."""
    found = np.zeros(1, record_of(table))
    for name, value in values.items():
        found[name] = value
    return found


class Events(NamedTuple):
    """A batch as kernels read it."""

    code: U8Array
    name: U8Array
    start: U32Array
    end: U32Array
    numbers: I64Array
    words: U32Array
    """uint32: numbers of its words"""
    odd: U32Array
    """uint32: of unknown elements, in order, which name they have: 0 and more"""


COUNTS = len(SessionCounter)
KINDS = len(FINDING_KINDS)
