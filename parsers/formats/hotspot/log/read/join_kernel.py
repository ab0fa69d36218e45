"""The second step of pass 1: makes rows of tasks, events and threads from the tags of each chunk. Twin: `PlainLog`.

A row is made when it is complete: a task's when it ends, an event's when the next one begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hotspot.log import columns
from parsers.formats.hotspot.log.columns import (
    DEOPTIMIZED,
    DEPENDENCY_FAILED,
    HAS_LEVEL,
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
    THREAD_LOGFILE,
    UNCOMMON_TRAP,
)
from parsers.formats.hotspot.log.part import KEPT_FINDINGS
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.chunk import (
    ACTION,
    ATTEMPTS,
    BCI,
    BLOCKING,
    COMPILER,
    DEPENDENCIES,
    ELEMENTS,
    END,
    ENDS_IN,
    FAILURES,
    FLAGS,
    FRAGMENT_ELEMENTS,
    FRAGMENT_WORDS,
    HAS_EVENT,
    HAS_PHASE,
    HAS_TASK,
    HAS_THREAD,
    HASH,
    HEADERS,
    ID,
    IN_TTY,
    IS_CALLED,
    IS_NAMED,
    KIND,
    LEVEL,
    METHOD,
    METHOD_BYTES,
    METHODS,
    NATIVE,
    NEW_EVENTS,
    NEW_TASKS,
    NEW_THREADS,
    OK,
    OSR,
    OUTSIDE_FRAGMENTS,
    OUTSIDE_WORDS,
    REASON,
    STAMP,
    STAMP_OF,
    START,
    TAGS,
    TEXT_AT,
    TEXT_LENGTH,
    THREAD,
    THREADS,
    TORN,
    TORN_TAGS,
    TTY_AT,
    TTY_END,
    VALUE,
    WHO,
    WORD_BYTES,
    WORDS,
    WRITER,
    WRITERS,
    ZOMBIE,
)
from parsers.formats.hotspot.log.read.chunk import IN_FRAGMENT as FRAGMENT_OPEN
from parsers.kernels.decorators import apart, int64, kernel, part
from parsers.kernels.id_table import number_of_key
from parsers.kernels.text_table import number_of

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.chunk import LogChunk, LogTextTable, RunState
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

K_TASK, K_TASK_DONE, K_FAILURE, K_FRAGMENT, K_COMPILATION_LOG, K_START, K_TTY, K_TTY_DONE, K_LOG = range(
    tags.TASK, tags.LOG + 1
)
K_WRITER, K_JVMS, UNKNOWN, COMMENT = tags.WRITER, tags.JVMS, tags.UNKNOWN, tags.COMMENT
END_TASK, END_FRAGMENT, END_COMPILATION_LOG, END_TTY, END_TRAP, END_DEOPTIMIZED, END_LOG = range(
    tags.END_TASK, tags.KINDS
)
(
    T_START,
    T_END,
    T_ID,
    T_METHOD,
    T_THREAD,
    T_BEGUN,
    T_DONE,
    T_QUEUED,
    T_NMETHOD,
    T_CODE,
    T_INLINED,
    T_BCI,
    T_REASON,
    T_LEVEL,
    T_FLAGS,
    T_RUN,
) = range(len(columns.TASKS))
(THREAD_OFFSET, THREAD_ID, THREAD_PROCESS, THREAD_STAMP, THREAD_NAME, THREAD_FLAGS, THREAD_RUN) = range(
    len(columns.THREADS)
)
(
    E_START,
    E_END,
    E_ID,
    E_METHOD,
    E_BCI,
    E_STAMP,
    E_THREAD,
    E_VALUE,
    E_TASK,
    E_REASON,
    E_ACTION,
    E_COMPILER,
    E_KIND,
    E_LEVEL,
    E_FLAGS,
    E_RUN,
) = range(len(columns.EVENTS))
MOST_HEADERS = 8
BRACKET, GREATER, LF, CR = 93, 62, 10, 13


@apart
def noted(table: LogTextTable, count: int, data: U8Array, start: int, length: int, hash: int, most: int) -> int:
    """Returns the number of a text; `count` if it is new. A table has at most `most` texts."""
    return number_of(table.slots, table.starts, table.blob, count, data, start, length, hash, most)


@apart
def number_of_text(
    data: U8Array, number: U32Array, long: U64Array, row: int, which: int, table: LogTextTable, state: I64Array,
    counts: int, none: int,
) -> int:  # fmt: skip
    """Returns the number of a tag's text in a table; `none` if it has none, or there are too many.

    counts  index in `state` of the number of texts; two further on that of their bytes
    """
    length = int64(number[row, TEXT_LENGTH + which])
    if length == NONE:
        return none
    count = state[counts]
    start = int64(number[row, TEXT_AT + which])
    found = noted(table, count, data, start, length, long[row, HASH + which], none)
    if found == count < none:
        state[counts] += 1
        state[METHOD_BYTES if counts == METHODS else WORD_BYTES] += length
    return found


@part
def method_of(chunk: LogChunk, row: int, state: I64Array, methods: LogTextTable) -> int:
    """Returns the number of a tag's method; NONE if it has none."""
    found: int = number_of_text(chunk.data, chunk.number, chunk.long, row, METHOD, methods, state, METHODS, NONE)
    return found


