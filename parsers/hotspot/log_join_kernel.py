"""The second step of pass 1: tags of chunk after chunk become rows of the columns. Twin: `PlainLog`."""

from __future__ import annotations

from typing import Any

from parsers.hotspot import columns, tags
from parsers.hotspot.columns import (
    DEOPTIMIZED,
    DEPENDENCY_FAILED,
    IN_FRAGMENT,
    IS_BLOCKING,
    IS_DAMAGED,
    IS_FINISHED,
    IS_NATIVE,
    IS_OK,
    IS_OSR,
    IS_ZOMBIE,
    NO_LEVEL,
    NO_WORD,
    NONE,
    OTHER,
    SAYS_LEVEL,
    THREAD_LOGFILE,
    UNCOMMON_TRAP,
)
from parsers.hotspot.log_chunk import (
    ACTION,
    ATTEMPTS,
    BLOCKING,
    COMPILER,
    DEPENDENCIES,
    ENDS_IN,
    EVENT,
    EVENTS,
    FAILURES,
    FRAGMENT_WORDS,
    HAS_PHASE,
    HAS_THREAD,
    HEADERS,
    IN_TTY,
    IS_NAMED,
    METHOD,
    METHOD_BYTES,
    METHODS,
    NATIVE,
    OK,
    OSR,
    OUTSIDE_WORDS,
    REASON,
    STAMP,
    TAGS,
    TASK,
    TASKS,
    THREAD,
    THREADS,
    TORN,
    TORN_TAGS,
    TTY_AT,
    TTY_END,
    WORD_BYTES,
    WORDS,
    WRITER,
    WRITERS,
    ZOMBIE,
)
from parsers.hotspot.log_chunk import IN_FRAGMENT as FRAGMENT_OPEN
from parsers.hotspot.part import KEPT_FINDINGS
from parsers.index.jit import int64, kernel, part, uint32, uint64
from parsers.index.text_table import number_of

K_TASK, K_TASK_DONE, K_FAILURE, K_FRAGMENT, K_COMPILATION_LOG, K_START, K_TTY, K_TTY_DONE, K_LOG = range(
    tags.TASK, tags.LOG + 1
)
K_WRITER, K_JVMS, UNKNOWN, COMMENT = tags.WRITER, tags.JVMS, tags.UNKNOWN, tags.COMMENT
END_TASK, END_FRAGMENT, END_COMPILATION_LOG, END_TTY, END_TRAP, END_DEOPTIMIZED, END_LOG = range(
    tags.END_TASK, tags.KINDS
)
MOST_WORDS, MOST_METHODS = columns.NO_WORD, columns.NONE
MOST_HEADERS = 8
BRACKET, GREATER, LF, CR = 93, 62, 10, 13
WRITER_MIX = uint64(0xFF51AFD7ED558CCD)


@part
def method_of(chunk: Any, row: int, whole: Any) -> Any:
    """The number of a tag's method; NONE if it has none."""
    length = chunk.text_length[row, METHOD]
    if length == NONE:
        return uint32(NONE)
    state = whole.state
    count = state[METHODS]
    found = number_of(
        whole.method_slots,
        whole.method_starts,
        whole.method_bytes,
        count,
        chunk.data,
        int64(chunk.text_at[row, METHOD]),
        int64(length),
        chunk.text_hash[row, METHOD],
    )
    if found == count:
        state[METHODS] += 1
        state[METHOD_BYTES] += length
    return uint32(found)


@part
def word_of(chunk: Any, row: int, which: int, whole: Any) -> int:
    """The number of a text of a tag as a word; NO_WORD if it has none, or there are too many."""
    length = chunk.text_length[row, which]
    if length == NONE:
        return NO_WORD
    state = whole.state
    count = state[WORDS]
    found = number_of(
        whole.word_slots,
        whole.word_starts,
        whole.word_bytes,
        count,
        chunk.data,
        int64(chunk.text_at[row, which]),
        int64(length),
        chunk.text_hash[row, which],
    )
    if found == count:
        state[WORDS] += 1
        state[WORD_BYTES] += length
    return min(found, NO_WORD)


@part
def writer_of(id: Any, whole: Any) -> Any:
    """The number of a thread among those that wrote events."""
    slots = whole.writer_slots
    mask = uint64(len(slots) - 1)
    place = (id * WRITER_MIX >> uint64(20)) & mask
    while slots[place]:
        number = int64(slots[place]) - 1
        if whole.writer_id[number] == id:
            return uint32(number)
        place = (place + uint64(1)) & mask
    number = whole.state[WRITERS]
    slots[place] = number + 1
    whole.writer_id[number] = id
    whole.writer_events[number] = 0
    whole.state[WRITERS] += 1
    return uint32(number)


@part
def close_task(whole: Any, end: int) -> None:
    """Ends the task that is open, if one is."""
    task = whole.state[TASK]
    if task >= 0:
        whole.task_end[task] = end
        whole.state[TASK] = -1


