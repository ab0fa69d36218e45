"""The child process for requests that take longer than a frame: find, select, names. This is its caller's side.

One child lives as long as its `Worker`, started with the first job. Jobs and results are JSON lines; long lists are in
files of a private folder (`query/selection/number_file.py`), of which only the needed part is read. Only `Job.wait`
waits; memory does not grow with the results.

If a cancelled job doesn't stop soon, or the child dies, only the child is lost. The running jobs are sent to a new
child (after a cancel) or fail with a message (after a crash). The child ends when its pipe closes, so also when this
process is killed, and removes the folder.

    worker = Worker()
    worker.attach(asyncio.get_running_loop(), on_news)      # on_news(jobs that changed)
    job = worker.find(source.plain_path, compile_pattern("Map$Entry"), report.encoding)
    job.count, job.kind, job.fraction, job.state; job.lines[0]; job.cancel(); job.close()

Without an event loop: `job.wait(progress)`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parsers.io.cache import Cache
from parsers.io.channel import Channel
from parsers.query.search.pattern import Pattern
from parsers.query.selection.selection import Filters
from parsers.runtime.worker.job import FindJob, Job, JobMessage, NamesJob, SelectJob

PATIENCE = 0.3
"""Seconds that a cancelled search may continue before its process is killed."""

MORE_PATIENCE = 5.0
"""The same during uninterruptible work: starting the child, loading kernels, reading names, selecting rows."""

News = Callable[[list[Job]], object]


class Worker:
    """The caller's side of one child. For one thread."""

    module = "parsers.runtime.worker.child"
    """Main module of the child."""
    noun = "search"
    """Its work in messages."""

    def __init__(self) -> None:
        self._cache = Cache(keep=False)
        self._folder: str | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        """Open as long as there is a child."""
        self._jobs: dict[int, Job] = {}
        self._changed: dict[int, Job] = {}
        self._last = 0
        self._report: JobMessage | None = None
        self._is_ready = False
        self._start_failure = ""
        self._deadline: float | None = None
        self._stopping: dict[int, Job] = {}
        self._is_loaded = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: News | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    # -- the process --------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts the child now, so that it is ready for the first job. Does nothing if it runs.

        If that is impossible (no space for files, no more processes) jobs fail with a message.
        """
        if self._child is not None or self._is_closed:
            return
        try:
            if self._folder is None:
                self._folder = self._cache.temporary_folder()
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", self.module, self._folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            self._start_failure = f"the {self.noun} process can't be started: {error.strerror}"
            return
        self._start_failure = ""
        self._is_loaded = False
        assert child.stdin is not None and child.stdout is not None
        self._child, self._channel = child, Channel(child.stdout, child.stdin)
        if self._loop is not None:
            self._loop.add_reader(child.stdout, self._on_readable)
        if self._report is not None:
            self._send({"report": self._report, "is_ready": self._is_ready})

    def open(
        self, paths: Sequence[str], format: str, cache_folder: str, is_ready: bool = False, end: int | None = None
    ) -> None:
        """Sets the report for `select` and `names`: `Source.stored_path` of each file, and `Cache.folder`.

        is_ready  True if its index is finished; else `index_is_ready` must be called later
        end       `Source.end`
        """
        self.open_asked({"paths": list(paths), "format": format, "cache": cache_folder, "end": end}, is_ready)

    def open_asked(self, asked: JobMessage, is_ready: bool) -> None:
        """Sets the report, or reports, as the child expects them."""
        self._report = asked
        self._is_ready = is_ready
        self._send({"report": asked, "is_ready": is_ready})

    def index_is_ready(self) -> None:
        """Reports that the index is finished: waiting jobs start."""
        self._is_ready = True
        self._send({"is_ready": True})

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when `follow` has news; changes with each new child. None: no child."""
        return None if self._channel is None else self._channel.source.fileno()

    def attach(self, loop: asyncio.AbstractEventLoop, news: News) -> None:
        """Lets an event loop follow: it calls `news(jobs)` with the changed jobs."""
        self._loop, self._news = loop, news
        if self._channel is not None:
            loop.add_reader(self._channel.source, self._on_readable)

    def close(self) -> None:
        """Ends the child and removes everything it wrote."""
        self._is_closed = True
        self._stop_child()
        for job in list(self._jobs.values()):
            job.fail(f"the {self.noun} was closed")
        self._jobs.clear()
        self._cache.close()

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def find(
        self,
        path: str,
        pattern: Pattern,
        encoding: str,
        start: int = 0,
        stop: int | None = None,
        more: Sequence[tuple[str, int]] = (),
        separator: str = "\n",
    ) -> FindJob:
        """Searches a pattern in a plain file (`Source.plain_path`), from a line's start; needs no index.

        more       the other files of a run, with the run offset at which each begins (`plain_files`)
        separator  as for `scan`
        """
        job = FindJob(self, self.next_id(), self.path, pattern)
        files = [(path, 0), *more]
        asked = {"files": files, "pattern": pattern.to_json(), "encoding": encoding, "start": start, "stop": stop}
        asked["separator"] = separator
        self.submit(job, "find", asked)
        return job

    def select(
        self, filters: Filters, view: str, matches: FindJob | None = None, made: Mapping[str, Any] | None = None
    ) -> SelectJob:
        """Applies filters to a view whose tree is a preorder; `matches`: a finished search whose rows to keep.

        made: for a view that filters itself, its settings and the pattern: `chosen`, `patterns`, `hide`, `pattern`
        """
        job = SelectJob(self, self.next_id(), self.path)
        found = None
        if matches is not None:
            pattern = matches.resolved.to_json()
            found = {"path": matches.lines.path, "count": matches.count, "pattern": pattern}
        self.submit(job, "select", {"view": view, "filters": filters.to_json(), "matches": found, "made": made})
        return job

    def names(self, query: str, is_fuzzy: bool = True, limit: int = 200) -> NamesJob:
        """The report's unique names that match a query, best first (see `parsers.query.search.names`)."""
        job = NamesJob(self, self.next_id())
        self.submit(job, "names", {"query": query, "is_fuzzy": is_fuzzy, "limit": limit})
        return job

    def follow(self) -> list[Job]:
        """Reads the messages of the child; returns the changed jobs. Never waits."""
        if self._channel is not None:
            self._channel.flush()
            for message in self._channel.take():
                self._take(message)
            if not self._channel.is_open:
                self._child_ended()
            elif self._deadline is not None and time.monotonic() >= self._deadline:
                self._kill()
        changed = list(self._changed.values())
        self._changed.clear()
        return changed

    def wait(self, job: Job, progress: Callable[[Job], object] | None = None) -> None:
        """Waits until a job has ended, calling `progress` now and then: for callers without an event loop."""
        while not job.has_ended:
            assert self._channel is not None, "a job that has not ended has a child"
            with selectors.DefaultSelector() as selector:
                selector.register(self._channel.source, selectors.EVENT_READ)
                if self._channel.has_unsent:
                    selector.register(self._channel.target, selectors.EVENT_WRITE)
                selector.select(0.1)
            if job in self.follow() and progress is not None:
                progress(job)

    def cancel(self, job: Job, forget: bool = False) -> None:
        """Stops a job; its results stay unless `forget`. Called by `Job.cancel`, `Job.close`."""
        if self._jobs.pop(job.id, None) is None:
            return
        self._changed[job.id] = job
        if self._child is None:
            return
        # The number must be last: the child's timer looks for it there.
        self._send({"forget": forget, "cancel": job.id})
        self._stopping[job.id] = job
        if self._deadline is None:
            working = [*self._jobs.values(), *self._stopping.values()]
            is_quick = self._is_loaded and all(each.can_be_left for each in working)
            patience = PATIENCE if is_quick else MORE_PATIENCE
            self._deadline = time.monotonic() + patience
            if self._loop is not None:
                self._timer = self._loop.call_later(patience + 0.01, self._on_readable)

    # -- private ------------------------------------------------------------------------------------------------------

    def next_id(self) -> int:
        """Returns the number of a new job, and starts the child if necessary. Raises `ValueError` after `close`."""
        if self._is_closed:
            raise ValueError("the worker is closed")
        self._last += 1
        self.start()
        return self._last

    def path(self, name: str) -> str:
        """The path of a file in the child's folder."""
        return os.path.join(self._folder or "", name)

    def submit(self, job: Job, kind: str, asked: JobMessage) -> None:
        """Sends a job."""
        job.asked = {"job": job.id, "kind": kind, **asked}
        self._ask(job)

    def _ask(self, job: Job) -> None:
        if self._child is None:
            job.fail(self._start_failure)
            self._changed[job.id] = job
            if self._loop is not None:
                self._loop.call_soon(self._on_readable)
            return
        self._jobs[job.id] = job
        self._send(job.asked)

    def _send(self, message: JobMessage) -> None:
        if self._channel is not None:
            self._channel.send(message)

    def _take(self, message: JobMessage) -> None:
        if "is_loaded" in message:
            self._is_loaded = True
            return
        if "stopped" in message:
            self._stopping.pop(message["stopped"], None)
            if not self._stopping:
                self._be_patient()
            return
        job = self._jobs.get(message["job"])
        if job is None:
            return
        job.take(message)
        self._changed[job.id] = job
        if job.has_ended:
            del self._jobs[job.id]

    def _on_readable(self) -> None:
        changed = self.follow()
        if changed and self._news is not None:
            self._news(changed)

    def _kill(self) -> None:
        """A cancelled job didn't stop: ends the child, and sends the other jobs to a new one."""
        self._stop_child()
        jobs = list(self._jobs.values())
        self._jobs.clear()
        for job in jobs:
            job.restart()
            self.start()
            self._changed[job.id] = job
            self._ask(job)

    def _child_ended(self) -> None:
        """The child died by itself: all its jobs have failed."""
        child = self._child
        self._stop_child()
        status = child.returncode if child is not None else 0
        why = f"signal {-status}" if status < 0 else f"status {status}"
        for job in self._jobs.values():
            job.fail(f"the {self.noun} process ended unexpectedly ({why})")
            self._changed[job.id] = job
        self._jobs.clear()

    def _be_patient(self) -> None:
        """Clears the deadline: all cancelled jobs have stopped."""
        self._stopping.clear()
        self._deadline = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_child(self) -> None:
        child, self._child = self._child, None
        channel, self._channel = self._channel, None
        self._be_patient()
        if child is None or channel is None:
            return
        if self._loop is not None:
            with contextlib.suppress(RuntimeError, OSError, ValueError):
                self._loop.remove_reader(channel.source)
        child.kill()
        channel.close()
        child.wait()
