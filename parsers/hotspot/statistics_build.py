"""Reads the insides of all tasks of a log: by plain code, or by two threads with kernels that take batches in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from parsers.hotspot.columns import NONE
from parsers.hotspot.statistics import Found, Statistics, TaskHead, merge

THREADS = 2
BATCH = 2 << 20
"""Bytes that are read at once, if a task isn't longer."""
LONGEST_TASK = 16 << 20
"""Bytes of a task that are looked at; real ones have half a million at most."""


MakeArray = Callable[[int, Any], Any]
"""Makes an array of zeros: how many, of which type. Large tables can be kept elsewhere than in the process's memory."""


@dataclass
class Tasks:
    """What pass 1 knows of all tasks, and how to get at their bytes."""

    starts: Any
    """uint64: run offsets, ascending."""
    ends: Any
    methods: Any
    """uint32: numbers of texts."""
    levels: Any
    """uint8"""
    fragments: Any
    """uint8: 1 for a task in a fragment."""
    files: Any
    """int64[files + 1]: the first task of each file, and their number."""
    method_starts: Any
    """uint64[methods + 1]: where the text of each begins in `method_blob`."""
    method_blob: Any
    """uint8"""
    read_into: Callable[[memoryview, int], None]
    """Fills a buffer with the bytes of the run from an offset on."""

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.starts)

    @property
    def known(self) -> int:
        """How many methods pass 1 knows."""
        return max(len(self.method_starts) - 1, 0)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the bytes of some tasks begin, and how many have to be read."""
        begin = int(self.starts[first])
        end = min(int(self.ends[last - 1]), int(self.starts[last - 1]) + LONGEST_TASK)
        return begin, end - begin

    def text(self, method: int) -> bytes | None:
        """The text of a method; None if there is none."""
        if method == NONE:
            return None
        start, stop = self.method_starts[method : method + 2]
        return bytes(self.method_blob[start:stop])

    def batches(self) -> Iterator[tuple[int, int, int]]:
        """File, first task and the one behind the last one, in order: bytes that are read at once."""
        for file in range(len(self.files) - 1):
            first, last = int(self.files[file]), int(self.files[file + 1])
            while first < last:
                limit = int(self.starts[first]) + BATCH
                stop = first + int(np.searchsorted(self.ends[first:last], limit, "right"))
                stop = max(first + 1, stop)
                yield file, first, stop
                first = stop


class StatisticsBuild:
    """One log on its way to its statistics."""

    def __init__(
        self, tasks: Tasks, tell: Callable[[int], None] | None = None, make_array: MakeArray = np.zeros
    ) -> None:
        """tell: is told how many tasks have been read, now and then; make_array: for tables that grow"""
        self._tasks = tasks
        self._make_array = make_array
        self._tell = tell
        count = tasks.count
        self.free = np.zeros(count, np.uint32)
        """By task: free_code_cache in KiB."""
        self.inlined = np.zeros(count, np.uint32)
        self.failed = np.zeros(count, np.uint32)
        self._done = 0
        self._lock = threading.Lock()
        self._failure: BaseException | None = None

    def plain(self) -> Statistics:
        """By plain code."""
        from parsers.hotspot.statistics_plain import PlainStatistics

        tasks = self._tasks
        reader = PlainStatistics(texts_of(tasks.method_starts, tasks.method_blob, 0, tasks.known))
        for file, first, last in tasks.batches():
            begin, length = tasks.span(first, last)
            data = bytearray(length)
            tasks.read_into(memoryview(data), begin)
            for task in range(first, last):
                start = int(tasks.starts[task]) - begin
                stop = min(int(tasks.ends[task]) - begin, start + LONGEST_TASK)
                head = TaskHead(
                    task,
                    tasks.text(int(tasks.methods[task])),
                    int(tasks.levels[task]),
                    file,
                    bool(tasks.fragments[task]),
                )
                self.free[task], self.inlined[task], self.failed[task] = reader.feed(bytes(data[start:stop]), head)
            self._note(last - first)
        return self._merge([reader.found()])

    def compiled(self) -> Statistics:
        """With kernels."""
        batches = self._tasks.batches()
        found: list[Found] = []

        def work() -> None:
            try:
                found.append(self._take(batches))
            except BaseException as error:
                self._failure = self._failure or error

        threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure
        return self._merge(found)

    def _take(self, batches: Iterator[tuple[int, int, int]]) -> Found:
        from parsers.hotspot.statistics_thread import StatisticsThread

        thread = StatisticsThread(self._tasks, self._make_array)
        while True:
            with self._lock:
                batch = None if self._failure is not None else next(batches, None)
            if batch is None:
                return thread.found()
            file, first, last = batch
            thread.read(file, first, last, self.free[first:last], self.inlined[first:last], self.failed[first:last])
            self._note(last - first)

    def _merge(self, found: list[Found]) -> Statistics:
        return merge(found, self._tasks.known)

    def _note(self, tasks: int) -> None:
        with self._lock:
            self._done += tasks
            if self._tell is not None:
                self._tell(self._done)


def texts_of(starts: Any, blob: Any, first: int, last: int) -> list[bytes]:
    """Some texts of a table."""
    places = np.asarray(starts)[first : last + 1].tolist()
    if not places:
        return []
    data = np.asarray(blob)[places[0] : places[-1]].tobytes()
    return [data[start - places[0] : stop - places[0]] for start, stop in pairwise(places)]