@part
def add_task(chunk: Any, row: int, whole: Any, start: int) -> None:
    """A `<task`."""
    close_task(whole, start)
    state = whole.state
    task = state[TASKS]
    state[TASKS] += 1
    state[TASK] = task
    found = chunk.flags[row]
    level = chunk.level[row]
    flags = (IS_OSR if found & OSR else 0) | (IS_BLOCKING if found & BLOCKING else 0)
    flags |= (IN_FRAGMENT if state[FRAGMENT_OPEN] else 0) | (IS_DAMAGED if found & TORN else 0)
    flags |= SAYS_LEVEL if level != NO_LEVEL else 0
    none = uint32(NONE)
    whole.task_start[task] = whole.task_end[task] = start
    whole.task_id[task] = chunk.id[row]
    whole.task_method[task] = method_of(chunk, row, whole)
    whole.task_thread[task] = state[THREAD]
    whole.task_begun[task] = chunk.stamp[row]
    whole.task_bci[task] = chunk.bci[row]
    whole.task_done[task] = whole.task_queued[task] = whole.task_nmethod[task] = none
    whole.task_code[task] = whole.task_inlined[task] = none
    whole.task_reason[task] = NO_WORD
    whole.task_level[task] = level
    whole.task_flags[task] = flags
    whole.task_run[task] = 0


@part
def end_task(chunk: Any, row: int, whole: Any) -> None:
    """A `<task_done`."""
    task = whole.state[TASK]
    if task >= 0:
        whole.task_done[task] = chunk.stamp[row]
        whole.task_code[task] = chunk.value[row]
        whole.task_inlined[task] = chunk.bci[row]
        found = chunk.flags[row]
        whole.task_flags[task] |= (IS_OK if found & OK else 0) | (IS_DAMAGED if found & TORN else 0)


@part
def fail(chunk: Any, row: int, whole: Any) -> None:
    """A `<failure`."""
    state = whole.state
    reason = word_of(chunk, row, REASON, whole)
    is_attempt = chunk.flags[row] & HAS_PHASE
    if state[TASK] >= 0 and not is_attempt:
        whole.task_reason[state[TASK]] = reason
    if not state[FRAGMENT_OPEN]:
        whole.counts[ATTEMPTS if is_attempt else FAILURES, reason] += 1


@part
def start_thread(chunk: Any, row: int, whole: Any, start: int) -> None:
    """A `<start_compile_thread`."""
    state = whole.state
    thread = state[THREADS]
    state[THREADS] += 1
    state[THREAD] = thread
    whole.thread_offset[thread] = start
    whole.thread_id[thread] = chunk.thread[row]
    whole.thread_process[thread] = chunk.id[row]
    whole.thread_stamp[thread] = chunk.stamp[row]
    whole.thread_name[thread] = word_of(chunk, row, REASON, whole)
    whole.thread_flags[thread] = IN_FRAGMENT if state[FRAGMENT_OPEN] else 0
    whole.thread_run[thread] = 0


@part
def add_event(chunk: Any, row: int, kind: int, whole: Any, start: int) -> None:
    """An event of the main log."""
    state = whole.state
    if state[FRAGMENT_OPEN]:
        return
    if kind == DEPENDENCY_FAILED and state[TASK] >= 0 and not chunk.flags[row] & IS_NAMED:
        whole.counts[DEPENDENCIES, word_of(chunk, row, REASON, whole)] += 1
        return
    if chunk.stamp[row] != NONE:
        state[STAMP] = chunk.stamp[row]
    found = chunk.flags[row]
    flags = (IS_OSR if found & OSR else 0) | (IS_NATIVE if found & NATIVE else 0)
    flags |= (IS_BLOCKING if found & BLOCKING else 0) | (IS_ZOMBIE if found & ZOMBIE else 0)
    flags |= IS_DAMAGED if found & TORN else 0
    writer = uint32(state[WRITER])
    if found & HAS_THREAD and kind != THREAD_LOGFILE:
        writer = writer_of(chunk.thread[row], whole)
    event = state[EVENTS]
    state[EVENTS] += 1
    whole.event_start[event] = start
    whole.event_end[event] = start + int64(chunk.end[row]) - int64(chunk.start[row])
    whole.event_id[event] = chunk.id[row]
    whole.event_method[event] = method_of(chunk, row, whole)
    whole.event_bci[event] = chunk.bci[row]
    whole.event_stamp[event] = state[STAMP]
    whole.event_thread[event] = writer
    whole.event_value[event] = chunk.value[row]
    whole.event_task[event] = uint32(NONE)
    whole.event_reason[event] = word_of(chunk, row, REASON, whole)
    whole.event_action[event] = word_of(chunk, row, ACTION, whole)
    whole.event_compiler[event] = word_of(chunk, row, COMPILER, whole)
    whole.event_kind[event] = kind
    whole.event_level[event] = chunk.level[row]
    whole.event_flags[event] = flags
    whole.event_run[event] = 0
    state[EVENT] = event if kind in (UNCOMMON_TRAP, DEOPTIMIZED) else -1
    if writer != NONE:
        whole.writer_events[writer] += 1


