"""Columns of pass 1: a row for each task, each event of the main log, and each thread.

All offsets are *run offsets*: the files of a run laid end to end in the order in which they are opened, the main log
first. Times are milliseconds since the VM began, as `stamp` has them (three decimals). A *method* is the number of a
unique text `class name signature`, with the escapes and the spelling of the log. A *word* is the number of a unique
reason, action, comment or the like. NONE is used where a log has no value.
"""

from __future__ import annotations

from enum import IntEnum

NO_WORD = 0xFFFF
NO_LEVEL = 0xFF

TASKS: dict[str, str] = {
    "task_start": "u8",  # run offset of `<task`
    "task_end": "u8",  # run offset after `</task>`; of a task without end tag where the next element begins
    "task_id": "u4",  # compile_id
    "task_method": "u4",
    "task_thread": "u4",  # number in the columns of threads; NONE if there is no start_compile_thread before it
    "task_begun": "u4",  # stamp of the task
    "task_done": "u4",  # stamp of task_done
    "task_queued": "u4",  # number of its task_queued among the events
    "task_nmethod": "u4",  # number of its nmethod among the events
    "task_code": "u4",  # nmsize of task_done, bytes
    "task_inlined": "u4",  # inlined_bytes of task_done
    "task_bci": "u4",  # osr_bci
    "task_reason": "u2",  # why it failed: word of the last `failure` without phase
    "task_level": "u1",  # its own, else by its nmethod, compiler or thread; NO_LEVEL if unknown
    "task_flags": "u1",
    "task_run": "u1",  # number of the JVM, if two wrote one file
}
"""Columns of tasks, in file order; tasks in fragments and tasks without end tag are included."""

IS_OSR, IS_FINISHED, IS_OK, IN_FRAGMENT, IS_BLOCKING, IS_DAMAGED, HAS_LEVEL = 1, 2, 4, 8, 16, 32, 64
"""Bits of `task_flags`."""

EVENTS: dict[str, str] = {
    "event_start": "u8",
    "event_end": "u8",  # after its end tag, where it has children
    "event_id": "u4",  # compile_id
    "event_method": "u4",  # of a trap that fired the innermost method of its jvms
    "event_bci": "u4",  # of a trap that fired the bci of that method; else osr_bci
    "event_stamp": "u4",  # its own; of `deoptimized` and others without one that of the event before, if not damaged
    "event_thread": "u4",  # number in the columns of writers: its attribute `thread`, else the writer before it
    "event_value": "u4",  # nmethod: size; sweeper, code_cache_full: free_code_cache in KiB; uncommon_trap: count
    "event_task": "u4",  # number of the task of the same compile_id and run
    "event_reason": "u2",  # reason; of task_queued its comment; of dependency_failed its type; of `other` its name
    "event_action": "u2",  # action of a trap; of make_not_entrant an index in NOT_ENTRANT
    "event_compiler": "u2",  # a word
    "event_kind": "u1",  # an EventKind
    "event_level": "u1",  # as written; NO_LEVEL if absent
    "event_flags": "u1",
    "event_run": "u1",
}
"""Columns of the main log's events, in file order."""

IS_ZOMBIE, IS_NATIVE = 2, 4
"""Bits of `event_flags`, beside IS_OSR, IS_BLOCKING and IS_DAMAGED."""

EventKind = IntEnum(
    "EventKind",
    "TASK_QUEUED NMETHOD MAKE_NOT_ENTRANT MAKE_UNLOADED UNCOMMON_TRAP DEOPTIMIZED DEPENDENCY_FAILED MAKE_NOT_COMPILABLE"
    " CODE_CACHE_FULL SWEEPER THREAD_LOGFILE OTHER",
    start=0,
)
"""Elements with columns; OTHER is any element of the main log's `tty` that has none of its own."""
EVENT_KINDS = tuple(kind.name.lower() for kind in EventKind)
"""Their names."""

NOT_ENTRANT = ("trap", "replaced", "swept", "class_loading", "other")
"""Reasons why code was made not entrant, derived from other events: before JDK 25 logs have no reasons."""
BY_TRAP, BY_REPLACING, BY_SWEEPING, BY_CLASS_LOADING, BY_OTHER = range(len(NOT_ENTRANT))

THREADS: dict[str, str] = {
    "thread_offset": "u8",  # of its start_compile_thread
    "thread_id": "u8",
    "thread_process": "u4",
    "thread_stamp": "u4",
    "thread_name": "u2",  # a word
    "thread_flags": "u1",  # IN_FRAGMENT: the thread compiled nothing; IS_DAMAGED
    "thread_run": "u1",
}
"""A row for each start_compile_thread, in file order."""

WRITERS: dict[str, str] = {"writer_id": "u8", "writer_events": "u4"}
"""Threads that wrote events, each once."""

COLUMNS: dict[str, str] = TASKS | EVENTS | THREADS | WRITERS
"""All columns by name, with their numpy dtypes."""

TEXTS: dict[str, str] = {"method_starts": "u8", "method_bytes": "u1", "word_starts": "u8", "word_bytes": "u1"}
"""Arrays of unique texts: the start of each and the end of the last one; the bytes."""

COMPILED_IN_AS = {"unstable_fused_if": "unstable_if"}
"""Reasons of traps that compilers never write when they compile a trap in, with the reason that they write then. If two
tests become one, the trap of the first stays, and gets its new reason later (IfNode::merge_uncommon_traps, ifnode.cpp).
"""
