"""Kernels that match calls. Twin: `join.plain.calls`.

node_slots  uint32[2^k]: 0: free; else the row of a node + 1, at the hash of the parent node, its thread and its method
"""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.join.buffers import CALL, NODE, OPEN_CALLS, THREAD
from parsers.formats.tptp.join.kernels.ids import GOLDEN, find, hash_of, minus, plus
from parsers.formats.tptp.join.kernels.open_calls import find_open, index_open, put_top, take_top
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import (
    IS_NEGATIVE,
    IS_NEGATIVE_BASE,
    IS_RUNNING,
    NEVER,
    NO_ENTRY,
    NO_EXIT,
    NONE,
)
from parsers.kernels.decorators import int64, kernel, part, uint64

MOST_DEPTH = 0xFFFF
SEARCHED = 32
"""Most open calls searched one by one before they are indexed."""


@part
def node_hash(above: int, thread: int, method: int, slots: int) -> Any:
    """Returns the first slot to probe for a node."""
    return hash_of(int64((uint64(above) << uint64(32) | uint64(method)) + uint64(thread) * GOLDEN), slots)


@part
def node_of(room: Any, above: int, thread: int, method: int) -> Any:
    """Returns the node of a method below another one, or as the outermost of a thread."""
    if above != NONE:
        last = int64(room.nodes[above].node_last)
        if last != NONE and int64(room.nodes[last].node_method) == method:
            return last
    slots = room.node_slots
    slot = node_hash(above, thread, method, len(slots))
    while slots[slot] != 0:
        node = int64(slots[slot]) - 1
        if (
            int64(room.nodes[node].node_parent) == above
            and int64(room.nodes[node].node_method) == method
            and int64(room.nodes[node].node_thread) == thread
        ):
            if above != NONE:
                room.nodes[above].node_last = node
            return node
        slot = (slot + 1) & (len(slots) - 1)
    node = room.state[NODE]
    slots[slot] = node + 1
    room.nodes[node].node_base = 0
    room.nodes[node].node_cumulative = 0
    room.nodes[node].node_overhead = 0
    room.nodes[node].node_calls = 0
    room.nodes[node].node_parent = above
    room.nodes[node].node_method = method
    room.nodes[node].node_thread = thread
    room.nodes[node].node_last = NONE
    if above != NONE:
        room.nodes[above].node_last = node
    room.state[NODE] = node + 1
    return node


@part
def add_call(
    room: Any, start: Any, end: Any, overhead: Any, ticket: Any, offset: Any, thread: int, method: int, parent: int,
    node: int, depth: Any, flags: int,
) -> Any:  # fmt: skip
    """Adds a row of CALLS."""
    row = room.state[CALL]
    room.calls[row].call_start = start
    room.calls[row].call_end = end
    room.calls[row].call_base = 0
    room.calls[row].call_overhead = overhead
    room.calls[row].call_ticket = ticket
    room.calls[row].call_offset = offset
    room.calls[row].call_thread = thread
    room.calls[row].call_method = method
    room.calls[row].call_parent = parent
    room.calls[row].call_node = node
    room.calls[row].call_depth = min(max(depth, 0), MOST_DEPTH)
    room.calls[row].call_flags = flags
    room.state[CALL] = row + 1
    return row


@part
def enter(room: Any, thread: int, method: int, time: Any, ticket: Any, depth: Any, offset: Any) -> None:
    """Handles methodEntry."""
    parent = int64(room.threads[thread].thread_top)
    above = int64(room.calls[parent].call_node) if parent != NONE else NONE
    node = node_of(room, above, thread, method)
    height = int64(room.threads[thread].thread_height)
    if parent != NONE and ticket <= room.calls[parent].call_ticket:
        room.threads[thread].thread_is_mixed = 1
    row = add_call(
        room, time, NEVER, 0, ticket, offset, thread, method, parent, node, height if depth == NEVER else depth, 0
    )
    room.threads[thread].thread_top = row
    room.threads[thread].thread_height = height + 1
    room.state[OPEN_CALLS] += 1
    if room.threads[thread].thread_indexed:
        put_top(room, thread, row)
    room.nodes[node].node_calls += 1
    room.methods[method].method_calls += 1
    room.threads[thread].thread_calls += 1
    room.counts[counters.DEEPEST] = max(room.counts[counters.DEEPEST], height + 1)


