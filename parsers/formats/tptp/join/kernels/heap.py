"""Kernels that join objects, collections and heap dumps. Twin: `join.plain.heap`."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.join.buffers import (
    COLLECTION,
    COLLECTION_NOW,
    DUMP,
    DUMP_IDS,
    DUMP_NOW,
    EDGE,
    EDGES_MIXED,
    FINISHED,
    IS_COLLECTING,
    LIVE,
    LIVE_BYTES,
    MOVE,
    OBJECT,
    ROOT,
    ROOTS_MIXED,
    blank_row,
)
from parsers.formats.tptp.join.kernels.ids import clipped, define_object, end_object, entity_of, find, put_row, row_in
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import IS_ARRAY, IS_DEFINED_ONLY, IS_RECORDED_ARRAY, NEVER, NONE, NOWHERE
from parsers.kernels.decorators import int64, part, uint64

NEW_COLLECTION = blank_row("collection", finish=NEVER, used_objects=NEVER, used_bytes=NEVER, total_bytes=NEVER)


@part
def add_object(
    buffers: Any, id: int, time: int, offset: int, size: int, kind: int, thread: int, call: int, is_array: int,
    flags: int,
) -> None:  # fmt: skip
    """Adds a row of OBJECTS."""
    state = buffers.state
    row = state[OBJECT]
    if is_array != NEVER:
        flags |= IS_RECORDED_ARRAY
        if is_array != 0:
            flags |= IS_ARRAY
    size = clipped(size)
    buffers.objects[row].id = id
    buffers.objects[row].offset = offset
    buffers.objects[row].time = time
    buffers.objects[row].freed = NEVER
    buffers.objects[row].size = size
    buffers.objects[row].class_row = kind
    buffers.objects[row].thread = thread
    buffers.objects[row].call = call
    buffers.objects[row].collection = state[FINISHED]
    buffers.objects[row].freed_collection = NONE
    buffers.objects[row].freed_dump = NONE
    buffers.objects[row].flags = flags
    if flags & IS_DEFINED_ONLY == 0:
        state[LIVE] += 1
        state[LIVE_BYTES] += size
        if thread != NONE:
            buffers.threads[thread].allocations += 1
    state[OBJECT] = row + 1
    define_object(buffers, id, row, offset)


@part
def free(buffers: Any, id: int, time: int, offset: int) -> None:
    """Handles objFree."""
    state = buffers.state
    row = end_object(buffers, id)
    size = int64(0)
    if row == NONE:
        buffers.counts[counters.FREES_OF_UNKNOWN] += 1
        find(buffers, columns.FREE_OF_UNKNOWN, offset, id)
    else:
        buffers.objects[row].freed = time
        buffers.objects[row].freed_collection = state[FINISHED]
        buffers.objects[row].freed_dump = state[DUMP]
        size = int64(buffers.objects[row].size)
        if buffers.objects[row].flags & IS_DEFINED_ONLY == 0:
            state[LIVE] -= 1
            state[LIVE_BYTES] -= size
    now = state[COLLECTION_NOW]
    if state[IS_COLLECTING]:
        buffers.collections[now].frees += 1
        buffers.collections[now].freed_bytes += size
    else:
        buffers.counts[counters.FREES_OUTSIDE] += 1
        if now >= 0:
            buffers.collections[now].late_frees += 1


@part
def move(buffers: Any, id: int, target: int, time: int, offset: int) -> None:
    """Handles objMove."""
    found = end_object(buffers, id)
    if found == NONE:
        return
    row = buffers.state[MOVE]
    buffers.moves[row].object = found
    buffers.moves[row].id = target
    buffers.moves[row].time = time
    buffers.moves[row].offset = offset
    buffers.state[MOVE] = row + 1
    define_object(buffers, target, found, offset)


@part
def add_collection(buffers: Any, start: int, offset: int) -> None:
    """Adds a row of COLLECTIONS."""
    row = buffers.state[COLLECTION]
    buffers.collections[row] = NEW_COLLECTION[0]
    buffers.collections[row].start = start
    buffers.collections[row].offset = offset
    buffers.state[COLLECTION] = row + 1
    buffers.state[COLLECTION_NOW] = row


@part
def finish(buffers: Any, time: int, offset: int, objects: int, used: int, total: int) -> None:
    """Handles gcFinish."""
    state = buffers.state
    if not state[IS_COLLECTING]:
        add_collection(buffers, NEVER, offset)
    state[IS_COLLECTING] = 0
    state[FINISHED] += 1
    row = state[COLLECTION_NOW]
    buffers.collections[row].finish = time
    buffers.collections[row].used_objects = objects
    buffers.collections[row].used_bytes = used
    buffers.collections[row].total_bytes = total
    buffers.collections[row].live = state[LIVE]
    buffers.collections[row].live_bytes = state[LIVE_BYTES]


@part
def begin_dump(buffers: Any, id: int, time: int, offset: int, end: int, name: int) -> None:
    """Handles heapDumpDef."""
    row = buffers.state[DUMP]
    buffers.dumps[row].id = id
    buffers.dumps[row].time = time
    buffers.dumps[row].offset = offset
    buffers.dumps[row].end = end
    buffers.dumps[row].name = name
    buffers.dumps[row].objects = buffers.state[OBJECT]
    buffers.state[DUMP] = row + 1
    buffers.state[DUMP_NOW] = row
    if id != NEVER:
        put_row(buffers.ids.dumps, buffers.state, DUMP_IDS, id, row)


@part
def dump_of(buffers: Any, id: int, end: int) -> int:
    """Returns the dump that an element belongs to: by id, or the last one if it has no id."""
    row = buffers.state[DUMP_NOW] if id == NEVER else row_in(buffers.ids.dumps, id)
    if row < 0:
        begin_dump(buffers, id, NEVER, uint64(NOWHERE), end, NONE)
        row = buffers.state[DUMP_NOW]
    buffers.dumps[row].end = end
    return row


@part
def refer(buffers: Any, dump: int, source: int, target: int, offset: int, end: int) -> None:
    """Handles objectReference. source: encoded as in `columns.OBJECT_ENTITY`"""
    entity = entity_of(buffers, target, offset)
    if source == NONE or entity == NONE:
        return
    of_dump = dump_of(buffers, dump, end)
    row = buffers.state[EDGE]
    buffers.edges[row].source = source
    buffers.edges[row].target = entity
    buffers.edges[row].dump = of_dump
    if row > 0 and int64(buffers.edges[row - 1].dump) > of_dump:
        buffers.state[EDGES_MIXED] = 1
    buffers.state[EDGE] = row + 1


@part
def add_root(buffers: Any, dump: int, entity: int, kind: int, offset: int, end: int) -> None:
    """Handles gcRoot."""
    if entity == NONE:
        return
    of_dump = dump_of(buffers, dump, end)
    row = buffers.state[ROOT]
    buffers.roots[row].thing = entity
    buffers.roots[row].type = kind
    buffers.roots[row].offset = offset
    buffers.roots[row].dump = of_dump
    if row > 0 and int64(buffers.roots[row - 1].dump) > of_dump:
        buffers.state[ROOTS_MIXED] = 1
    buffers.state[ROOT] = row + 1
