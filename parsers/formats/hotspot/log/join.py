"""Joins the rows of a complete log: tasks with task_queued and nmethod, levels, reasons for not entrant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

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
    NO_WORD,
    EventKind,
)
from parsers.model.distinct import distinct, ranks_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array, U16Array, U64Array

SHORT, LONG = 20, 50
"""Maximum milliseconds between two related events. Source: checked against the reasons in logs of JDK 25."""

_COMPILERS = {b"c1": 1, b"c2": 4, b"jvmci": 4}
"""Highest level of each compiler, used where no level is written."""


Column = Callable[[str], "AnyArray"]
"""Returns a column by name, as a writable array."""


def join(column: Column, words: Sequence[bytes]) -> None:
    """Fills columns that depend on others: `*_run`, `task_queued`, `task_nmethod`, `event_task`, levels, reasons."""
    _join_runs(column)
    for run in distinct(np.concatenate([column("task_run"), column("event_run")])):
        _join_ids(column, int(run))
    _assign_levels(column, words)
    column("event_action")[_not_entrant(column)] = why_not_entrant(column, column("event_run"))


def _join_runs(column: Column) -> None:
    """Fills the JVM of each row: JVMs are the processes that start compiler threads.

    A task belongs to the process of its thread. If two JVMs wrote one main log, the events of each precede its compiler
    logs: an event belongs to the process of the first thread that starts after it, else to the last process.
    """
    processes = column("thread_process")
    _, first, inverse = np.unique(processes, return_index=True, return_inverse=True)
    if len(first) < 2:
        return
    of_thread = np.minimum(ranks_of(np.argsort(first))[inverse], 255).astype(np.uint8)
    column("thread_run")[:] = of_thread
    threads = column("task_thread")
    has_thread = threads != NONE
    column("task_run")[has_thread] = of_thread[threads[has_thread]]
    next_thread = np.searchsorted(column("thread_offset"), column("event_start"))
    column("event_run")[:] = of_thread[np.minimum(next_thread, len(of_thread) - 1)]


def _join_ids(column: Column, run: int) -> None:
    """Joins tasks and events of the same compile id, within one run."""
    tasks = np.flatnonzero((column("task_run") == run) & (column("task_id") != NONE))
    events = np.flatnonzero((column("event_run") == run) & (column("event_id") != NONE))
    if not len(tasks) or not len(events):
        return
    # The flag is the lowest bit, so the same id of the other kind is the neighbouring key.
    wanted = column("event_id")[events].astype(np.uint64) << np.uint64(1) | column("event_flags")[events] & IS_OSR
    of_tasks = column("task_id")[tasks].astype(np.uint64) << np.uint64(1) | column("task_flags")[tasks] & IS_OSR
    keys, first = np.unique(of_tasks, return_index=True)
    found = np.full(len(events), NONE, np.uint32)
    for other in (1, 0):
        place = np.minimum(np.searchsorted(keys, wanted ^ np.uint64(other)), len(keys) - 1)
        is_there = keys[place] == wanted ^ np.uint64(other)
        found[is_there] = tasks[first[place[is_there]]]
    column("event_task")[events] = found
    for kind, name in ((EventKind.TASK_QUEUED, "task_queued"), (EventKind.NMETHOD, "task_nmethod")):
        joined = (column("event_kind")[events] == kind) & (found != NONE)
        # Backwards, so that the first event of a task wins.
        column(name)[found[joined][::-1]] = events[joined][::-1]


def _assign_levels(column: Column, words: Sequence[bytes]) -> None:
    """Fills task levels: the own one, else the nmethod's, else by the nmethod's compiler, else by the thread's name."""
    levels = column("task_level")
    tasks = np.flatnonzero(levels == NO_LEVEL)
    by_compiler = np.array([level_of_compiler(words, word) for word in range(len(words))] + [NO_LEVEL], np.uint8)
    by_thread = np.array([level_of_thread(words, word) for word in range(len(words))] + [NO_LEVEL], np.uint8)
    found_levels = np.full(len(tasks), NO_LEVEL, np.uint8)
    events = column("task_nmethod")[tasks]
    has_code = events != NONE
    found_levels[has_code] = column("event_level")[events[has_code]]
    unknown = has_code & (found_levels == NO_LEVEL)
    found_levels[unknown] = by_compiler[_known(column("event_compiler")[events[unknown]], len(words))]
    threads = column("task_thread")[tasks]
    unknown = (found_levels == NO_LEVEL) & (threads != NONE)
    found_levels[unknown] = by_thread[_known(column("thread_name")[threads[unknown]], len(words))]
    levels[tasks] = found_levels


