"""Kernels that join the wait states of threads. Twin: `join.plain.states`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.join.kernels.ids import find, minus, plus
from parsers.formats.tptp.schema.columns import CLASS_ENTITY, FOR_LOCK, FOR_OBJECT, NEVER, NOWHERE
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
from parsers.kernels.decorators import int64, part, uint64
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import TraceBuffers


@part
def open_state(buffers: TraceBuffers, thread: int, is_lock: bool) -> int:
    """Returns the open state of a thread: waiting for a lock, or the other kind; NONE if there is none."""
    return int64(buffers.threads[thread].lock) if is_lock else int64(buffers.threads[thread].waiting)


@part
def set_open(buffers: TraceBuffers, thread: int, is_lock: bool, row: int) -> None:
    """Sets the open state of a thread."""
    if is_lock:
        buffers.threads[thread].lock = row
    else:
        buffers.threads[thread].waiting = row


@part
def begin_state(
    buffers: TraceBuffers, kind: int, thread: int, monitor: int, owner: int, time: int, offset: int, timeout: int
) -> None:
    """Handles monContendedEnter and monWait. monitor: encoded as in `columns.OBJECT_ENTITY`"""
    before = open_state(buffers, thread, kind == FOR_LOCK)
    if before != NONE:
        # It must have ended before this one began.
        buffers.states[before].end = time
    row = buffers.state[0].states
    buffers.states[row].start = time
    buffers.states[row].end = NEVER
    buffers.states[row].offset = offset
    buffers.states[row].end_offset = uint64(NOWHERE)
    buffers.states[row].timeout = timeout
    buffers.states[row].waited = NEVER
    buffers.states[row].thread = thread
    buffers.states[row].monitor = monitor
    buffers.states[row].owner = owner
    buffers.states[row].class_row = buffers.objects[monitor].class_row if monitor < CLASS_ENTITY else NONE
    buffers.states[row].kind = kind
    set_open(buffers, thread, kind == FOR_LOCK, row)
    buffers.state[0].states = row + 1


@part
def end_state(buffers: TraceBuffers, is_lock: bool, thread: int, time: int, offset: int, waited: int) -> None:
    """Handles monContendedEntered and monWaited."""
    row = open_state(buffers, thread, is_lock)
    if row == NONE:
        buffers.counts[SessionCounter.ENTERED_ALONE if is_lock else SessionCounter.WAITED_ALONE] += 1
        find(buffers, FindingKind.ENTERED_WITHOUT_ENTER if is_lock else FindingKind.WAITED_WITHOUT_WAIT, offset, 0)
        return
    set_open(buffers, thread, is_lock, NONE)
    buffers.states[row].end = time
    buffers.states[row].end_offset = offset
    buffers.states[row].waited = waited
    start = buffers.states[row].start
    kind = int64(buffers.states[row].kind)
    duration = int64(0)
    if start != NEVER and time != NEVER:
        duration = minus(time, start)
    if duration < 0:
        buffers.counts[SessionCounter.NEGATIVE_BLOCK if is_lock else SessionCounter.NEGATIVE_WAIT] += 1
        find(buffers, FindingKind.ENDS_BEFORE_IT_BEGINS, offset, duration)
    if kind == FOR_LOCK:
        buffers.threads[thread].blocked = plus(buffers.threads[thread].blocked, duration)
        buffers.threads[thread].blocks += 1
        buffers.threads[thread].longest_block = max(buffers.threads[thread].longest_block, duration)
    elif kind == FOR_OBJECT:
        buffers.threads[thread].waited = plus(buffers.threads[thread].waited, duration)
        buffers.threads[thread].waits += 1
    else:
        buffers.threads[thread].slept = plus(buffers.threads[thread].slept, duration)
        buffers.threads[thread].sleeps += 1
