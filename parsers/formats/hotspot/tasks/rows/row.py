"""Data of a task from the columns of the index: method, badges, outcome, REF. The task itself is not read.

`task_badges` lists the badges. A name ends in `_s` or `_ms` if the value is a time in seconds or milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import (
    IN_FRAGMENT,
    IS_BLOCKING,
    IS_DAMAGED,
    IS_FINISHED,
    IS_OK,
    IS_OSR,
    NO_LEVEL,
)
from parsers.formats.hotspot.names import Method, is_doubtful, method_of, value
from parsers.model.none import NONE
from parsers.model.row import Badge, SectionRow

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log

LOOKED_AT = 1 << 14
"""Bytes of a task that are searched for the class of its method if blanks make the method ambiguous."""

_CLASS = re.compile(rb"<klass [^>]*?name='([^']*)'")


def task_method(log: Log, task: int) -> Method:
    """Returns the method that a task compiles; if its tag is damaged, the one of its events in the main log."""
    method = log.column("task_method")[task]
    if log.column("task_flags")[task] & IS_DAMAGED:
        events = [event for name in ("task_nmethod", "task_queued") if (event := number(log, name, task)) is not None]
        method = next((found for event in events if (found := log.column("event_method")[event]) != NONE), method)
    text = value(log.method(method))
    return method_of(text, partial(_knows, log, task)) if is_doubtful(text) else method_of(text)


def _knows(log: Log, task: int, name: str) -> bool:
    """True if a task defines a class of that name."""
    head = log.pread(LOOKED_AT, log.column("task_start")[task])
    return any(value(found[1]) == name for found in _CLASS.finditer(head.partition(b"</task>")[0]))


def task_outcome(flags: int) -> str:
    """Returns `ok`, `failed`, `unfinished` or `in flight`."""
    if flags & IN_FRAGMENT:
        return "in flight"
    if not flags & IS_FINISHED:
        return "unfinished"
    return "ok" if flags & IS_OK else "failed"


def task_row_flags(log: Log, task: int) -> tuple[str, ...]:
    """Returns `damaged` if attributes are missing in a tag of the task, in its task_queued or in its nmethod."""
    events = (number(log, name, task) for name in ("task_queued", "task_nmethod"))
    is_damaged = log.column("task_flags")[task] & IS_DAMAGED or any(
        event is not None and event_row_flags(log, event) for event in events
    )
    return ("damaged",) if is_damaged else ()


def in_flight_rows(badges: Mapping[str, Badge]) -> tuple[SectionRow, ...]:
    """Returns side pane rows for tasks in flight, which `info` counts apart; nothing if there are none."""
    count = badges.get("in_flight")
    return (SectionRow("in flight", f"{count:,} of the tasks, in a fragment of the log"),) if count else ()


def event_row_flags(log: Log, event: int) -> tuple[str, ...]:
    """Returns `damaged` if attributes are missing in a tag of the event."""
    return ("damaged",) if log.column("event_flags")[event] & IS_DAMAGED else ()


def number(log: Log, column: str, task: int) -> int | None:
    """Returns a column's value; None if the log has none."""
    found = log.column(column)[task]
    return None if found == NONE else found


def queued_ms(log: Log, task: int) -> int | None:
    """Returns the time at which a task was queued, in milliseconds."""
    event = number(log, "task_queued", task)
    return number(log, "event_stamp", event) if event is not None else None


def wait_ms(log: Log, task: int) -> int | None:
    """Returns the time that a task waited in the queue."""
    queued, begun = queued_ms(log, task), number(log, "task_begun", task)
    return begun - queued if queued is not None and begun is not None else None


def compile_ms(log: Log, task: int) -> int | None:
    """Returns the compile time of a task, as exact as the log has it."""
    begun, done = number(log, "task_begun", task), number(log, "task_done", task)
    return done - begun if begun is not None and done is not None else None


def task_badges(log: Log, task: int) -> dict[str, Badge]:
    """Returns the badges of a task that have a value in the log."""
    flags, level = log.column("task_flags")[task], log.column("task_level")[task]
    begun, queued = number(log, "task_begun", task), queued_ms(log, task)
    badges: dict[str, Badge] = {
        "compile_id": number(log, "task_id", task),
        "level": level if level != NO_LEVEL else None,
        "osr_bci": number(log, "task_bci", task) if flags & IS_OSR else None,
        "queued_s": queued / 1000 if queued is not None else None,
        "start_s": begun / 1000 if begun is not None else None,
        "wait_ms": wait_ms(log, task),
        "compile_ms": compile_ms(log, task),
        "nmsize": number(log, "task_code", task),
        "bytes": log.column("task_end")[task] - log.column("task_start")[task],
        "inlined_bytes": number(log, "task_inlined", task),
        "outcome": task_outcome(flags),
        "reason": value(log.word(log.column("task_reason")[task])) or None,
        "blocking": 1 if flags & IS_BLOCKING else None,
    }
    return {name: badge for name, badge in badges.items() if badge is not None}


TASK_VALUES: dict[str, Callable[[Log, int], Badge]] = {
    "start_s": lambda log, task: number(log, "task_begun", task),
    "compile_ms": compile_ms,
    "nmsize": lambda log, task: number(log, "task_code", task),
    "inlined_bytes": lambda log, task: number(log, "task_inlined", task),
    "wait_ms": wait_ms,
    "level": lambda log, task: log.column("task_level")[task],
}
"""Values by which tasks are sorted without making their rows."""


def task_mark(flags: int) -> str:
    """Returns the kind whose mark a task has."""
    outcome = task_outcome(flags)
    return "" if outcome == "ok" else "failed task" if outcome == "failed" else "open task"


def task_ref(log: Log, task: int) -> str:
    """Returns the REF of a task: `task:17`, `task:17%` for OSR, `run:2/task:17` in the second of two runs."""
    percent = "%" if log.column("task_flags")[task] & IS_OSR else ""
    run = log.column("task_run")[task]
    front = f"run:{run + 1}/" if run else ""
    return f"{front}task:{log.column('task_id')[task]}{percent}"