def level_of_compiler(words: Sequence[bytes], word: int) -> int:
    """Returns the highest level of a compiler, for code without a level."""
    return _COMPILERS.get(bytes(words[word]).lower(), NO_LEVEL) if word != NO_WORD else NO_LEVEL


def level_of_thread(words: Sequence[bytes], word: int) -> int:
    """Returns the level by the name of a compiler thread, such as `C2 CompilerThread0`."""
    return level_of_name(bytes(words[word])) if word != NO_WORD else NO_LEVEL


def level_of_name(name: bytes) -> int:
    """Returns the level by the first word of a compiler thread's name."""
    return _COMPILERS.get(name.partition(b" ")[0].lower(), NO_LEVEL)


def _known(numbers: U16Array, words: int) -> I64Array:
    """Returns numbers of words as indexes: that of no word is the one behind all words, of which there may be more."""
    return np.where(numbers == NO_WORD, words, np.minimum(numbers.astype(np.int64), words))


def _not_entrant(column: Column) -> I64Array:
    """Returns the events that make code not entrant for the first time."""
    is_end = column("event_kind") == EventKind.MAKE_NOT_ENTRANT
    return np.flatnonzero(is_end & (column("event_flags") & IS_ZOMBIE == 0))


def why_not_entrant(column: Column, runs: U8Array) -> U16Array:
    """Returns the reason of each event of `_not_entrant`, derived from the events before it: JDK 8 to 24 log none.

    runs  uint8 by event; zeros: as if one JVM had written all
    """
    events = _not_entrant(column)
    why = np.full(len(events), BY_OTHER, np.uint16)
    for run in distinct(runs[events]):
        is_in_run = runs[events] == run
        why[is_in_run] = _why_in_run(column, events[is_in_run], runs == run)
    return why


def _last_before(keys: U64Array, at: I64Array, wanted: U64Array, before: I64Array) -> I64Array:
    """Returns for each (wanted key, event) the last of the events `at` with that key before it; -1 if there is none."""
    order = np.lexsort((at, keys))
    keys, at = keys[order], at[order]
    # One number for both: keys as their positions among the unique ones.
    different, rank = np.unique(keys, return_inverse=True)
    if not len(different):
        return np.full(len(before), -1, np.int64)
    of_wanted = np.minimum(np.searchsorted(different, wanted), len(different) - 1)
    is_there = different[of_wanted] == wanted
    place = np.searchsorted(rank.astype(np.int64) << 32 | at, of_wanted.astype(np.int64) << 32 | before) - 1
    is_there &= (place >= 0) & (rank[np.maximum(place, 0)] == of_wanted)
    return np.where(is_there, at[np.maximum(place, 0)], -1)


def _why_in_run(column: Column, events: I64Array, in_run: BoolArray) -> U16Array:
    kinds, ids, threads = column("event_kind"), column("event_id"), column("event_thread")
    stamps = column("event_stamp").astype(np.int64)
    now, id = stamps[events], ids[events]
    why = np.full(len(events), BY_OTHER, np.uint16)

    def is_near(found: I64Array, most: int) -> BoolArray:
        before = stamps[np.maximum(found, 0)]
        found = (found >= 0) & (now != NONE) & (before != NONE) & (now - before < most)
        return np.asarray(found)

    failed = np.flatnonzero(in_run & (kinds == EventKind.DEPENDENCY_FAILED))
    one = np.zeros(len(events), np.uint64)
    last = _last_before(np.zeros(len(failed), np.uint64), failed, one, events)
    why[is_near(last, SHORT)] = BY_CLASS_LOADING

    why[np.isin(threads[events], threads[kinds == EventKind.SWEEPER])] = BY_SWEEPING

    made = np.flatnonzero(in_run & (kinds == EventKind.NMETHOD))
    what = column("event_method")[made].astype(np.uint64) << np.uint64(3)
    what |= (column("event_flags")[made] & (IS_OSR | IS_NATIVE)).astype(np.uint64)
    known, first = np.unique(ids[made], return_index=True)
    if len(known):
        place = np.minimum(np.searchsorted(known, id), len(known) - 1)
        own = first[place]
        has_own = (known[place] == id) & (made[own] < events)
        newest = _last_before(what, made, what[own], events)
        why[has_own & is_near(newest, SHORT) & (ids[np.maximum(newest, 0)] != id)] = BY_REPLACING

    traps = np.flatnonzero(in_run & (kinds == EventKind.UNCOMMON_TRAP))
    last = _last_before(ids[traps].astype(np.uint64), traps, id.astype(np.uint64), events)
    same_thread = threads[np.maximum(last, 0)] == threads[events]
    why[is_near(last, LONG) & same_thread] = BY_TRAP
    return why