@part
def add_caller(chunk: Any, row: int, whole: Any, end: int) -> None:
    """A `<jvms`: the first one below an event tells where it happened."""
    event = whole.state[EVENT]
    if event >= 0:
        if whole.event_method[event] == NONE and whole.event_bci[event] == NONE:
            whole.event_method[event] = method_of(chunk, row, whole)
            whole.event_bci[event] = chunk.bci[row]
        whole.event_end[event] = end


@part
def mark_length(data: Any, at: int) -> int:
    """Bytes of the `]]>` before a position, with the line end behind it; 0 if there is none."""
    end = at
    if data[end - 1] == LF:
        end -= 1
    if data[end - 1] == CR:
        end -= 1
    has_mark = data[end - 1] == GREATER and data[end - 2] == BRACKET and data[end - 3] == BRACKET
    return at - end + 3 if has_mark else 0


@part
def structure(chunk: Any, row: int, kind: int, whole: Any, start: int, end: int, base: int) -> None:
    """A tag that is neither an event nor a caller."""
    state = whole.state
    if kind == K_TASK:
        add_task(chunk, row, whole, start)
    elif kind == END_TASK:
        if state[TASK] >= 0:
            whole.task_flags[state[TASK]] |= IS_FINISHED
            close_task(whole, end)
    elif kind == K_TASK_DONE:
        end_task(chunk, row, whole)
    elif kind == K_FAILURE:
        fail(chunk, row, whole)
    elif kind == K_FRAGMENT:
        state[FRAGMENT_OPEN] = 1
    elif kind == END_FRAGMENT:
        close_task(whole, start - mark_length(chunk.data, int64(chunk.start[row])))
        state[FRAGMENT_OPEN] = 0
    elif kind in (K_COMPILATION_LOG, END_COMPILATION_LOG):
        close_task(whole, start)
        state[FRAGMENT_OPEN] = state[IN_TTY] = 0
        state[THREAD] = NONE
    elif kind == K_START:
        start_thread(chunk, row, whole, start)
    elif kind == K_TTY:
        state[IN_TTY] = 1
        if state[TTY_AT] < 0:
            state[TTY_AT] = start - base
    elif kind == END_TTY:
        state[IN_TTY] = 0
        state[TTY_END] = start - base
    elif kind == K_WRITER:
        state[WRITER] = writer_of(chunk.thread[row], whole)
    elif kind == K_LOG and state[HEADERS] < MOST_HEADERS:
        header = state[HEADERS]
        whole.headers[header, 0] = start - base
        whole.headers[header, 1] = chunk.id[row]
        whole.headers[header, 2] = chunk.thread[row]
        state[HEADERS] += 1


@part
def count_tag(chunk: Any, row: int, kind: int, whole: Any, offset: int) -> None:
    """Counts a tag, and notes where it is torn."""
    state = whole.state
    fragment = state[FRAGMENT_OPEN]
    if not fragment or kind in (K_FRAGMENT, COMMENT):
        whole.kinds[kind] += 1
    if state[TASK] < 0 and kind != K_TASK and kind <= UNKNOWN:
        if kind == UNKNOWN:
            whole.counts[FRAGMENT_WORDS if fragment else OUTSIDE_WORDS, word_of(chunk, row, REASON, whole)] += 1
        else:
            whole.outside[1 if fragment else 0, kind] += 1
    if chunk.flags[row] & TORN and chunk.start[row] != chunk.facts[ENDS_IN]:
        if state[TORN_TAGS] < KEPT_FINDINGS:
            whole.torn_at[state[TORN_TAGS]] = offset
            whole.torn_kind[state[TORN_TAGS]] = kind
        state[TORN_TAGS] += 1


@kernel
def join_log(chunk: Any, whole: Any, place: int, base: int) -> None:
    """Makes rows of the tags of a chunk, which follows the last one that was joined.

    chunk  `Chunk` as `parse_log` left it
    whole  `Whole`, with room for one row and text more in each table for each of its tags
    place  run offset of the start of the chunk's `data`; base: of its file
    """
    state = whole.state
    for row in range(chunk.facts[TAGS]):
        kind = int64(chunk.kind[row])
        start, end = place + int64(chunk.start[row]), place + int64(chunk.end[row])
        if kind in (K_FRAGMENT, K_COMPILATION_LOG):
            close_task(whole, start)
        count_tag(chunk, row, kind, whole, start - base)
        if kind == K_JVMS:
            add_caller(chunk, row, whole, end)
        elif kind < OTHER:
            add_event(chunk, row, kind, whole, start)
        elif kind == UNKNOWN:
            if state[IN_TTY] and state[TASK] < 0 and not state[FRAGMENT_OPEN]:
                add_event(chunk, row, OTHER, whole, start)
        elif kind in (END_TRAP, END_DEOPTIMIZED):
            if state[EVENT] >= 0:
                whole.event_end[state[EVENT]] = end
            state[EVENT] = -1
        elif kind != COMMENT:
            structure(chunk, row, kind, whole, start, end, base)
            state[EVENT] = -1
