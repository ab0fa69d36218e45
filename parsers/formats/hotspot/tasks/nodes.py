"""Numbers of the nodes of the Tasks view: an element is numbered by its offset, so its number never changes.

node = FIRST + 2 * run offset, and one more for the group row of the details that begin with the element there; of a
task for the group row of its events. Below FIRST are a run (1 + its number) and the tasks of no known thread (0).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hotspot.log.columns import EventKind
from parsers.formats.hotspot.names import value
from parsers.formats.hotspot.tasks.cache import TaskCache
from parsers.formats.hotspot.tasks.events import TaskEvents
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log

FIRST = 1024
LOG_FILE = int(EventKind.THREAD_LOGFILE)
MOST_AWAITED = 10_000
"""Maximum events that are searched for logs of threads."""

LONGEST_START = 1024
"""Maximum bytes of a `start_compile_thread`."""
LONGEST_LOG_FILE = 1024
"""Bytes of a `thread_logfile` that contain its thread."""

_LOG_FILE = re.compile(rb"<thread_logfile [^>\n]*?filename='(?:[^'\n]*/)?([^'/\n]+)'")
_LOG_THREAD = re.compile(rb"<thread_logfile thread='(\d{1,20})'")


class TaskNode(NamedTuple):
    """The meaning of a node: a run, a thread (NONE: no known one), a task, or a row inside a task."""

    run: int = -1
    thread: int = -1
    task: int = -1
    row: int = 0
    """Row of the task's tree; 0 is the task itself."""
    event: int = -1
    """An event of the main log about the task."""
    has_events: bool = False
    """True for the group row of the task's events."""
    log_file: int = -1
    """The event that names the log of a compiler thread, if all else about the thread is still unknown."""

    @property
    def is_task(self) -> bool:
        """True if it is a task itself."""
        return self.task >= 0 and not self.row and self.event < 0 and not self.has_events


