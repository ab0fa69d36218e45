"""State of pass 1 between its kernels: plain arrays, and the indexes into them.

A *chunk* is a range of bytes of one file. It owns the tags that begin in it. Two threads take chunks in turn; each has
one `LogChunk` that it fills again and again. `RunState` is the run: its columns, texts and the state of reading.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.hotspot.log import columns
from parsers.formats.hotspot.log.part import KEPT_PROBLEMS, LINE_BLOCK
from parsers.formats.hotspot.log.read import tags
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, RecordArray, U8Array, U32Array, U64Array

CHUNK = 2 << 20
"""Bytes of a chunk: half as many cost a third of the speed, more gain nothing."""
BEFORE = 64
"""Bytes before a chunk that are read with it; zeros at the start of a file."""
TAIL = 64 << 10
"""Bytes after a chunk that are read with it, for its last tag to end in."""
LONG_TAIL = tags.LONGEST + tags.MARGIN
"""Bytes that are read instead if those were not enough."""

OSR, ZOMBIE, NATIVE, TORN, BLOCKING, OK, HAS_PHASE, HAS_THREAD = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of a tag."""
IS_NAMED = OK
"""Of a dependency_failed: it names its class."""

METHOD, REASON, ACTION, COMPILER = range(4)
"""Texts of a tag."""


def numbers_named(*names: str) -> np.dtype[np.void]:
    """Returns the type of records of numbers of 64 bits."""
    return np.dtype([(name, "i8") for name in names], align=True)


def row_of(table: Iterable[str]) -> np.dtype[np.void]:
    """Returns the type of the rows of a table that kernels make: its columns, in order, without their prefix."""
    return numbers_named(*(column.partition("_")[2] for column in table))


TASK, EVENT, THREAD = (row_of(table) for table in (columns.TASKS, columns.EVENTS, columns.THREADS))
FACTS = numbers_named(
    "tags", "nuls", "is_high", "mid_lines", "ends_in", "new_tasks", "new_events", "new_threads", "scratch"
)  # fmt: skip
"""Facts of a chunk: number of tags; NUL bytes; 1 if there are bytes above 127; known tags that don't begin their line;
start of the tag in which the file ends, -1 if none; rows of tasks, events and threads; end of the copies of tags
without their comments in `data`.
"""
STATE = numbers_named(
    "threads", "writers", "methods", "words", "method_bytes", "word_bytes", "has_task", "has_event", "is_called",
    "thread", "writer", "stamp", "in_fragment", "in_tty", "torn_tags", "headers", "tty_at", "tty_end",
)  # fmt: skip
"""Numbers of threads, writers and texts, and the state of reading (see `PlainLog`): is a task open, is there a last
event, may callers follow it; the compiler thread, the writer, the last stamp (NONE if none); torn tags and headers of
this file, where its tty begins and ends.
"""
TAG = np.dtype(
    [
        *((name, "u4") for name in ("kind", "flags", "level", "start", "end", "id", "bci", "stamp", "value")),
        ("who", "u8"),
    ],
    align=True,
)
"""Kind and flags of a tag; its level; where in `data` it begins and ends; compile_id (of a start_compile_thread or
hotspot_log the process); osr_bci (of jvms bci, of task_done inlined_bytes); stamp; the number of `event_value` (of
task_done nmsize), all NONE where there is none; the thread (of hotspot_log time_ms).
"""
TEXT = np.dtype([("start", "u4"), ("length", "u4"), ("hash", "u8")], align=True)
"""A text of a tag: where it begins in `data`, its bytes (NONE: the tag has none), its hash."""
MID_LINE_TAG = np.dtype([("start", "u4"), ("length", "u4")], align=True)
"""A tag that doesn't begin its line: where it begins in `data`, bytes of its name with the slash of an end tag."""
TORN_TAG = np.dtype([("offset", "i8"), ("kind", "i8")], align=True)
HEADER = np.dtype([("offset", "u8"), ("process", "u8"), ("time_ms", "u8")], align=True)
"""A `<hotspot_log`."""


class LogChunk(NamedTuple):
    """The tags of one chunk, of which the first ones count (FACTS). Few arrays: each costs compile time of kernels."""

    data: U8Array
    """uint8: the bytes, BEFORE of them before the chunk and some behind it; in its second half copies of tags"""
    tags: RecordArray
    """TAG[n]"""
    texts: RecordArray
    """TEXT[n, 4]"""
    lines: U32Array
    """uint32 by block of the chunk: line ends"""
    mid: RecordArray
    """MID_LINE_TAG[n]"""
    facts: RecordArray
    """FACTS[1]"""
    tasks: RecordArray
    """TASK[n]: those that ended in the chunk"""
    events: RecordArray
    """EVENT[n]: those that are complete"""
    threads: RecordArray
    """THREAD[n]"""


class RunState(NamedTuple):
    """State of the run so far, apart from the rows."""

    state: RecordArray
    """STATE[1]"""
    open_task: RecordArray
    """TASK[1]: the open task"""
    open_event: RecordArray
    """EVENT[1]: the last event; tags that follow may complete it"""
    kinds: I64Array
    """int64[3, KINDS]: rows are OUTSIDE_FRAGMENTS to FRAGMENT_ELEMENTS"""
    counts: U32Array
    """uint32[3, 65536] by word: elements outside tasks, the same in fragments, types of dependencies that failed in
    tasks
    """
    torn: RecordArray
    """TORN_TAG[n]: the first ones of this file"""
    headers: RecordArray
    """HEADER[8]: the first ones of this file"""
    writer_slots: U32Array
    """uint32[2^k]: number of a writer + 1"""
    writer_id: U64Array
    writer_events: U32Array


OUTSIDE_FRAGMENTS, ELEMENTS, FRAGMENT_ELEMENTS = range(3)
"""Rows of `RunState.kinds`: tags of this file outside fragments; elements outside tasks, and the same in fragments."""
OUTSIDE_WORDS, FRAGMENT_WORDS, DEPENDENCIES = range(3)
"""Rows of `RunState.counts`."""


def new_chunk(size: int) -> LogChunk:
    """Makes arrays for chunks of that many bytes; memory is allocated as it is used."""
    # The shortest tags are of three bytes: `<a` with a line end before and after it.
    most = size // 3 + 64

    def numbers(kind: Any, *shape: int) -> AnyArray:
        return np.zeros(shape, kind)

    return LogChunk(
        data=numbers(np.uint8, 2 * (BEFORE + size + LONG_TAIL + 2 * SLACK)),
        tags=numbers(TAG, most),
        texts=numbers(TEXT, most, 4),
        lines=numbers(np.uint32, size // LINE_BLOCK + 1),
        mid=numbers(MID_LINE_TAG, KEPT_PROBLEMS),
        facts=numbers(FACTS, 1),
        tasks=numbers(TASK, most),
        events=numbers(EVENT, most),
        threads=numbers(THREAD, most),
    )