@part
def word_of(chunk: LogChunk, row: int, which: int, state: I64Array, words: LogTextTable) -> int:
    """Returns the number of a text of a tag as a word; NO_WORD if it has none."""
    found: int = number_of_text(chunk.data, chunk.number, chunk.long, row, which, words, state, WORDS, NO_WORD)
    return found


@apart
def writer_of(id: int, slots: U32Array, ids: U64Array, events: U32Array, state: I64Array) -> int:
    """Returns the number of a thread among those that wrote events."""
    found: int = number_of_key(slots, ids, id, state[WRITERS])
    if found == state[WRITERS]:
        events[found] = 0
        state[WRITERS] += 1
    return found


@apart
def close_task(state: I64Array, task: I64Array, rows: I64Array, facts: I64Array, end: int) -> None:
    """Makes the row of the open task, if there is one."""
    if state[HAS_TASK]:
        task[T_END] = end
        for column in range(len(task)):
            rows[facts[NEW_TASKS], column] = task[column]
        facts[NEW_TASKS] += 1
        state[HAS_TASK] = 0


@apart
def close_event(state: I64Array, event: I64Array, rows: I64Array, facts: I64Array) -> None:
    """Makes the row of the last event, which is complete."""
    if state[HAS_EVENT]:
        for column in range(len(event)):
            rows[facts[NEW_EVENTS], column] = event[column]
        facts[NEW_EVENTS] += 1
        state[HAS_EVENT] = 0


@part
def add_task(chunk: LogChunk, row: int, whole: RunState, methods: LogTextTable, start: int) -> None:
    """Handles a `<task`."""
    state, number, task = whole.state, chunk.number, whole.open_task
    close_task(state, task, chunk.tasks, chunk.facts, start)
    state[HAS_TASK] = 1
    found, level = number[row, FLAGS], number[row, LEVEL]
    flags = (IS_OSR if found & OSR else 0) | (IS_BLOCKING if found & BLOCKING else 0)
    flags |= (IN_FRAGMENT if state[FRAGMENT_OPEN] else 0) | (IS_DAMAGED if found & TORN else 0)
    flags |= HAS_LEVEL if level != NO_LEVEL else 0
    for column in range(len(task)):
        task[column] = NONE
    task[T_START] = start
    task[T_ID] = number[row, ID]
    task[T_METHOD] = method_of(chunk, row, state, methods)
    task[T_THREAD] = state[THREAD]
    task[T_BEGUN] = number[row, STAMP_OF]
    task[T_BCI] = number[row, BCI]
    task[T_REASON] = NO_WORD
    task[T_LEVEL] = level
    task[T_FLAGS] = flags
    task[T_RUN] = 0


@part
def end_task(number: U32Array, row: int, task: I64Array) -> None:
    """Handles a `<task_done` of the open task."""
    found = number[row, FLAGS]
    task[T_DONE] = number[row, STAMP_OF]
    task[T_CODE] = number[row, VALUE]
    task[T_INLINED] = number[row, BCI]
    task[T_FLAGS] |= (IS_OK if found & OK else 0) | (IS_DAMAGED if found & TORN else 0)


@part
def fail(chunk: LogChunk, row: int, whole: RunState, words: LogTextTable) -> None:
    """Handles a `<failure`."""
    state = whole.state
    reason = word_of(chunk, row, REASON, state, words)
    is_attempt = chunk.number[row, FLAGS] & HAS_PHASE
    if state[HAS_TASK] and not is_attempt:
        whole.open_task[T_REASON] = reason
    if state[HAS_TASK] and chunk.number[row, FLAGS] & TORN:
        whole.open_task[T_FLAGS] |= IS_DAMAGED
    if not state[FRAGMENT_OPEN]:
        whole.counts[ATTEMPTS if is_attempt else FAILURES, reason] += 1


