"""Kernels that match calls. Twin: `join.plain.calls`.

node_slots  uint32[2^k]: 0: free; else the row of a node + 1, at the hash of the parent node, its thread and its method
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.join.buffers import blank_row
from parsers.formats.tptp.join.kernels.ids import find, minus, note_used, plus
from parsers.formats.tptp.join.kernels.open_calls import find_open, index_open, note_open, put_top, take_top
from parsers.formats.tptp.schema.columns import IS_NEGATIVE, IS_NEGATIVE_BASE, IS_RUNNING, NEVER, NO_ENTRY, NO_EXIT
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import HALF, MIX, first_slot, free_slot
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import TraceBuffers
    from parsers.model.arrays import AnyArray, U8Array, U32Array

NEW_NODE = blank_row("node", last=NONE)
MOST_DEPTH = 0xFFFF
SEARCHED = 32
"""Most open calls searched one by one before they are indexed."""


@part
def node_hash(above: int, thread: int, method: int, slots: int) -> int:
    """Returns the first slot to probe for a node."""
    return first_slot((uint64(above) << HALF | uint64(method)) + uint64(thread) * MIX, slots)


@part
def node_of(buffers: TraceBuffers, above: int, thread: int, method: int) -> int:
    """Returns the node of a method below another one, or as the outermost of a thread."""
    if above != NONE:
        last = int64(buffers.nodes[above].last)
        if last != NONE and int64(buffers.nodes[last].method) == method:
            return last
    slots = buffers.node_slots
    slot = node_hash(above, thread, method, len(slots))
    while slots[slot] != 0:
        node = int64(slots[slot]) - 1
        if (
            int64(buffers.nodes[node].parent) == above
            and int64(buffers.nodes[node].method) == method
            and int64(buffers.nodes[node].thread) == thread
        ):
            if above != NONE:
                buffers.nodes[above].last = node
            return node
        slot = (slot + 1) & (len(slots) - 1)
    node = int64(buffers.state[0].nodes)
    slots[slot] = node + 1
    buffers.nodes[node] = NEW_NODE[0]
    buffers.nodes[node].parent = above
    buffers.nodes[node].method = method
    buffers.nodes[node].thread = thread
    if above != NONE:
        buffers.nodes[above].last = node
    buffers.state[0].nodes = node + 1
    note_used(buffers.state[0], node + 1, len(slots))
    return node


@part
def add_call(
    buffers: TraceBuffers, start: int, end: int, overhead: int, ticket: int, offset: int, thread: int, method: int,
    parent: int, node: int, depth: int, flags: int,
) -> int:  # fmt: skip
    """Adds a row of calls."""
    row: int = buffers.state[0].calls
    buffers.calls[row].start = start
    buffers.calls[row].end = end
    buffers.calls[row].base = 0
    buffers.calls[row].overhead = overhead
    buffers.calls[row].ticket = ticket
    buffers.calls[row].offset = offset
    buffers.calls[row].thread = thread
    buffers.calls[row].method = method
    buffers.calls[row].parent = parent
    buffers.calls[row].node = node
    buffers.calls[row].depth = min(max(depth, 0), MOST_DEPTH)
    buffers.calls[row].flags = flags
    buffers.state[0].calls = row + 1
    return row


@part
def enter(buffers: TraceBuffers, thread: int, method: int, time: int, ticket: int, depth: int, offset: int) -> None:
    """Handles methodEntry."""
    parent = int64(buffers.threads[thread].top)
    above = int64(buffers.calls[parent].node) if parent != NONE else NONE
    node = node_of(buffers, above, thread, method)
    height = int64(buffers.threads[thread].height)
    if parent != NONE and ticket <= buffers.calls[parent].ticket:
        buffers.threads[thread].is_mixed = 1
    row = add_call(
        buffers, time, NEVER, 0, ticket, offset, thread, method, parent, node, height if depth == NEVER else depth, 0
    )
    buffers.threads[thread].top = row
    buffers.threads[thread].height = height + 1
    buffers.state[0].open_calls += 1
    if buffers.threads[thread].indexed:
        put_top(buffers, thread, row)
    note_open(buffers)
    buffers.nodes[node].calls += 1
    buffers.methods[method].calls += 1
    buffers.threads[thread].calls += 1
    buffers.counts[SessionCounter.DEEPEST] = max(buffers.counts[SessionCounter.DEEPEST], height + 1)


@part
def leave(
    buffers: TraceBuffers, thread: int, method: int, time: int, ticket: int, depth: int, overhead: int, offset: int
) -> None:
    """Handles methodExit. Until a call ends, `call_base` has the durations of its direct callees."""
    overhead = int64(0) if overhead == NEVER else overhead
    buffers.threads[thread].overhead = plus(buffers.threads[thread].overhead, overhead)
    top = int64(buffers.threads[thread].top)
    call, steps = top, 0
    while call != NONE:
        if ticket == NEVER:
            if int64(buffers.calls[call].method) == method:
                break
        elif buffers.calls[call].ticket == ticket:
            break
        elif buffers.calls[call].ticket < ticket and not buffers.threads[thread].is_mixed:
            # Tickets ascend with the stack, so it isn't further down.
            call = int64(NONE)
            break
        steps += 1
        if steps == SEARCHED:
            if not buffers.threads[thread].indexed:
                index_open(buffers, thread)
                note_open(buffers)
            call = find_open(buffers, thread, ticket, method)
            break
        call = int64(buffers.calls[call].parent)
    height = int64(buffers.threads[thread].height)
    if call == NONE:
        add_call(
            buffers, NEVER, time, overhead, ticket, offset, thread, method, top, NONE,
            height if depth == NEVER else depth, NO_ENTRY,
        )  # fmt: skip
        buffers.methods[method].overhead = plus(buffers.methods[method].overhead, overhead)
        buffers.counts[SessionCounter.EXITS_ALONE] += 1
        find(buffers, FindingKind.EXIT_WITHOUT_ENTRY, offset, 0)
        return
    is_indexed = buffers.threads[thread].indexed
    while top != call:
        if is_indexed:
            take_top(buffers, thread, top)
        buffers.calls[top].flags = NO_EXIT
        buffers.calls[top].base = 0
        buffers.counts[SessionCounter.ENTRIES_ALONE] += 1
        find(buffers, FindingKind.ENTRY_WITHOUT_EXIT, int64(buffers.calls[top].offset), 0)
        top = int64(buffers.calls[top].parent)
        height -= 1
        buffers.state[0].open_calls -= 1
    if is_indexed:
        take_top(buffers, thread, call)
        if height == 1:
            buffers.threads[thread].indexed = 0
    buffers.state[0].open_calls -= 1
    parent = int64(buffers.calls[call].parent)
    buffers.threads[thread].top = parent
    buffers.threads[thread].height = height - 1
    start = buffers.calls[call].start
    duration = base = int64(0)
    if start != NEVER and time != NEVER:
        duration = minus(time, start)
        base = minus(duration, buffers.calls[call].base)
    if duration < 0:
        buffers.counts[SessionCounter.NEGATIVE_CALL] += 1
        find(buffers, FindingKind.ENDS_BEFORE_IT_BEGINS, offset, duration)
        buffers.calls[call].flags = IS_NEGATIVE
    if base < 0:
        buffers.calls[call].flags |= IS_NEGATIVE_BASE
    if parent != NONE:
        buffers.calls[parent].base = plus(buffers.calls[parent].base, duration)
    buffers.calls[call].end = time
    buffers.calls[call].base = base
    buffers.calls[call].overhead = overhead
    node, of_call = int64(buffers.calls[call].node), int64(buffers.calls[call].method)
    buffers.nodes[node].base = plus(buffers.nodes[node].base, base)
    buffers.nodes[node].cumulative = plus(buffers.nodes[node].cumulative, duration)
    buffers.nodes[node].overhead = plus(buffers.nodes[node].overhead, overhead)
    buffers.methods[of_call].overhead = plus(buffers.methods[of_call].overhead, overhead)
    buffers.methods[of_call].returned += 1


@kernel
def end_calls(threads: AnyArray, calls: AnyArray) -> None:
    """Ends the input: open calls of the threads of the session are still running."""
    for thread in range(len(threads)):
        call = int64(threads[thread].top)
        while call != NONE:
            calls[call].flags = IS_RUNNING
            calls[call].overhead = 0
            calls[call].base = 0
            call = int64(calls[call].parent)


@kernel
def rehash_nodes(slots: U32Array, nodes: AnyArray) -> None:
    """Fills a larger, empty hash table of nodes."""
    for node in range(len(nodes)):
        parent, thread, method = nodes[node].parent, nodes[node].thread, nodes[node].method
        slot = free_slot(slots, node_hash(int64(parent), int64(thread), int64(method), len(slots)))
        slots[slot] = node + 1


@kernel
def add_up(nodes: AnyArray, methods: AnyArray, is_outermost: U8Array) -> None:
    """Computes base and cumulative times of methods from those of paths; recursion counts once."""
    for node in range(len(nodes)):
        found = methods[int64(nodes[node].method)]
        found.base = plus(found.base, nodes[node].base)
        if is_outermost[node]:
            found.cumulative = plus(found.cumulative, nodes[node].cumulative)
