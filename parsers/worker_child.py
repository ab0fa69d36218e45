"""The child of a `parsers.worker.Worker`: takes jobs as JSON lines on standard input, tells on standard output.

Jobs are generators that take turns, a few milliseconds each, so that a name is found while a search runs. Between the
turns, and by a timer even inside a long one (a regular expression that takes for ever), standard input is looked at: a
cancelled job stops at once, and when the pipe closes the process removes its folder and ends.

    python -m parsers.worker_child FOLDER
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from parsers.child_jobs import Jobs, Told

TELL_EVERY = 0.1
"""Seconds between two reports of one job."""

TELL_FIRST = 0.02
"""Seconds after which a job's first finds are told."""

TURN = 0.01
"""Seconds that a job goes on before another one has its turn."""

LOOK_EVERY = 0.05
"""Seconds between two looks at standard input inside a long turn."""


class Cancelled(BaseException):
    """Raised by the timer inside a job that is not wanted any more. No `Exception`: nobody takes it for an error."""


class _Running:
    """One job and what has been told of it."""

    def __init__(self, id: int, steps: Iterator[Told]) -> None:
        self.id = id
        self.steps = steps
        self.untold: Told = {}
        self.tell_at = time.monotonic() + TELL_FIRST


class Child:
    """The loop: read, let each job go on for a moment, tell."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._jobs = Jobs(folder)
        self._running: dict[int, _Running] = {}
        self._unread = b""
        self._lines: list[bytes] = []
        self._current: int | None = None
        self._may_stop = False

    def run(self) -> None:
        """Until standard input ends."""
        os.set_blocking(0, False)
        signal.signal(signal.SIGALRM, self._look)
        while True:
            if not self._running:
                select.select([0], [], [])
            self._read()
            self._take_lines()
            if not self._running:
                continue
            signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY, LOOK_EVERY)
            is_waiting = True
            for job in list(self._running.values()):
                is_waiting = self._turn(job) and is_waiting
            signal.setitimer(signal.ITIMER_REAL, 0)
            if is_waiting:
                select.select([0], [], [], LOOK_EVERY)

    def _look(self, signum: int, frame: FrameType | None) -> None:
        """Inside a turn: is the job still wanted?"""
        if not self._may_stop:
            return
        self._read()
        asked = f'"cancel": {self._current}}}'.encode()
        if any(line.endswith(asked) for line in self._lines):
            self._may_stop = False
            raise Cancelled

    def _read(self) -> None:
        """Whole lines from standard input; at its end, end."""
        while True:
            try:
                data = os.read(0, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                # Without any clean-up by Python: a job may be anywhere.
                shutil.rmtree(self._folder, ignore_errors=True)
                os._exit(0)
            *lines, self._unread = (self._unread + data).split(b"\n")
            self._lines += lines

    def _take_lines(self) -> None:
        while self._lines:
            message = json.loads(self._lines.pop(0))
            if "cancel" in message:
                job = self._running.pop(message["cancel"], None)
                if job is not None:
                    _close(job.steps)
                self._tell({"stopped": message["cancel"]})
            elif "job" in message:
                self._running[message["job"]] = _Running(message["job"], self._jobs.steps(message))
            else:
                self._jobs.know(message)

    def _turn(self, job: _Running) -> bool:
        """Let a job go on for a moment; True if it only waits for something."""
        until = time.monotonic() + TURN
        self._current = job.id
        is_waiting = False
        try:
            self._may_stop = True
            for told in job.steps:
                self._may_stop = False
                job.untold.update(told)
                is_waiting = told.get("state") == "waiting"
                now = time.monotonic()
                if now >= job.tell_at:
                    self._tell({"job": job.id, **job.untold})
                    job.tell_at = now + TELL_EVERY
                if is_waiting or now >= until:
                    return is_waiting
                self._may_stop = True
            self._may_stop = False
            job.untold.update(state="done", fraction=1.0)
        except Cancelled:
            # The line that asked for it is still in the queue, and takes the job off.
            return False
        except Exception as error:  # The border: whatever went wrong with one job is told, and the others go on.
            self._may_stop = False
            job.untold.update(state="failed", error=_in_a_line(error))
        finally:
            self._may_stop = False
        del self._running[job.id]
        self._tell({"job": job.id, **job.untold})
        return False

    def _tell(self, message: dict[str, Any]) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            try:
                data = data[os.write(1, data) :]
            except BrokenPipeError:
                shutil.rmtree(self._folder, ignore_errors=True)
                os._exit(0)


def _close(steps: Iterator[Told]) -> None:
    close = getattr(steps, "close", None)
    if close is not None:
        close()


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


if __name__ == "__main__":
    Child(sys.argv[1]).run()
