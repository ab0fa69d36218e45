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
)
from parsers.formats.tptp.join.kernels.ids import clipped, define_object, end_object, find, put_row, row_in, thing_of
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import IS_ARRAY, IS_DEFINED_ONLY, IS_TOLD_ARRAY, NEVER, NONE, NOWHERE
from parsers.kernels.decorators import int64, part, uint64


@part
def add_object(
    room: Any, id: Any, time: Any, offset: Any, size: Any, kind: int, thread: int, call: int, is_array: Any, flags: int
) -> None:
    """Adds a row of OBJECTS."""
    state = room.state
    row = state[OBJECT]
    if is_array != NEVER:
        flags |= IS_TOLD_ARRAY
        if is_array != 0:
            flags |= IS_ARRAY
    size = clipped(size)
    room.objects[row].object_id = id
    room.objects[row].object_offset = offset
    room.objects[row].object_time = time
    room.objects[row].object_freed = NEVER
    room.objects[row].object_size = size
    room.objects[row].object_class = kind
    room.objects[row].object_thread = thread
    room.objects[row].object_call = call
    room.objects[row].object_collection = state[FINISHED]
    room.objects[row].object_freed_collection = NONE
    room.objects[row].object_freed_dump = NONE
    room.objects[row].object_flags = flags
    if flags & IS_DEFINED_ONLY == 0:
        state[LIVE] += 1
        state[LIVE_BYTES] += size
        if thread != NONE:
            room.threads[thread].thread_allocations += 1
    state[OBJECT] = row + 1
    define_object(room, id, row, offset)


@part
def free(room: Any, id: Any, time: Any, offset: Any) -> None:
    """Handles objFree."""
    state = room.state
    row = end_object(room, id)
    size = int64(0)
    if row == NONE:
        room.counts[counters.FREES_OF_UNKNOWN] += 1
        find(room, columns.FREE_OF_UNKNOWN, offset, id)
    else:
        room.objects[row].object_freed = time
        room.objects[row].object_freed_collection = state[FINISHED]
        room.objects[row].object_freed_dump = state[DUMP]
        size = int64(room.objects[row].object_size)
        if room.objects[row].object_flags & IS_DEFINED_ONLY == 0:
            state[LIVE] -= 1
            state[LIVE_BYTES] -= size
    now = state[COLLECTION_NOW]
    if state[IS_COLLECTING]:
        room.collections[now].collection_frees += 1
        room.collections[now].collection_freed_bytes += size
    else:
        room.counts[counters.FREES_OUTSIDE] += 1
        if now >= 0:
            room.collections[now].collection_late_frees += 1


@part
def move(room: Any, id: Any, target: Any, time: Any, offset: Any) -> None:
    """Handles objMove."""
    found = end_object(room, id)
    if found == NONE:
        return
    row = room.state[MOVE]
    room.moves[row].move_object = found
    room.moves[row].move_id = target
    room.moves[row].move_time = time
    room.moves[row].move_offset = offset
    room.state[MOVE] = row + 1
    define_object(room, target, found, offset)


@part
def add_collection(room: Any, start: Any, offset: Any) -> None:
    """Adds a row of COLLECTIONS."""
    row = room.state[COLLECTION]
    room.collections[row].collection_start = start
    room.collections[row].collection_finish = NEVER
    room.collections[row].collection_offset = offset
    room.collections[row].collection_used_objects = NEVER
    room.collections[row].collection_used_bytes = NEVER
    room.collections[row].collection_total_bytes = NEVER
    room.collections[row].collection_frees = 0
    room.collections[row].collection_freed_bytes = 0
    room.collections[row].collection_late_frees = 0
    room.collections[row].collection_live = 0
    room.collections[row].collection_live_bytes = 0
    room.state[COLLECTION] = row + 1
    room.state[COLLECTION_NOW] = row


@part
def finish(room: Any, time: Any, offset: Any, objects: Any, used: Any, total: Any) -> None:
    """Handles gcFinish."""
    state = room.state
    if not state[IS_COLLECTING]:
        add_collection(room, NEVER, offset)
    state[IS_COLLECTING] = 0
    state[FINISHED] += 1
    row = state[COLLECTION_NOW]
    room.collections[row].collection_finish = time
    room.collections[row].collection_used_objects = objects
    room.collections[row].collection_used_bytes = used
    room.collections[row].collection_total_bytes = total
    room.collections[row].collection_live = state[LIVE]
    room.collections[row].collection_live_bytes = state[LIVE_BYTES]


@part
def begin_dump(room: Any, id: Any, time: Any, offset: Any, end: Any, name: int) -> None:
    """Handles heapDumpDef."""
    row = room.state[DUMP]
    room.dumps[row].dump_id = id
    room.dumps[row].dump_time = time
    room.dumps[row].dump_offset = offset
    room.dumps[row].dump_end = end
    room.dumps[row].dump_name = name
    room.dumps[row].dump_objects = room.state[OBJECT]
    room.state[DUMP] = row + 1
    room.state[DUMP_NOW] = row
    if id != NEVER:
        put_row(room.ids.dump_ids, room.ids.dump_rows, room.state, DUMP_IDS, id, row)


@part
def dump_of(room: Any, id: Any, end: Any) -> int:
    """Returns the dump that an element belongs to: by id, or the last one if it has no id."""
    row = room.state[DUMP_NOW] if id == NEVER else row_in(room.ids.dump_ids, room.ids.dump_rows, id)
    if row < 0:
        begin_dump(room, id, NEVER, uint64(NOWHERE), end, NONE)
        row = room.state[DUMP_NOW]
    room.dumps[row].dump_end = end
    return row


@part
def refer(room: Any, dump: Any, source: int, target: Any, offset: Any, end: Any) -> None:
    """Handles objectReference. source: encoded as in `columns.OBJECT_THING`"""
    thing = thing_of(room, target, offset)
    if source == NONE or thing == NONE:
        return
    of_dump = dump_of(room, dump, end)
    row = room.state[EDGE]
    room.edges[row].edge_source = source
    room.edges[row].edge_target = thing
    room.edges[row].edge_dump = of_dump
    if row > 0 and int64(room.edges[row - 1].edge_dump) > of_dump:
        room.state[EDGES_MIXED] = 1
    room.state[EDGE] = row + 1


@part
def add_root(room: Any, dump: Any, thing: int, kind: int, offset: Any, end: Any) -> None:
    """Handles gcRoot."""
    if thing == NONE:
        return
    of_dump = dump_of(room, dump, end)
    row = room.state[ROOT]
    room.roots[row].root_thing = thing
    room.roots[row].root_type = kind
    room.roots[row].root_offset = offset
    room.roots[row].root_dump = of_dump
    if row > 0 and int64(room.roots[row - 1].root_dump) > of_dump:
        room.state[ROOTS_MIXED] = 1
    room.state[ROOT] = row + 1
