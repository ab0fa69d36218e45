"""Kernels that join objects, collections and heap dumps. Twin: `join.plain.heap`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.join.buffers import blank_row
from parsers.formats.tptp.join.kernels.ids import clipped, define_object, end_object, entity_of, find, put_row, row_in
from parsers.formats.tptp.schema.columns import IS_ARRAY, IS_DEFINED_ONLY, IS_RECORDED_ARRAY, NEVER, NOWHERE
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
from parsers.kernels.decorators import int64, part, uint64
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import TraceBuffers

NEW_COLLECTION = blank_row("collection", finish=NEVER, used_objects=NEVER, used_bytes=NEVER, total_bytes=NEVER)


@part
def add_object(
    buffers: TraceBuffers, id: int, time: int, offset: int, size: int, kind: int, thread: int, call: int, is_array: int,
    flags: int,
) -> None:  # fmt: skip
    """Adds a row of objects."""
    state = buffers.state[0]
    row = state.objects
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
    buffers.objects[row].collection = state.finished
    buffers.objects[row].freed_collection = NONE
    buffers.objects[row].freed_dump = NONE
    buffers.objects[row].flags = flags
    if flags & IS_DEFINED_ONLY == 0:
        state.live += 1
        state.live_bytes += size
        if thread != NONE:
            buffers.threads[thread].allocations += 1
    state.objects = row + 1
    define_object(buffers, id, row, offset)


@part
def free(buffers: TraceBuffers, id: int, time: int, offset: int) -> None:
    """Handles objFree."""
    state = buffers.state[0]
    row = end_object(buffers, id)
    size = int64(0)
    if row == NONE:
        buffers.counts[SessionCounter.FREES_OF_UNKNOWN] += 1
        find(buffers, FindingKind.FREE_OF_AN_UNKNOWN_OBJECT, offset, id)
    else:
        buffers.objects[row].freed = time
        buffers.objects[row].freed_collection = state.finished
        buffers.objects[row].freed_dump = state.dumps
        size = int64(buffers.objects[row].size)
        if buffers.objects[row].flags & IS_DEFINED_ONLY == 0:
            state.live -= 1
            state.live_bytes -= size
    now = state.collection_now
    if state.is_collecting:
        buffers.collections[now].frees += 1
        buffers.collections[now].freed_bytes += size
    else:
        buffers.counts[SessionCounter.FREES_OUTSIDE] += 1
        if now >= 0:
            buffers.collections[now].late_frees += 1


@part
def move(buffers: TraceBuffers, id: int, target: int, time: int, offset: int) -> None:
    """Handles objMove."""
    found = end_object(buffers, id)
    if found == NONE:
        return
    row = buffers.state[0].moves
    buffers.moves[row].object = found
    buffers.moves[row].id = target
    buffers.moves[row].time = time
    buffers.moves[row].offset = offset
    buffers.state[0].moves = row + 1
    define_object(buffers, target, found, offset)


@part
def add_collection(buffers: TraceBuffers, start: int, offset: int) -> None:
    """Adds a row of collections."""
    row = buffers.state[0].collections
    buffers.collections[row] = NEW_COLLECTION[0]
    buffers.collections[row].start = start
    buffers.collections[row].offset = offset
    buffers.state[0].collections = row + 1
    buffers.state[0].collection_now = row


@part
def finish(buffers: TraceBuffers, time: int, offset: int, objects: int, used: int, total: int) -> None:
    """Handles gcFinish."""
    state = buffers.state[0]
    if not state.is_collecting:
        add_collection(buffers, NEVER, offset)
    state.is_collecting = 0
    state.finished += 1
    row = state.collection_now
    buffers.collections[row].finish = time
    buffers.collections[row].used_objects = objects
    buffers.collections[row].used_bytes = used
    buffers.collections[row].total_bytes = total
    buffers.collections[row].live = state.live
    buffers.collections[row].live_bytes = state.live_bytes


@part
def begin_dump(buffers: TraceBuffers, id: int, time: int, offset: int, end: int, name: int) -> None:
    """Handles heapDumpDef."""
    row = buffers.state[0].dumps
    buffers.dumps[row].id = id
    buffers.dumps[row].time = time
    buffers.dumps[row].offset = offset
    buffers.dumps[row].end = end
    buffers.dumps[row].name = name
    buffers.dumps[row].objects = buffers.state[0].objects
    buffers.state[0].dumps = row + 1
    buffers.state[0].dump_now = row
    if id != NEVER:
        put_row(buffers.ids.dumps, buffers.state[0], id, row)


@part
def dump_of(buffers: TraceBuffers, id: int, end: int) -> int:
    """Returns the dump that an element belongs to: by id, or the last one if it has no id."""
    row = buffers.state[0].dump_now if id == NEVER else row_in(buffers.ids.dumps, id)
    if row < 0:
        begin_dump(buffers, id, NEVER, uint64(NOWHERE), end, NONE)
        row = buffers.state[0].dump_now
    buffers.dumps[row].end = end
    return row


@part
def refer(buffers: TraceBuffers, dump: int, source: int, target: int, offset: int, end: int) -> None:
    """Handles objectReference. source: encoded as in `columns.OBJECT_ENTITY`"""
    entity = entity_of(buffers, target, offset)
    if source == NONE or entity == NONE:
        return
    of_dump = dump_of(buffers, dump, end)
    row = buffers.state[0].edges
    buffers.edges[row].source = source
    buffers.edges[row].target = entity
    buffers.edges[row].dump = of_dump
    if row > 0 and int64(buffers.edges[row - 1].dump) > of_dump:
        buffers.state[0].edges_mixed = 1
    buffers.state[0].edges = row + 1


@part
def add_root(buffers: TraceBuffers, dump: int, entity: int, kind: int, offset: int, end: int) -> None:
    """Handles gcRoot."""
    if entity == NONE:
        return
    of_dump = dump_of(buffers, dump, end)
    row = buffers.state[0].roots
    buffers.roots[row].entity = entity
    buffers.roots[row].type = kind
    buffers.roots[row].offset = offset
    buffers.roots[row].dump = of_dump
    if row > 0 and int64(buffers.roots[row - 1].dump) > of_dump:
        buffers.state[0].roots_mixed = 1
    buffers.state[0].roots = row + 1