class TaskNodes:
    """Threads and tasks of a log by node, and their nodes. Columns may grow between two calls."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.cache = TaskCache(log)
        self.about = TaskEvents(log)
        self._known = (-1, -1, False)
        self._of_thread: dict[int, list[int]] = {}
        self._runs: set[int] = set()
        self._by_id: dict[tuple[int, int, bool], int] = {}
        self._in_id = 0
        """Number of tasks in `_by_id`."""

    # -- nodes and places ---------------------------------------------------------------------------------------------

    def place(self, node: int) -> TaskNode:
        """Returns the meaning of a node. Raises `IndexError` for a number that is no node."""
        if node < FIRST:
            if 0 < node <= self.runs:
                return TaskNode(run=node - 1)
            if not node and NONE in self._threads():
                return TaskNode(thread=NONE)
            raise IndexError(f"no node {node}")
        offset, is_group = divmod(node - FIRST, 2)
        task = self.task_at(offset)
        if task is None:
            return self._outside(node, offset, bool(is_group))
        start = self.log.column("task_start")[task]
        if offset == start:
            return TaskNode(task=task, has_events=bool(is_group))
        tree = self.cache.tree(task)
        element = tree.task.element_at(offset - start)
        row = -element if is_group else element
        if tree.task.starts[element] != offset - start or row not in tree.parents:
            raise IndexError(f"no node {node}")
        return TaskNode(task=task, row=row)

    def _outside(self, node: int, offset: int, is_group: bool) -> TaskNode:
        """Returns the place of a thread, of an event that names a thread's log, or of an event about a task."""
        if not is_group:
            thread = self.thread_at(offset)
            if thread is not None:
                return TaskNode(thread=thread)
            starts = self.log.column("event_start")
            event = bisect_right(starts, offset) - 1
            if event >= 0 and starts[event] == offset:
                if self.log.column("event_task")[event] != NONE:
                    return TaskNode(task=self.log.column("event_task")[event], event=event)
                if self.log.column("event_kind")[event] == LOG_FILE:
                    # The node represented a thread while none was known, and may still be on a screen or in a link.
                    return TaskNode(log_file=event)
        raise IndexError(f"no node {node}")

    def event_at(self, offset: int) -> int | None:
        """Returns the event about a task whose text contains a run offset."""
        starts = self.log.column("event_start")
        event = bisect_right(starts, offset) - 1
        if event < 0 or offset >= self.log.column("event_end")[event]:
            return None
        return event if self.log.column("event_task")[event] != NONE else None

    def events(self, task: int) -> Sequence[int]:
        """Returns the events about a task that are outside of all tasks."""
        starts = self.log.column("event_start")
        return [event for event in self.about.of_task(task) if self.task_at(starts[event]) is None]

    def of_events(self, task: int) -> int:
        """Returns the node of the group row of a task's events."""
        return self.of_task(task) + 1

    def of_event(self, event: int) -> int:
        """Returns the node of an event."""
        return FIRST + 2 * int(self.log.column("event_start")[event])

    def of_task(self, task: int, row: int = 0) -> int:
        """Returns the node of a task, or of a row inside it."""
        offset: int = self.log.column("task_start")[task]
        if row:
            offset += self.cache.tree(task).task.starts[abs(row)]
        return FIRST + 2 * offset + (row < 0)

    def of_thread(self, thread: int) -> int:
        """Returns the node of a thread."""
        return 0 if thread == NONE else FIRST + 2 * int(self.log.column("thread_offset")[thread])

    def of_run(self, run: int) -> int:
        """Returns the node of a run."""
        return 1 + run

    def awaited(self) -> Sequence[int]:
        """Returns the events that name logs of compiler threads, while no thread is known: each represents a thread.

        The main log of a killed VM contains nothing else about them.
        """
        log = self.log
        if log.threads or log.tasks:
            return ()
        kinds = bytes(log.column("event_kind")[:MOST_AWAITED])
        return [event for event, kind in enumerate(kinds) if kind == LOG_FILE]

    def thread_id_of(self, event: int) -> int | None:
        """Returns the number of the thread whose log an event names."""
        found = _LOG_THREAD.match(self.log.pread(LONGEST_LOG_FILE, self.log.column("event_start")[event]))
        return None if found is None else int(found[1])

    def log_file_of(self, event: int) -> str:
        """Returns the name of the file that an event names, without its folder; empty if it is torn."""
        found = _LOG_FILE.match(self.log.pread(LONGEST_LOG_FILE, self.log.column("event_start")[event]))
        return "" if found is None else value(found[1])

    # -- threads and tasks --------------------------------------------------------------------------------------------

    @property
    def runs(self) -> int:
        """Number of JVMs that wrote the log; known when all of it has been read."""
        self._look()
        return max(len(self._runs), 1) if self.log.is_complete else 1

    def threads(self, run: int | None = None) -> Sequence[int]:
        """Returns the threads that have tasks, of one run or of all, by name."""
        threads = self._threads()
        return [thread for thread in threads if run is None or self.run_of(thread) == run]

    def _threads(self) -> Sequence[int]:
        self._look()
        return sorted(self._of_thread, key=self._thread_key)

    def run_of(self, thread: int) -> int:
        """Returns the run of a thread; that of its first task if the log doesn't contain the thread."""
        if thread != NONE:
            return int(self.log.column("thread_run")[thread])
        return int(self.log.column("task_run")[self._of_thread[NONE][0]])

    def tasks(self, thread: int) -> Sequence[int]:
        """Returns the tasks of a thread, in file order, which is that of time."""
        self._look()
        return self._of_thread.get(thread, ())

    def task_of_id(self, id: int, is_osr: bool | None, run: int | None) -> int | None:
        """Returns the first task of a compile id; of a run and kind, if they are given."""
        self._look_for_ids()
        runs = range(self.runs) if run is None else (run,)
        kinds = (False, True) if is_osr is None else (is_osr,)
        return next(
            (found for r in runs for osr in kinds if (found := self._by_id.get((r, id, osr))) is not None), None
        )

    def task_at(self, offset: int) -> int | None:
        """Returns the task whose text contains a run offset."""
        starts = self.log.column("task_start")
        task = bisect_right(starts, offset) - 1
        return task if task >= 0 and offset < self.log.column("task_end")[task] else None

    def name(self, thread: int) -> str:
        """Returns the name of a thread."""
        if thread == NONE:
            return "unknown thread"
        name = self.log.word(self.log.column("thread_name")[thread]).decode("utf-8", "replace")
        return name or f"thread {self.log.column('thread_id')[thread]}"

    def thread_at(self, offset: int) -> int | None:
        """Returns the thread with tasks whose start is at a run offset."""
        self._look()
        offsets = self.log.column("thread_offset")
        thread = bisect_right(offsets, offset) - 1
        return thread if thread >= 0 and offsets[thread] == offset and thread in self._of_thread else None

    def thread_of_id(self, id: int) -> int | None:
        """Returns the first thread of an id that has tasks."""
        ids = self.log.column("thread_id")
        return next((thread for thread in sorted(self.threads()) if thread != NONE and ids[thread] == id), None)

    def thread_around(self, offset: int) -> int | None:
        """Returns the thread with tasks whose start line contains a run offset."""
        offsets = self.log.column("thread_offset")
        thread = bisect_right(offsets, offset) - 1
        start = offsets[thread] if thread >= 0 else 0
        if thread < 0 or offset - start > LONGEST_START or b"\n" in self.log.pread(offset - start, start):
            return None
        return self.thread_at(start)

    def _thread_key(self, thread: int) -> tuple[int, str, int, int]:
        name = self.name(thread)
        stem = name.rstrip("0123456789")
        return thread == NONE, stem, int(name[len(stem) :][:9] or 0), thread

    def _look(self) -> None:
        """Adds the tasks that are new since the last call."""
        log = self.log
        count = log.tasks
        known = (count, log.threads, log.is_complete)
        if known == self._known:
            return
        first = self._known[0] if self._known[2] == log.is_complete else 0
        if first <= 0 or first > count:
            first = 0
            self._of_thread, self._by_id, self._runs, self._in_id = {}, {}, set(), 0
        self._known = known
        for thread, tasks in groupby(range(first, count), log.column("task_thread").__getitem__):
            self._of_thread.setdefault(thread, []).extend(tasks)
        self._runs.update(log.column("task_run")[first:count])

    def _look_for_ids(self) -> None:
        """Adds the compile ids of new tasks."""
        self._look()
        first, self._in_id = self._in_id, self._known[0]
        columns = (self.log.column(f"task_{name}")[first : self._in_id] for name in ("run", "id", "flags"))
        for task, (run, id, flags) in enumerate(zip(*columns, strict=True), first):
            self._by_id.setdefault((run, id, bool(flags & 1)), task)
