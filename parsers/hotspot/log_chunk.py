"""What is kept of a piece of a log between the kernels that read it: plain arrays, and the places in them.

A *chunk* is a range of bytes of one file. It owns the tags that begin in it. Two threads take chunks in turn; each has
one `Chunk` that it fills again and again. `Whole` is the run: its columns, texts and where reading stands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.hotspot import tags
from parsers.hotspot.columns import COLUMNS
from parsers.hotspot.part import KEPT_FINDINGS, LINE_BLOCK
from parsers.index.vector import SLACK

CHUNK = 2 << 20
"""Bytes of a chunk: half as many cost a third of the speed, more gain nothing."""
BEFORE = 64
"""Bytes before a chunk that are read with it; zeros at the start of a file."""
TAIL = 64 << 10
"""Bytes behind a chunk that are read with it, for its last tag to end in."""
LONG_TAIL = tags.LONGEST + tags.MARGIN
"""As many are read where that was not enough."""

OSR, ZOMBIE, NATIVE, TORN, BLOCKING, OK, HAS_PHASE, HAS_THREAD = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of a tag."""
IS_NAMED = OK
"""Of a dependency_failed: it tells its class by name."""

TAGS, NULS, HIGH, MID_LINES, ENDS_IN = range(5)
"""Places in `Chunk.facts`: tags; NUL bytes; whether there are bytes above 127; known tags that don't begin their line;
where the tag begins in which the file ends, -1 if it doesn't."""

(
    TASKS,
    EVENTS,
    THREADS,
    WRITERS,
    METHODS,
    WORDS,
    METHOD_BYTES,
    WORD_BYTES,
    TASK,
    EVENT,
    THREAD,
    WRITER,
    STAMP,
    IN_FRAGMENT,
    IN_TTY,
    TORN_TAGS,
    HEADERS,
    TTY_AT,
    TTY_END,
) = range(19)
"""Places in `Whole.state`: how many rows and texts there are, and where reading stands (see `PlainLog`): the task and
event that are open, -1 if none; the compiler thread, the writer, the last stamp (NONE if none); torn tags and headers
of this file, where its tty begins and ends."""

METHOD, REASON, ACTION, COMPILER = range(4)
"""Texts of a tag."""
TEXTS = 4


class Chunk(NamedTuple):
    """The tags of one chunk, by tag unless said otherwise. Only the first `TAGS` count."""

    data: Any
    """uint8: the bytes, BEFORE of them before the chunk and some behind it"""
    kind: Any
    """uint8: see `tags`"""
    flags: Any
    """uint8"""
    level: Any
    """uint8"""
    start: Any
    """uint32: where in `data` the tag begins"""
    end: Any
    """uint32"""
    id: Any
    """uint32: compile_id; of a start_compile_thread or hotspot_log the process"""
    bci: Any
    """uint32: osr_bci; of jvms bci; of task_done inlined_bytes"""
    stamp: Any
    """uint32"""
    value: Any
    """uint32: as `event_value`; of task_done nmsize"""
    thread: Any
    """uint64; of hotspot_log time_ms"""
    text_at: Any
    """uint32[n, 4]: where texts begin in `data`"""
    text_length: Any
    """uint32[n, 4]: their bytes; NONE where there is none"""
    text_hash: Any
    """uint64[n, 4]"""
    lines: Any
    """uint32 by block of the chunk: line ends"""
    mid_at: Any
    """uint32 by mid-line tag: where it begins in `data`"""
    mid_length: Any
    """uint32: bytes of its name, with the slash of an end tag"""
    facts: Any
    """int64[8]"""


class Whole(NamedTuple):
    """The run so far. `columns` are those of `columns.COLUMNS`, in the same order."""

    state: Any
    """int64[32]"""
    kinds: Any
    """int64[KINDS]: tags of this file outside fragments"""
    outside: Any
    """int64[2, KINDS]: elements of this file outside tasks, and the same in fragments"""
    counts: Any
    """uint32[5, 65536] by word: elements outside tasks, the same in fragments, reasons of failures, of attempts, types
    of dependencies that failed in tasks"""
    torn_at: Any
    """int64: offsets of the first torn tags of this file"""
    torn_kind: Any
    """uint8"""
    headers: Any
    """uint64[8, 3]: offset, process, time_ms of the first headers"""
    writer_slots: Any
    """uint32[2^k]: number of a writer + 1"""
    method_slots: Any
    method_starts: Any
    method_bytes: Any
    word_slots: Any
    word_starts: Any
    word_bytes: Any
    task_start: Any
    task_end: Any
    task_id: Any
    task_method: Any
    task_thread: Any
    task_begun: Any
    task_done: Any
    task_queued: Any
    task_nmethod: Any
    task_code: Any
    task_inlined: Any
    task_bci: Any
    task_reason: Any
    task_level: Any
    task_flags: Any
    task_run: Any
    event_start: Any
    event_end: Any
    event_id: Any
    event_method: Any
    event_bci: Any
    event_stamp: Any
    event_thread: Any
    event_value: Any
    event_task: Any
    event_reason: Any
    event_action: Any
    event_compiler: Any
    event_kind: Any
    event_level: Any
    event_flags: Any
    event_run: Any
    thread_offset: Any
    thread_id: Any
    thread_process: Any
    thread_stamp: Any
    thread_name: Any
    thread_flags: Any
    thread_run: Any
    writer_id: Any
    writer_events: Any


assert set(COLUMNS) <= set(Whole._fields)

OUTSIDE_WORDS, FRAGMENT_WORDS, FAILURES, ATTEMPTS, DEPENDENCIES = range(5)
"""Rows of `Whole.counts`."""


def new_chunk(size: int) -> Chunk:
    """Arrays for chunks of so many bytes; memory is taken as it is used."""
    most = size // 4 + 64

    def numbers(kind: Any, *shape: int) -> Any:
        return np.zeros(shape or (most,), kind)

    byte, word, long = np.uint8, np.uint32, np.uint64
    return Chunk(
        data=numbers(byte, BEFORE + size + LONG_TAIL + 2 * SLACK),
        kind=numbers(byte),
        flags=numbers(byte),
        level=numbers(byte),
        start=numbers(word),
        end=numbers(word),
        id=numbers(word),
        bci=numbers(word),
        stamp=numbers(word),
        value=numbers(word),
        thread=numbers(long),
        text_at=numbers(word, most, TEXTS),
        text_length=numbers(word, most, TEXTS),
        text_hash=numbers(long, most, TEXTS),
        lines=numbers(word, size // LINE_BLOCK + 1),
        mid_at=numbers(word, KEPT_FINDINGS),
        mid_length=numbers(word, KEPT_FINDINGS),
        facts=numbers(np.int64, 8),
    )
