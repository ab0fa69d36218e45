"""Kernels that join the wait states of threads. Twin: `join.plain.states`."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.join.buffers import STATE
from parsers.formats.tptp.join.kernels.ids import find, minus, plus
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import CLASS_THING, FOR_LOCK, FOR_OBJECT, NEVER, NONE, NOWHERE
from parsers.kernels.decorators import int64, part, uint64


@part
def open_state(room: Any, thread: int, is_lock: bool) -> Any:
    """Returns the open state of a thread: waiting for a lock, or the other kind; NONE if there is none."""
    return int64(room.threads[thread].thread_lock) if is_lock else int64(room.threads[thread].thread_waiting)


@part
def set_open(room: Any, thread: int, is_lock: bool, row: int) -> None:
    """Sets the open state of a thread."""
    if is_lock:
        room.threads[thread].thread_lock = row
    else:
        room.threads[thread].thread_waiting = row


@part
def begin_state(
    room: Any, kind: int, thread: int, monitor: int, owner: int, time: Any, offset: Any, timeout: Any
) -> None:
    """Handles monContendedEnter and monWait. monitor: encoded as in `columns.OBJECT_THING`"""
    before = open_state(room, thread, kind == FOR_LOCK)
    if before != NONE:
        # It must have ended before this one began.
        room.states[before].state_end = time
    row = room.state[STATE]
    room.states[row].state_start = time
    room.states[row].state_end = NEVER
    room.states[row].state_offset = offset
    room.states[row].state_end_offset = uint64(NOWHERE)
    room.states[row].state_timeout = timeout
    room.states[row].state_waited = NEVER
    room.states[row].state_thread = thread
    room.states[row].state_monitor = monitor
    room.states[row].state_owner = owner
    room.states[row].state_class = room.objects[monitor].object_class if monitor < CLASS_THING else NONE
    room.states[row].state_kind = kind
    set_open(room, thread, kind == FOR_LOCK, row)
    room.state[STATE] = row + 1


@part
def end_state(room: Any, is_lock: bool, thread: int, time: Any, offset: Any, waited: Any) -> None:
    """Handles monContendedEntered and monWaited."""
    row = open_state(room, thread, is_lock)
    if row == NONE:
        room.counts[counters.ENTERED_ALONE if is_lock else counters.WAITED_ALONE] += 1
        find(room, columns.ENTERED_ALONE if is_lock else columns.WAITED_ALONE, offset, 0)
        return
    set_open(room, thread, is_lock, NONE)
    room.states[row].state_end = time
    room.states[row].state_end_offset = offset
    room.states[row].state_waited = waited
    start = room.states[row].state_start
    kind = int64(room.states[row].state_kind)
    duration = int64(0)
    if start != NEVER and time != NEVER:
        duration = minus(time, start)
    if duration < 0:
        room.counts[counters.NEGATIVE_BLOCK if is_lock else counters.NEGATIVE_WAIT] += 1
        find(room, columns.IS_NEGATIVE_TIME, offset, duration)
    if kind == FOR_LOCK:
        room.threads[thread].thread_blocked = plus(room.threads[thread].thread_blocked, duration)
        room.threads[thread].thread_blocks += 1
        room.threads[thread].thread_longest_block = max(room.threads[thread].thread_longest_block, duration)
    elif kind == FOR_OBJECT:
        room.threads[thread].thread_waited = plus(room.threads[thread].thread_waited, duration)
        room.threads[thread].thread_waits += 1
    else:
        room.threads[thread].thread_slept = plus(room.threads[thread].thread_slept, duration)
        room.threads[thread].thread_sleeps += 1