@part
def start_thread(chunk: LogChunk, row: int, state: I64Array, words: LogTextTable, start: int) -> None:
    """Handles a `<start_compile_thread`."""
    state[THREAD] = state[THREADS]
    state[THREADS] += 1
    thread, number = chunk.facts[NEW_THREADS], chunk.number
    chunk.facts[NEW_THREADS] += 1
    chunk.threads[thread, THREAD_OFFSET] = start
    chunk.threads[thread, THREAD_ID] = int64(chunk.long[row, WHO])
    chunk.threads[thread, THREAD_PROCESS] = number[row, ID]
    chunk.threads[thread, THREAD_STAMP] = number[row, STAMP_OF]
    chunk.threads[thread, THREAD_NAME] = word_of(chunk, row, REASON, state, words)
    flags = (IN_FRAGMENT if state[FRAGMENT_OPEN] else 0) | (IS_DAMAGED if number[row, FLAGS] & TORN else 0)
    chunk.threads[thread, THREAD_FLAGS] = flags
    chunk.threads[thread, THREAD_RUN] = 0


@apart
def add_event(
    chunk: LogChunk, row: int, kind: int, whole: RunState, methods: LogTextTable, words: LogTextTable, start: int
) -> None:
    """Handles an event of the main log."""
    state, number, event = whole.state, chunk.number, whole.open_event
    found = number[row, FLAGS]
    if state[FRAGMENT_OPEN]:
        return
    if kind == DEPENDENCY_FAILED and state[HAS_TASK] and not found & IS_NAMED:
        whole.counts[DEPENDENCIES, word_of(chunk, row, REASON, state, words)] += 1
        return
    close_event(state, event, chunk.events, chunk.facts)
    state[HAS_EVENT] = 1
    stamp = int64(number[row, STAMP_OF])
    if stamp != NONE:
        state[STAMP] = stamp
    elif not found & TORN:
        stamp = state[STAMP]
    flags = (IS_OSR if found & OSR else 0) | (IS_NATIVE if found & NATIVE else 0)
    flags |= (IS_BLOCKING if found & BLOCKING else 0) | (IS_ZOMBIE if found & ZOMBIE else 0)
    flags |= IS_DAMAGED if found & TORN else 0
    writer = state[WRITER]
    if found & HAS_THREAD and kind != THREAD_LOGFILE:
        writer = writer_of(chunk.long[row, WHO], whole.writer_slots, whole.writer_id, whole.writer_events, state)
    event[E_START] = start
    event[E_END] = start + int64(number[row, END]) - int64(number[row, START])
    event[E_ID] = number[row, ID]
    event[E_METHOD] = method_of(chunk, row, state, methods)
    event[E_BCI] = number[row, BCI]
    event[E_STAMP] = stamp
    event[E_THREAD] = writer
    event[E_VALUE] = number[row, VALUE]
    event[E_TASK] = NONE
    event[E_REASON] = word_of(chunk, row, REASON, state, words)
    event[E_ACTION] = word_of(chunk, row, ACTION, state, words)
    event[E_COMPILER] = word_of(chunk, row, COMPILER, state, words)
    event[E_KIND] = kind
    event[E_LEVEL] = number[row, LEVEL]
    event[E_FLAGS] = flags
    event[E_RUN] = 0
    state[IS_CALLED] = kind in (UNCOMMON_TRAP, DEOPTIMIZED)
    if writer != NONE:
        whole.writer_events[writer] += 1


@part
def add_caller(chunk: LogChunk, row: int, whole: RunState, methods: LogTextTable, end: int) -> None:
    """Handles a `<jvms`: the first one below an event is the place where it happened."""
    event = whole.open_event
    if event[E_METHOD] == NONE and event[E_BCI] == NONE:
        event[E_METHOD] = method_of(chunk, row, whole.state, methods)
        event[E_BCI] = chunk.number[row, BCI]
    event[E_FLAGS] |= IS_DAMAGED if chunk.number[row, FLAGS] & TORN else 0
    event[E_END] = end


@part
def mark_length(data: U8Array, at: int) -> int:
    """Returns the length of the `]]>` before a position, with the line end behind it; 0 if there is none."""
    end = at
    if data[end - 1] == LF:
        end -= 1
    if data[end - 1] == CR:
        end -= 1
    has_mark = data[end - 1] == GREATER and data[end - 2] == BRACKET and data[end - 3] == BRACKET
    return at - end + 3 if has_mark else 0


@part
def add_header(whole: RunState, offset: int, process: int, time: int) -> None:
    """Stores a `<hotspot_log`."""
    header = whole.state[HEADERS]
    if header < MOST_HEADERS:
        whole.headers[header].offset = offset
        whole.headers[header].process = process
        whole.headers[header].time_ms = time
        whole.state[HEADERS] += 1


