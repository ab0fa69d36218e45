"""Reads the contents of all tasks of a log: by plain code, or by two threads with kernels that take batches in turn.

Meanwhile the caller receives snapshots of the result: the first at once, others after pauses so long that merging
takes a small part of the time.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import MergedDecisions, ReaderResult, merge
from parsers.formats.hotspot.decisions.tasks import MakeArray, TaskBatch, Tasks
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.tables_plain import PlainDecisionReader
    from parsers.formats.hotspot.decisions.tables_thread import KernelDecisionReader

    DecisionReader = PlainDecisionReader | KernelDecisionReader
    Readers = dict[int, DecisionReader]

THREADS = 2
SWITCH = 0.0002
"""Switch interval in seconds. A merging thread must quickly yield to a thread that has read a batch and needs a moment
for the next one: with Python's 5 ms the readers waited half of the time.
"""
PAUSE = 1.5
"""Seconds between two snapshots."""
SHARE = 5
"""Minimum pause, as a multiple of the time that the last snapshot took."""


class DecisionTablesBuild:
    """The build of the statistics of one log."""

    def __init__(
        self, tasks: Tasks, report_progress: Callable[[int], None] | None = None, make_array: MakeArray = np.zeros,
        show: Callable[[MergedDecisions, int], None] | None = None, pause: float = PAUSE,
    ) -> None:  # fmt: skip
        """
        report_progress        receives the number of tasks read, now and then
        make_array  for tables that grow
        show        receives a snapshot, and the number of its tasks
        pause       minimum seconds between two snapshots
        """
        self._tasks = tasks
        self._make_array = make_array
        self._report_progress = report_progress
        self._show = show
        self._pause = pause
        self._due = time.monotonic()
        self._has_shown = False
        count = tasks.count
        self.free = np.full(count, NONE, np.uint32)
        """By task: free_code_cache in KiB."""
        self.inlined = np.zeros(count, np.uint32)
        self.failed = np.zeros(count, np.uint32)
        self._done = 0
        self._changed = threading.Condition()
        """Acquired by each thread that changes one of these."""
        self._asked: set[int] = set()
        """Readers that were asked for their results so far."""
        self._so_far: dict[int, list[ReaderResult]] = {}
        self._found: dict[int, list[ReaderResult]] = {}
        """Results of readers that have finished."""
        self._failure: BaseException | None = None

    def plain(self) -> MergedDecisions:
        """Reads by plain code."""
        from parsers.formats.hotspot.decisions.tables_plain import PlainDecisionReader

        make = partial(PlainDecisionReader, self._tasks)
        readers: Readers = {0: make(0)}
        for batch in self._tasks.batches():
            self._read(readers, make, batch)
            if self._show is not None and time.monotonic() >= self._due:
                self._show_found(_found(readers))
        return self._merge(_found(readers))

    def compiled(self) -> MergedDecisions:
        """Reads with kernels."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        try:
            return self._with_threads(self._tasks.batches())
        finally:
            sys.setswitchinterval(before)

    def _with_threads(self, batches: Iterator[TaskBatch]) -> MergedDecisions:
        readers = range(THREADS)
        for number in readers:
            threading.Thread(target=self._work, args=(number, batches), daemon=True).start()
        while True:
            with self._changed:
                wait = None if self._show is None else max(self._due - time.monotonic(), 0)
                has_ended = self._changed.wait_for(lambda: self._failure or len(self._found) == THREADS, wait)
                if self._failure is not None:
                    raise self._failure
                if has_ended:
                    return self._merge([found for number in readers for found in self._found[number]])
                self._so_far.clear()
                self._asked.update(number for number in readers if number not in self._found)
                self._changed.wait_for(lambda: self._failure or not self._asked)
                known = self._so_far | self._found
            if len(known) == THREADS:
                self._show_found([found for number in readers for found in known[number]])

    def _work(self, number: int, batches: Iterator[TaskBatch]) -> None:
        try:
            self._take(number, batches)
        except BaseException as error:
            with self._changed:
                self._failure = self._failure or error
                self._changed.notify_all()

    def _take(self, number: int, batches: Iterator[TaskBatch]) -> None:
        from parsers.formats.hotspot.decisions.tables_thread import KernelDecisionReader

        make = partial(KernelDecisionReader, self._tasks, make_array=self._make_array)
        readers: Readers = {0: make(0)}
        while True:
            with self._changed:
                batch = None if self._failure is not None else next(batches, None)
                is_asked = number in self._asked
            if batch is None or is_asked:
                found = _found(readers)
                with self._changed:
                    (self._found if batch is None else self._so_far)[number] = found
                    self._asked.discard(number)
                    self._changed.notify_all()
            if batch is None:
                return
            self._read(readers, make, batch)

    def _read(self, readers: Readers, make: Callable[[int], DecisionReader], batch: TaskBatch) -> None:
        """Reads the tasks of a batch. readers: those of a thread, one for each JVM, which `make` makes"""
        file, run, first, last = batch
        if run not in readers:
            readers[run] = make(run)
        readers[run].read(file, first, last, *(each[first:last] for each in (self.free, self.inlined, self.failed)))
        with self._changed:
            self._done += last - first
            if self._report_progress is not None:
                self._report_progress(self._done)

    def _merge(self, found: list[ReaderResult]) -> MergedDecisions:
        return merge(found, self._tasks.known)

    def _show_found(self, found: list[ReaderResult]) -> None:
        assert self._show is not None
        done, began = self._done, time.monotonic()
        self._show(self._merge(found), done)
        now = time.monotonic()
        # The first snapshot has little content but tables that stay the same later: the next one should follow soon.
        least = SHARE * (now - began) if self._pause and self._has_shown else 0
        self._due, self._has_shown = now + max(self._pause, least), True


def _found(readers: Readers) -> list[ReaderResult]:
    return [reader.found() for reader in readers.values()]
