"""The second step of pass 1: makes rows of tasks, events and threads from the tags of each chunk. Twin: `PlainLog`.

A row is made when it is complete: a task's when it ends, an event's when the next one begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.log.columns import (
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
    EventKind,
)
from parsers.formats.hotspot.log.part import KEPT_PROBLEMS
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.chunk import (
    ACTION,
    BLOCKING,
    COMPILER,
    DEPENDENCIES,
    ELEMENTS,
    FRAGMENT_ELEMENTS,
    FRAGMENT_WORDS,
    HAS_PHASE,
    HAS_THREAD,
    IS_NAMED,
    METHOD,
    NATIVE,
    OK,
    OSR,
    OUTSIDE_FRAGMENTS,
    OUTSIDE_WORDS,
    REASON,
    TASK,
    TORN,
    ZOMBIE,
)
from parsers.kernels.decorators import apart, int64, kernel, part
from parsers.kernels.id_table import number_of_key
from parsers.kernels.text_table import number_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.chunk import LogChunk, RunState
    from parsers.index.kernel_texts import TextSlots
    from parsers.model.arrays import U8Array, U32Array, U64Array

NEW_TASK = np.full(1, NONE, TASK)
"""A task of which nothing is known."""
NEW_TASK["reason"], NEW_TASK["run"] = NO_WORD, 0
MOST_HEADERS = 8
BRACKET, GREATER, LF, CR = 93, 62, 10, 13


@apart
def number_of_text(data: U8Array, text: Any, table: TextSlots, count: int, none: int) -> int:
    """Returns the number of a tag's text in a table of `count` texts, which is `count` if it is new.

    none  returned if the tag has no such text, or there are that many
    """
    length = int64(text.length)
    if length == NONE:
        return none
    start = int64(text.start)
    return number_of(table.slots, table.starts, table.blob, count, data, start, length, text.hash, none)


@part
def method_of(chunk: LogChunk, row: int, state: Any, methods: TextSlots) -> int:
    """Returns the number of a tag's method; NONE if it has none."""
    text = chunk.texts[row, METHOD]
    found: int = number_of_text(chunk.data, text, methods, state.methods, NONE)
    if found == state.methods and found < NONE:
        state.methods += 1
        state.method_bytes += int64(text.length)
    return found


@part
def word_of(chunk: LogChunk, row: int, which: int, state: Any, words: TextSlots) -> int:
    """Returns the number of a text of a tag as a word; NO_WORD if it has none."""
    text = chunk.texts[row, which]
    found: int = number_of_text(chunk.data, text, words, state.words, NO_WORD)
    if found == state.words and found < NO_WORD:
        state.words += 1
        state.word_bytes += int64(text.length)
    return found


@apart
def writer_of(id: int, slots: U32Array, ids: U64Array, events: U32Array, state: Any) -> int:
    """Returns the number of a thread among those that wrote events."""
    found: int = number_of_key(slots, ids, id, state.writers)
    if found == state.writers:
        events[found] = 0
        state.writers += 1
    return found


@part
def close_task(chunk: LogChunk, whole: RunState, end: int) -> None:
    """Makes the row of the open task, if there is one."""
    state, facts = whole.state[0], chunk.facts[0]
    if state.has_task:
        whole.open_task[0].end = end
        chunk.tasks[facts.new_tasks] = whole.open_task[0]
        facts.new_tasks += 1
        state.has_task = 0


@part
def close_event(chunk: LogChunk, whole: RunState) -> None:
    """Makes the row of the last event, which is complete."""
    state, facts = whole.state[0], chunk.facts[0]
    if state.has_event:
        chunk.events[facts.new_events] = whole.open_event[0]
        facts.new_events += 1
        state.has_event = 0


@part
def add_task(chunk: LogChunk, row: int, whole: RunState, methods: TextSlots, start: int) -> None:
    """Handles a `<task`."""
    state, tag, task = whole.state[0], chunk.tags[row], whole.open_task[0]
    close_task(chunk, whole, start)
    state.has_task = 1
    found, level = tag.flags, tag.level
    flags = (IS_OSR if found & OSR else 0) | (IS_BLOCKING if found & BLOCKING else 0)
    flags |= (IN_FRAGMENT if state.in_fragment else 0) | (IS_DAMAGED if found & TORN else 0)
    flags |= HAS_LEVEL if level != NO_LEVEL else 0
    whole.open_task[0] = NEW_TASK[0]
    task.start = start
    task.id = tag.id
    task.method = method_of(chunk, row, state, methods)
    task.thread = state.thread
    task.begun = tag.stamp
    task.bci = tag.bci
    task.level = level
    task.flags = flags


