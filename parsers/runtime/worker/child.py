"""The child of a `Worker`: reads jobs as JSON lines from standard input, answers on standard output.

Jobs are generators that run in turns of a few milliseconds, so that names are found while a search runs. Standard input
is read between the turns, and by a timer even inside a long one (a regular expression with exponential time). So a
cancelled job stops at once, and when the pipe closes the process removes its folder and ends.

    python -m parsers.runtime.worker.child FOLDER
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Generator, Iterator
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from parsers.io.cache import write_all
from parsers.runtime.worker.child_jobs import Jobs

if TYPE_CHECKING:
    from parsers.runtime.worker.job import JobMessage

SEND_EVERY = 0.1
"""Seconds between two reports of one job."""

FIRST_SEND = 0.02
"""Seconds after which a job's first results are reported."""

SLICE = 0.01
"""Seconds of a job's turn."""

POLL_EVERY = 0.05
"""Seconds between two reads of standard input inside a long turn."""


LONGEST_SLICE = 1.0
"""Seconds after which a search that blocks other jobs is given up."""


class Cancelled(BaseException):
    """Raised by the timer inside a cancelled job. Not an `Exception`, so that no handler treats it as an error."""


class TookTooLong(Exception):
    """Raised by the timer inside a job that blocks others."""


class _Running:
    """One job and the results not yet reported.

    can_stop: True if it may be interrupted anywhere. That holds for a search once its imports are done: an interrupted
    import would break the next job. The other kinds of jobs have short steps.
    """

    def __init__(self, id: int, kind: str, steps: Iterator[JobMessage]) -> None:
        self.id = id
        self.kind = kind
        self.steps = steps
        self.can_stop = False
        self.unsent: JobMessage = {}
        self.send_at = time.monotonic() + FIRST_SEND


class Child:
    """The loop: reads, gives each job its turn, reports."""

    def __init__(self, folder: str, jobs: Jobs) -> None:
        self._folder = folder
        self._jobs = jobs
        self._running: dict[int, _Running] = {}
        self._unread = b""
        self._lines: list[bytes] = []
        self._current: _Running | None = None
        self._began = 0.0

    def run(self) -> None:
        """Runs until standard input ends."""
        self._jobs.warm_up()
        os.set_blocking(0, False)
        signal.signal(signal.SIGALRM, self._look)
        # Loaded objects stay: scanning them at each collection would delay answers.
        gc.collect()
        gc.freeze()
        self._send({"is_loaded": True})
        while True:
            # The timer may have read lines, too.
            if not self._running and not self._lines:
                select.select([0], [], [])
            self._read()
            self._take_lines()
            if not self._running:
                continue
            signal.setitimer(signal.ITIMER_REAL, POLL_EVERY, POLL_EVERY)
            is_waiting = True
            for job in list(self._running.values()):
                is_waiting = self._run_slice(job) and is_waiting
            signal.setitimer(signal.ITIMER_REAL, 0)
            if is_waiting:
                select.select([0], [], [], POLL_EVERY)

    def _look(self, signum: int, frame: FrameType | None) -> None:
        """Timer handler inside a turn: stops the job if it was cancelled or blocks others."""
        job = self._current
        if job is None:
            return
        self._read()
        asked = f'"cancel": {job.id}}}'.encode()
        if not job.can_stop:
            return
        if any(line.endswith(asked) for line in self._lines):
            self._current = None
            raise Cancelled
        others_wait = len(self._running) > 1 or any(b'"job"' in line for line in self._lines)
        if others_wait and time.monotonic() > self._began + LONGEST_SLICE:
            self._current = None
            raise TookTooLong("the expression takes too long on a single line, and something else was asked")

    def _read(self) -> None:
        """Reads whole lines from standard input; ends the process at its end."""
        while True:
            try:
                data = os.read(0, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                self._end()
            *lines, self._unread = (self._unread + data).split(b"\n")
            self._lines += lines

    def _take_lines(self) -> None:
        while self._lines:
            message = json.loads(self._lines.pop(0))
            if "cancel" in message:
                job = self._running.pop(message["cancel"], None)
                if job is not None:
                    _close(job.steps)
                    if message["forget"]:
                        self._jobs.forget(job.id)
                self._send({"stopped": message["cancel"]})
            elif "job" in message:
                self._running[message["job"]] = _Running(message["job"], message["kind"], self._jobs.steps(message))
            else:
                self._jobs.follow_index(message)

    def _run_slice(self, job: _Running) -> bool:
        """Gives a job its turn; True if it only waits for something."""
        self._began = time.monotonic()
        is_waiting = False
        try:
            self._current = job
            for news in job.steps:
                self._current = None
                job.can_stop = job.kind == "find"
                job.unsent.update(news)
                is_waiting = news.get("state") == "waiting"
                now = time.monotonic()
                if now >= job.send_at:
                    self._send({"job": job.id, **job.unsent})
                    job.send_at = now + SEND_EVERY
                if is_waiting or now >= self._began + SLICE:
                    return is_waiting
                self._current = job
            self._current = None
            job.unsent.update(state="done", fraction=1.0)
        except Cancelled:
            # The cancel line is still in the queue, and removes the job.
            return False
        except Exception as error:  # The border: an error of one job is reported, and the others continue.
            job.unsent.update(state="failed", error=_in_a_line(error))
        finally:
            self._current = None
        del self._running[job.id]
        self._send({"job": job.id, **job.unsent})
        return False

    def _send(self, message: JobMessage) -> None:
        try:
            write_all(1, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            self._end()

    def _end(self) -> NoReturn:
        """Ends the process without clean-up by Python: a job may be anywhere."""
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(0)


def _close(steps: Iterator[JobMessage]) -> None:
    if isinstance(steps, Generator):
        steps.close()


def _in_a_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    else:
        text = str(error) if isinstance(error, TookTooLong) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:300]


if __name__ == "__main__":
    Child(sys.argv[1], Jobs(sys.argv[1])).run()