@part
def structure(
    chunk: LogChunk, row: int, kind: int, whole: RunState, methods: LogTextTable, words: LogTextTable, start: int,
    end: int, base: int,
) -> None:  # fmt: skip
    """Handles a tag that is neither an event nor a caller."""
    state = whole.state
    if kind == K_TASK:
        add_task(chunk, row, whole, methods, start)
    elif kind == END_TASK:
        if state[HAS_TASK]:
            whole.open_task[T_FLAGS] |= IS_FINISHED
            close_task(state, whole.open_task, chunk.tasks, chunk.facts, end)
    elif kind == K_TASK_DONE:
        if state[HAS_TASK]:
            end_task(chunk.number, row, whole.open_task)
    elif kind == K_FAILURE:
        fail(chunk, row, whole, words)
    elif kind == K_FRAGMENT:
        state[FRAGMENT_OPEN] = 1
    elif kind == END_FRAGMENT:
        mark = mark_length(chunk.data, int64(chunk.number[row, START]))
        close_task(state, whole.open_task, chunk.tasks, chunk.facts, start - mark)
        state[FRAGMENT_OPEN] = 0
    elif kind in (K_COMPILATION_LOG, END_COMPILATION_LOG):
        close_task(state, whole.open_task, chunk.tasks, chunk.facts, start)
        state[FRAGMENT_OPEN] = state[IN_TTY] = 0
        state[THREAD] = NONE
    elif kind == K_START:
        start_thread(chunk, row, state, words, start)
    elif kind == K_TTY:
        state[IN_TTY] = 1
        if state[TTY_AT] < 0:
            state[TTY_AT] = start - base
    elif kind == END_TTY:
        state[IN_TTY] = 0
        state[TTY_END] = start - base
    elif kind == K_WRITER:
        id = chunk.long[row, WHO]
        state[WRITER] = writer_of(id, whole.writer_slots, whole.writer_id, whole.writer_events, state)
    elif kind == K_LOG:
        add_header(whole, start - base, int64(chunk.number[row, ID]), chunk.long[row, WHO])


@part
def count_tag(chunk: LogChunk, row: int, kind: int, whole: RunState, words: LogTextTable, offset: int) -> None:
    """Counts a tag, and stores where it is torn."""
    state, number = whole.state, chunk.number
    fragment = state[FRAGMENT_OPEN]
    if not fragment or kind in (K_FRAGMENT, COMMENT):
        whole.kinds[OUTSIDE_FRAGMENTS, kind] += 1
    if not state[HAS_TASK] and kind != K_TASK and kind <= UNKNOWN:
        if kind == UNKNOWN:
            word = word_of(chunk, row, REASON, state, words)
            whole.counts[FRAGMENT_WORDS if fragment else OUTSIDE_WORDS, word] += 1
        else:
            whole.kinds[FRAGMENT_ELEMENTS if fragment else ELEMENTS, kind] += 1
    if number[row, FLAGS] & TORN and number[row, START] != chunk.facts[ENDS_IN]:
        if state[TORN_TAGS] < KEPT_FINDINGS:
            whole.torn[state[TORN_TAGS]].offset = offset
            whole.torn[state[TORN_TAGS]].kind = kind
        state[TORN_TAGS] += 1


@kernel
def join_log(
    chunk: LogChunk, whole: RunState, methods: LogTextTable, words: LogTextTable, place: int, base: int,
    end_of_file: int,
) -> None:  # fmt: skip
    """Makes rows of the tags of a chunk, which follows the last one that was joined.

    chunk        `Chunk` as `parse_log` left it; its rows are filled
    whole        `Whole`; methods, words: `Table`, with capacity for one more text for each that a tag may have
    place        run offset of the start of the chunk's `data`; base: of its file
    end_of_file  run offset of the end of its file if it ends with the chunk, else -1
    """
    state, facts = whole.state, chunk.facts
    facts[NEW_TASKS] = facts[NEW_EVENTS] = facts[NEW_THREADS] = 0
    for row in range(facts[TAGS]):
        kind = int64(chunk.number[row, KIND])
        start, end = place + int64(chunk.number[row, START]), place + int64(chunk.number[row, END])
        if kind in (K_FRAGMENT, K_COMPILATION_LOG):
            close_task(state, whole.open_task, chunk.tasks, facts, start)
        count_tag(chunk, row, kind, whole, words, start - base)
        if kind == K_JVMS:
            if state[IS_CALLED]:
                add_caller(chunk, row, whole, methods, end)
        elif kind < OTHER:
            add_event(chunk, row, kind, whole, methods, words, start)
        elif kind == UNKNOWN:
            if state[IN_TTY] and not state[HAS_TASK] and not state[FRAGMENT_OPEN]:
                add_event(chunk, row, OTHER, whole, methods, words, start)
        elif kind in (END_TRAP, END_DEOPTIMIZED):
            if state[IS_CALLED]:
                whole.open_event[E_END] = end
            state[IS_CALLED] = 0
        elif kind != COMMENT:
            structure(chunk, row, kind, whole, methods, words, start, end, base)
            state[IS_CALLED] = 0
    if end_of_file >= 0:
        close_task(state, whole.open_task, chunk.tasks, facts, end_of_file)
        close_event(state, whole.open_event, chunk.events, facts)
        state[IS_CALLED] = 0