@part
def end_task(tag: Any, task: Any) -> None:
    """Handles a `<task_done` of the open task."""
    task.done = tag.stamp
    task.code = tag.value
    task.inlined = tag.bci
    task.flags |= (IS_OK if tag.flags & OK else 0) | (IS_DAMAGED if tag.flags & TORN else 0)


@part
def fail(chunk: LogChunk, row: int, whole: RunState, words: TextSlots) -> None:
    """Handles a `<failure`."""
    state = whole.state[0]
    reason = word_of(chunk, row, REASON, state, words)
    if state.has_task and not chunk.tags[row].flags & HAS_PHASE:
        whole.open_task[0].reason = reason
    if state.has_task and chunk.tags[row].flags & TORN:
        whole.open_task[0].flags |= IS_DAMAGED


@part
def start_thread(chunk: LogChunk, row: int, state: Any, words: TextSlots, start: int) -> None:
    """Handles a `<start_compile_thread`."""
    state.thread = state.threads
    state.threads += 1
    facts, tag = chunk.facts[0], chunk.tags[row]
    thread = chunk.threads[facts.new_threads]
    facts.new_threads += 1
    thread.offset = start
    thread.id = int64(tag.who)
    thread.process = tag.id
    thread.stamp = tag.stamp
    thread.name = word_of(chunk, row, REASON, state, words)
    thread.flags = (IN_FRAGMENT if state.in_fragment else 0) | (IS_DAMAGED if tag.flags & TORN else 0)
    thread.run = 0


@apart
def add_event(
    chunk: LogChunk, row: int, kind: int, whole: RunState, methods: TextSlots, words: TextSlots, start: int
) -> None:
    """Handles an event of the main log."""
    state, tag, event = whole.state[0], chunk.tags[row], whole.open_event[0]
    found = tag.flags
    if state.in_fragment:
        return
    if kind == EventKind.DEPENDENCY_FAILED and state.has_task and not found & IS_NAMED:
        whole.counts[DEPENDENCIES, word_of(chunk, row, REASON, state, words)] += 1
        return
    close_event(chunk, whole)
    state.has_event = 1
    stamp = int64(tag.stamp)
    if stamp != NONE:
        state.stamp = stamp
    elif not found & TORN:
        stamp = state.stamp
    flags = (IS_OSR if found & OSR else 0) | (IS_NATIVE if found & NATIVE else 0)
    flags |= (IS_BLOCKING if found & BLOCKING else 0) | (IS_ZOMBIE if found & ZOMBIE else 0)
    flags |= IS_DAMAGED if found & TORN else 0
    writer = state.writer
    if found & HAS_THREAD and kind != EventKind.THREAD_LOGFILE:
        writer = writer_of(tag.who, whole.writer_slots, whole.writer_id, whole.writer_events, state)
    event.start = start
    event.end = start + int64(tag.end) - int64(tag.start)
    event.id = tag.id
    event.method = method_of(chunk, row, state, methods)
    event.bci = tag.bci
    event.stamp = stamp
    event.thread = writer
    event.value = tag.value
    event.task = NONE
    event.reason = word_of(chunk, row, REASON, state, words)
    event.action = word_of(chunk, row, ACTION, state, words)
    event.compiler = word_of(chunk, row, COMPILER, state, words)
    event.kind = kind
    event.level = tag.level
    event.flags = flags
    event.run = 0
    state.is_called = kind in (EventKind.UNCOMMON_TRAP, EventKind.DEOPTIMIZED)
    if writer != NONE:
        whole.writer_events[writer] += 1


@part
def add_caller(chunk: LogChunk, row: int, whole: RunState, methods: TextSlots, end: int) -> None:
    """Handles a `<jvms`: the first one below an event is the place where it happened."""
    event = whole.open_event[0]
    if event.method == NONE and event.bci == NONE:
        event.method = method_of(chunk, row, whole.state[0], methods)
        event.bci = chunk.tags[row].bci
    event.flags |= IS_DAMAGED if chunk.tags[row].flags & TORN else 0
    event.end = end


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
    header = whole.state[0].headers
    if header < MOST_HEADERS:
        whole.headers[header].offset = offset
        whole.headers[header].process = process
        whole.headers[header].time_ms = time
        whole.state[0].headers += 1