@part
def leave(room: Any, thread: int, method: int, time: Any, ticket: Any, depth: Any, overhead: Any, offset: Any) -> None:
    """Handles methodExit. Until a call ends, `call_base` has the durations of its direct callees."""
    overhead = int64(0) if overhead == NEVER else overhead
    room.threads[thread].thread_overhead = plus(room.threads[thread].thread_overhead, overhead)
    top = int64(room.threads[thread].thread_top)
    call, steps = top, 0
    while call != NONE:
        if ticket == NEVER:
            if int64(room.calls[call].call_method) == method:
                break
        elif room.calls[call].call_ticket == ticket:
            break
        elif room.calls[call].call_ticket < ticket and not room.threads[thread].thread_is_mixed:
            # Tickets ascend with the stack, so it isn't further down.
            call = int64(NONE)
            break
        steps += 1
        if steps == SEARCHED:
            if not room.threads[thread].thread_indexed:
                index_open(room, thread)
            call = find_open(room, thread, ticket, method)
            break
        call = int64(room.calls[call].call_parent)
    height = int64(room.threads[thread].thread_height)
    if call == NONE:
        add_call(
            room, NEVER, time, overhead, ticket, offset, thread, method, top, NONE,
            height if depth == NEVER else depth, NO_ENTRY,
        )  # fmt: skip
        room.methods[method].method_overhead = plus(room.methods[method].method_overhead, overhead)
        room.counts[counters.EXITS_ALONE] += 1
        find(room, columns.EXIT_ALONE, offset, 0)
        return
    is_indexed = room.threads[thread].thread_indexed
    while top != call:
        if is_indexed:
            take_top(room, thread, top)
        room.calls[top].call_flags = NO_EXIT
        room.calls[top].call_base = 0
        room.counts[counters.ENTRIES_ALONE] += 1
        find(room, columns.ENTRY_ALONE, int64(room.calls[top].call_offset), 0)
        top = int64(room.calls[top].call_parent)
        height -= 1
        room.state[OPEN_CALLS] -= 1
    if is_indexed:
        take_top(room, thread, call)
        if height == 1:
            room.threads[thread].thread_indexed = 0
    room.state[OPEN_CALLS] -= 1
    parent = int64(room.calls[call].call_parent)
    room.threads[thread].thread_top = parent
    room.threads[thread].thread_height = height - 1
    start = room.calls[call].call_start
    duration = base = int64(0)
    if start != NEVER and time != NEVER:
        duration = minus(time, start)
        base = minus(duration, room.calls[call].call_base)
    if duration < 0:
        room.counts[counters.NEGATIVE_CALL] += 1
        find(room, columns.IS_NEGATIVE_TIME, offset, duration)
        room.calls[call].call_flags = IS_NEGATIVE
    if base < 0:
        room.calls[call].call_flags |= IS_NEGATIVE_BASE
    if parent != NONE:
        room.calls[parent].call_base = plus(room.calls[parent].call_base, duration)
    room.calls[call].call_end = time
    room.calls[call].call_base = base
    room.calls[call].call_overhead = overhead
    node, of_call = int64(room.calls[call].call_node), int64(room.calls[call].call_method)
    room.nodes[node].node_base = plus(room.nodes[node].node_base, base)
    room.nodes[node].node_cumulative = plus(room.nodes[node].node_cumulative, duration)
    room.nodes[node].node_overhead = plus(room.nodes[node].node_overhead, overhead)
    room.methods[of_call].method_overhead = plus(room.methods[of_call].method_overhead, overhead)
    room.methods[of_call].method_returned += 1


@kernel
def end_calls(room: Any, first: int) -> None:
    """Ends the input: open calls are still running. first: thread of the session"""
    for thread in range(first, room.state[THREAD]):
        call = int64(room.threads[thread].thread_top)
        while call != NONE:
            room.calls[call].call_flags = IS_RUNNING
            room.calls[call].call_overhead = 0
            room.calls[call].call_base = 0
            call = int64(room.calls[call].call_parent)


@kernel
def rehash_nodes(slots: Any, nodes: Any) -> None:
    """Fills a larger, empty hash table of nodes."""
    for node in range(len(nodes)):
        parent, thread, method = nodes[node].node_parent, nodes[node].node_thread, nodes[node].node_method
        slot = node_hash(int64(parent), int64(thread), int64(method), len(slots))
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = node + 1


@kernel
def add_up(room: Any, firsts: Any, below: Any, counts: Any) -> None:
    """Computes base and cumulative times of methods from those of paths; recursion counts once.

    firsts, below  uint32 by node, filled here: the first child, the next sibling; NONE
    counts         int32 by method, zeros
    """
    nodes = len(firsts)
    for node in range(nodes):
        firsts[node] = NONE
    outermost = int64(NONE)
    for node in range(nodes - 1, -1, -1):
        parent = int64(room.nodes[node].node_parent)
        if parent == NONE:
            below[node] = outermost
            outermost = node
        else:
            below[node] = firsts[parent]
            firsts[parent] = node
    node = outermost
    while node != NONE:
        method = int64(room.nodes[node].node_method)
        found = room.methods[method]
        found.method_base = plus(found.method_base, room.nodes[node].node_base)
        if counts[method] == 0:
            found.method_cumulative = plus(found.method_cumulative, room.nodes[node].node_cumulative)
        counts[method] += 1
        following = int64(firsts[node])
        while following == NONE and node != NONE:
            counts[int64(room.nodes[node].node_method)] -= 1
            following = int64(below[node])
            node = int64(room.nodes[node].node_parent)
        node = following


@kernel
def order_by(keys: Any, firsts: Any, order: Any) -> None:
    """Sorts rows by their keys, then in order.

    firsts  uint32[keys + 1], zeros: the first row of each key
    order   uint32 by row
    """
    for key in keys:
        if int64(key) + 1 < len(firsts):
            firsts[int64(key) + 1] += 1
    for key in range(1, len(firsts)):
        firsts[key] += firsts[key - 1]
    for row in range(len(keys)):
        key = int64(keys[row])
        order[firsts[key]] = row
        firsts[key] += 1
    for key in range(len(firsts) - 1, 0, -1):
        firsts[key] = firsts[key - 1]
    firsts[0] = 0
