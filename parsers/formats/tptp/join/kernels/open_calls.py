"""Open calls by ticket and by method, for threads whose stacks are too deep to search. Twin: `join.plain.calls`.

open_slots  int64[2, 2^k]: a hash table. First number of a slot: 2 * (a call of the thread and key, + 1), plus 1 if the
key is the method and no ticket, 0: free. Second number: the topmost open call of this key, + 1, 0: none

Open calls of one key are a linked list, topmost first. Until a call ends, `call_overhead` has the next ones, + 1: of
the ticket in its lower half, of the method in its upper half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.join.kernels.ids import note_used
from parsers.formats.tptp.schema.columns import NEVER
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import MIX, first_slot
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import TraceBuffers
    from parsers.model.arrays import AnyArray, I64Array

BY_TICKET, BY_METHOD = 0, 1
KEYS_OF_CALL = 2
"""Keys of an open call: its ticket, its method."""
LOWEST, TOP = range(2)
"""Rows of the table of open calls, by slot: twice the lowest call of the key + 1, and the kind of key (0: free); the
topmost call + 1 (0: none).
"""
HALF = 32
LOW = 0xFFFF_FFFF


@part
def key_of(calls: AnyArray, call: int, kind: int) -> int:
    """Returns the key of a call: ticket or method."""
    return int64(calls[call].method) if kind == BY_METHOD else calls[call].ticket


@part
def slot_of(slots: I64Array, calls: AnyArray, thread: int, kind: int, key: int) -> int:
    """Returns the slot of a key, or the free slot for it."""
    width = slots.shape[1]
    slot = first_slot(uint64(key) + uint64(2 * thread + kind) * MIX, width)
    while slots[LOWEST, slot] != 0:
        call = (slots[LOWEST, slot] >> 1) - 1
        if slots[LOWEST, slot] & 1 == kind and int64(calls[call].thread) == thread and key_of(calls, call, kind) == key:
            break
        slot = (slot + 1) & (width - 1)
    return slot


@part
def note_open(buffers: TraceBuffers) -> None:
    """Notes if the table must be enlarged, so that the calls of any thread can be indexed at once."""
    state = buffers.state[0]
    note_used(state, state.open_keys + KEYS_OF_CALL * state.open_calls, buffers.open_slots.shape[1])


@part
def put_below(buffers: TraceBuffers, thread: int, call: int, kind: int) -> None:
    """Adds a call below the existing ones of its key."""
    key = key_of(buffers.calls, call, kind)
    if kind == BY_TICKET and key == NEVER:
        return
    slots = buffers.open_slots
    slot = slot_of(slots, buffers.calls, thread, kind, key)
    if slots[LOWEST, slot] == 0:
        buffers.state[0].open_keys += 1
    if slots[TOP, slot] == 0:
        slots[TOP, slot] = call + 1
    else:
        # The slot's identifying call is the lowest one so far.
        buffers.calls[(slots[LOWEST, slot] >> 1) - 1].overhead |= (call + 1) << (HALF * kind)
    slots[LOWEST, slot] = 2 * (call + 1) + kind


@part
def index_open(buffers: TraceBuffers, thread: int) -> None:
    """Indexes the open calls of a thread."""
    call = int64(buffers.threads[thread].top)
    while call != NONE:
        buffers.calls[call].overhead = 0
        put_below(buffers, thread, call, BY_TICKET)
        put_below(buffers, thread, call, BY_METHOD)
        call = int64(buffers.calls[call].parent)
    buffers.threads[thread].indexed = 1


@part
def put_top(buffers: TraceBuffers, thread: int, call: int) -> None:
    """Adds a call that was entered."""
    slots, links = buffers.open_slots, int64(0)
    for kind in (BY_TICKET, BY_METHOD):
        key = key_of(buffers.calls, call, kind)
        if kind == BY_METHOD or key != NEVER:
            slot = slot_of(slots, buffers.calls, thread, kind, key)
            if slots[LOWEST, slot] == 0:
                buffers.state[0].open_keys += 1
                slots[LOWEST, slot] = 2 * (call + 1) + kind
            links |= slots[TOP, slot] << (HALF * kind)
            slots[TOP, slot] = call + 1
    buffers.calls[call].overhead = links


@part
def take_top(buffers: TraceBuffers, thread: int, call: int) -> None:
    """Removes a call that is left, the top one of its thread."""
    slots, links = buffers.open_slots, uint64(buffers.calls[call].overhead)
    for kind in (BY_TICKET, BY_METHOD):
        key = key_of(buffers.calls, call, kind)
        if kind == BY_METHOD or key != NEVER:
            slots[TOP, slot_of(slots, buffers.calls, thread, kind, key)] = int64(
                (links >> uint64(HALF * kind)) & uint64(LOW)
            )
    buffers.calls[call].overhead = 0


@part
def find_open(buffers: TraceBuffers, thread: int, ticket: int, method: int) -> int:
    """Returns the topmost open call of a ticket, or of a method if there is no ticket; NONE."""
    slots = buffers.open_slots
    kind, key = (BY_METHOD, int64(method)) if ticket == NEVER else (BY_TICKET, ticket)
    slot = slot_of(slots, buffers.calls, thread, kind, key)
    return int64(NONE) if slots[TOP, slot] == 0 else slots[TOP, slot] - 1


@kernel
def rehash_open(before: I64Array, slots: I64Array, calls: AnyArray) -> int:
    """Fills a larger, empty hash table with the keys that have open calls; returns their number."""
    count = int64(0)
    for old in range(before.shape[1]):
        if before[TOP, old] != 0:
            kind, call = before[LOWEST, old] & 1, (before[LOWEST, old] >> 1) - 1
            thread = int64(calls[call].thread)
            slot = slot_of(slots, calls, thread, kind, key_of(calls, call, kind))
            slots[LOWEST, slot], slots[TOP, slot] = before[LOWEST, old], before[TOP, old]
            count += 1
    found: int = count
    return found