@part
def structure(
    chunk: LogChunk, row: int, kind: int, whole: RunState, methods: TextSlots, words: TextSlots, start: int,
    end: int, base: int,
) -> None:  # fmt: skip
    """Handles a tag that is neither an event nor a caller."""
    state = whole.state[0]
    if kind == tags.TASK:
        add_task(chunk, row, whole, methods, start)
    elif kind == tags.END_TASK:
        if state.has_task:
            whole.open_task[0].flags |= IS_FINISHED
            close_task(chunk, whole, end)
    elif kind == tags.TASK_DONE:
        if state.has_task:
            end_task(chunk.tags[row], whole.open_task[0])
    elif kind == tags.FAILURE:
        fail(chunk, row, whole, words)
    elif kind == tags.FRAGMENT:
        state.in_fragment = 1
    elif kind == tags.END_FRAGMENT:
        mark = mark_length(chunk.data, int64(chunk.tags[row].start))
        close_task(chunk, whole, start - mark)
        state.in_fragment = 0
    elif kind in (tags.COMPILATION_LOG, tags.END_COMPILATION_LOG):
        close_task(chunk, whole, start)
        state.in_fragment = state.in_tty = 0
        state.thread = NONE
    elif kind == tags.START:
        start_thread(chunk, row, state, words, start)
    elif kind == tags.TTY:
        state.in_tty = 1
        if state.tty_at < 0:
            state.tty_at = start - base
    elif kind == tags.END_TTY:
        state.in_tty = 0
        state.tty_end = start - base
    elif kind == tags.WRITER:
        id = chunk.tags[row].who
        state.writer = writer_of(id, whole.writer_slots, whole.writer_id, whole.writer_events, state)
    elif kind == tags.LOG:
        add_header(whole, start - base, int64(chunk.tags[row].id), chunk.tags[row].who)


@part
def count_tag(chunk: LogChunk, row: int, kind: int, whole: RunState, words: TextSlots, offset: int) -> None:
    """Counts a tag, and stores where it is torn."""
    state, tag = whole.state[0], chunk.tags[row]
    fragment = state.in_fragment
    if not fragment or kind in (tags.FRAGMENT, tags.COMMENT):
        whole.kinds[OUTSIDE_FRAGMENTS, kind] += 1
    if not state.has_task and kind != tags.TASK and kind <= tags.UNKNOWN:
        if kind == tags.UNKNOWN:
            word = word_of(chunk, row, REASON, state, words)
            whole.counts[FRAGMENT_WORDS if fragment else OUTSIDE_WORDS, word] += 1
        else:
            whole.kinds[FRAGMENT_ELEMENTS if fragment else ELEMENTS, kind] += 1
    if tag.flags & TORN and tag.start != chunk.facts[0].ends_in:
        if state.torn_tags < KEPT_PROBLEMS:
            whole.torn[state.torn_tags].offset = offset
            whole.torn[state.torn_tags].kind = kind
        state.torn_tags += 1


@kernel
def join_log(
    chunk: LogChunk, whole: RunState, methods: TextSlots, words: TextSlots, place: int, base: int,
    end_of_file: int,
) -> None:  # fmt: skip
    """Makes rows of the tags of a chunk, which follows the last one that was joined.

    chunk        `LogChunk` as `parse_log` left it; its rows are filled
    whole        `RunState`; methods, words: `TextSlots`, with capacity for one more text for each of a tag
    place        run offset of the start of the chunk's `data`; base: of its file
    end_of_file  run offset of the end of its file if it ends with the chunk, else -1
    """
    state, facts = whole.state[0], chunk.facts[0]
    facts.new_tasks = facts.new_events = facts.new_threads = 0
    for row in range(facts.tags):
        kind = int64(chunk.tags[row].kind)
        start, end = place + int64(chunk.tags[row].start), place + int64(chunk.tags[row].end)
        if kind in (tags.FRAGMENT, tags.COMPILATION_LOG):
            close_task(chunk, whole, start)
        count_tag(chunk, row, kind, whole, words, start - base)
        if kind == tags.JVMS:
            if state.is_called:
                add_caller(chunk, row, whole, methods, end)
        elif kind < EventKind.OTHER:
            add_event(chunk, row, kind, whole, methods, words, start)
        elif kind == tags.UNKNOWN:
            if state.in_tty and not state.has_task and not state.in_fragment:
                add_event(chunk, row, EventKind.OTHER, whole, methods, words, start)
        elif kind in (tags.END_TRAP, tags.END_DEOPTIMIZED):
            if state.is_called:
                whole.open_event[0].end = end
            state.is_called = 0
        elif kind != tags.COMMENT:
            structure(chunk, row, kind, whole, methods, words, start, end, base)
            state.is_called = 0
    if end_of_file >= 0:
        close_task(chunk, whole, end_of_file)
        close_event(chunk, whole)
        state.is_called = 0
