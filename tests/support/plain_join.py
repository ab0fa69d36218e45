"""Logs read by plain code alone; `join` is the oracle of `parsers.formats.hotspot.log.join`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parsers.formats.hotspot.log.columns import (
    BY_CLASS_LOADING,
    BY_OTHER,
    BY_REPLACING,
    BY_SWEEPING,
    BY_TRAP,
    IS_NATIVE,
    IS_OSR,
    IS_ZOMBIE,
    NO_LEVEL,
    EventKind,
)
from parsers.formats.hotspot.log.join import LONG, SHORT, level_of_compiler, level_of_thread
from parsers.formats.hotspot.log.log import Log
from parsers.formats.hotspot.log.read.plain_log import BLOCK, PlainLog
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.model.none import NONE


def join(columns: Any, words: Sequence[bytes]) -> None:
    """Fills columns that depend on others: `*_run`, `task_queued`, `task_nmethod`, `event_task`, `task_level`, reasons.

    columns  by name, writable arrays
    """
    join_runs(columns)
    _join_ids(columns)
    _assign_levels(columns, words)
    _assign_reasons(columns)


def join_runs(columns: Any) -> None:
    """Fills the JVM of each row: JVMs are the processes that start compiler threads.

    A task belongs to the process of its thread. If two JVMs wrote one main log, the events of each precede its compiler
    logs: an event belongs to the process of the first thread that starts after it, else to the last process.
    """
    runs: dict[int, int] = {}
    of_thread = [min(runs.setdefault(process, len(runs)), 255) for process in columns["thread_process"]]
    if len(runs) < 2:
        return
    columns["thread_run"][:] = type(columns["thread_run"])(columns["thread_run"].typecode, of_thread)
    for task, thread in enumerate(columns["task_thread"]):
        columns["task_run"][task] = of_thread[thread] if thread != NONE else 0
    offsets, number = columns["thread_offset"], 0
    for event, start in enumerate(columns["event_start"]):
        while number < len(offsets) - 1 and offsets[number] < start:
            number += 1
        columns["event_run"][event] = of_thread[number]


def _join_ids(columns: Any) -> None:
    of_id: dict[tuple[int, int, int], int] = {}
    ids, runs, flags = columns["task_id"], columns["task_run"], columns["task_flags"]
    for task, id in enumerate(ids):
        if id != NONE:
            of_id.setdefault((runs[task], id, flags[task] & IS_OSR), task)
    for event, id in enumerate(columns["event_id"]):
        if id == NONE:
            continue
        run, osr = columns["event_run"][event], columns["event_flags"][event] & IS_OSR
        found = of_id.get((run, id, osr), of_id.get((run, id, osr ^ IS_OSR)))
        if found is None:
            continue
        columns["event_task"][event] = found
        kind = columns["event_kind"][event]
        name = "task_queued" if kind == EventKind.TASK_QUEUED else "task_nmethod" if kind == EventKind.NMETHOD else None
        if name is not None and columns[name][found] == NONE:
            columns[name][found] = event


def _assign_levels(columns: Any, words: Sequence[bytes]) -> None:
    """Fills task levels: the own one, else the nmethod's, else by the nmethod's compiler, else by the thread's name."""
    for task, level in enumerate(columns["task_level"]):
        if level != NO_LEVEL:
            continue
        event = columns["task_nmethod"][task]
        if event != NONE:
            level = columns["event_level"][event]
            if level == NO_LEVEL:
                level = level_of_compiler(words, columns["event_compiler"][event])
        if level == NO_LEVEL and columns["task_thread"][task] != NONE:
            level = level_of_thread(words, columns["thread_name"][columns["task_thread"][task]])
        columns["task_level"][task] = level


def _assign_reasons(columns: Any) -> None:
    """Fills why code was made not entrant, in all logs by the rule for JDK 8 to 24, which log no reason."""
    kinds, stamps, flags = columns["event_kind"], columns["event_stamp"], columns["event_flags"]
    threads, ids, methods, runs = (columns[f"event_{name}"] for name in ("thread", "id", "method", "run"))
    sweepers = {threads[event] for event, kind in enumerate(kinds) if kind == EventKind.SWEEPER}
    trap_of: dict[tuple[int, int], int] = {}
    newest: dict[tuple[int, int, int], int] = {}
    method_of: dict[tuple[int, int], tuple[int, int]] = {}
    failed: dict[int, int] = {}
    for event, kind in enumerate(kinds):
        run, id = runs[event], ids[event]
        if kind == EventKind.UNCOMMON_TRAP:
            trap_of[run, id] = event
        elif kind == EventKind.NMETHOD:
            what = (methods[event], flags[event] & (IS_OSR | IS_NATIVE))
            newest[run, *what] = event
            method_of.setdefault((run, id), what)
        elif kind == EventKind.DEPENDENCY_FAILED:
            failed[run] = event
        elif kind == EventKind.MAKE_NOT_ENTRANT and not flags[event] & IS_ZOMBIE:
            now = stamps[event]
            trap = trap_of.get((run, id))
            made = method_of.get((run, id))
            by = None if made is None else newest.get((run, *made))
            if trap is not None and threads[trap] == threads[event] and _is_near(now, stamps[trap], LONG):
                why = BY_TRAP
            elif by is not None and ids[by] != id and _is_near(now, stamps[by], SHORT):
                why = BY_REPLACING
            elif threads[event] in sweepers:
                why = BY_SWEEPING
            elif run in failed and _is_near(now, stamps[failed[run]], SHORT):
                why = BY_CLASS_LOADING
            else:
                why = BY_OTHER
            columns["event_action"][event] = why


def _is_near(now: int, before: int, most: int) -> bool:
    """True if an event happened less than `most` milliseconds after another; False if one of the times is unknown."""
    return NONE not in (now, before) and now - before < most


def read_file(log: PlainLog, read: Callable[[int, int], bytes], size: int) -> None:
    """Reads a whole file: `read(count, offset)` returns its bytes."""
    log.begin(size)
    for start in range(0, size, BLOCK):
        log.feed(read, start, min(start + BLOCK, size), size)
    log.end()


def open_log(paths: Sequence[str]) -> Log:
    """Opens the files of a run and reads them by plain code. Closing `log.source` closes them."""
    group = SourceGroup([open_source(path, Cache(keep=False)) for path in paths])
    group.unpack()
    plain, log = PlainLog(), Log(group)
    for source, base in group.parts:
        read_file(plain, lambda count, offset, base=base: group.pread(count, base + offset), source.size)
    join(plain.columns, plain.words.texts)
    log.take_plain(plain, True)
    return log
