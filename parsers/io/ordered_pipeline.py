"""Two threads that process numbered pieces in turn, and can wait until all earlier pieces are done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

THREADS = 2


class PipelineStopped(Exception):
    """Another thread has failed."""


class OrderedPipeline:
    """Work on pieces 0 … count-1. Within `run`, a piece that called `wait` runs alone until it is done.

    Work with several ordered steps has a turn for each, so that the next piece can be in an earlier step.
    """

    def __init__(self, threads: int = THREADS, turns: int = 1) -> None:
        self._changed = threading.Condition()
        self._threads, self._next, self._turns = threads, 0, [0] * turns
        self._failure: BaseException | None = None
        self._is_alone = False
        """True if one thread processes all pieces: this one."""

    def run(self, count: int, worker: Callable[[], Callable[[int], object]]) -> None:
        """Processes all pieces. `worker`, called once per thread, returns the function for a piece. Raises its
        error.
        """
        self._next, self._turns = 0, [0] * len(self._turns)
        self._is_alone = min(self._threads, count) <= 1
        threads = [
            threading.Thread(target=self._work, args=(count, worker), daemon=True)
            for _ in range(0 if self._is_alone else min(self._threads, count))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not threads:
            self._work(count, worker)
        if self._failure is not None:
            raise self._failure

    def wait(self, piece: int, turn: int = 0) -> None:
        """Returns when all earlier pieces are done or have called `done`."""
        if self._turns[turn] == piece:
            return
        with self._changed:
            while self._turns[turn] != piece:
                if self._failure is not None:
                    raise PipelineStopped
                self._changed.wait()

    def done(self, piece: int, turn: int = 0) -> None:
        """Starts the turn of the next piece; called once for every piece, after `wait`."""
        self.wait(piece, turn)
        if self._is_alone:
            self._turns[turn] += 1
            return
        with self._changed:
            self._turns[turn] += 1
            self._changed.notify_all()

    def _work(self, count: int, worker: Callable[[], Callable[[int], object]]) -> None:
        try:
            take = worker()
            while True:
                with self._changed:
                    piece = self._next
                    self._next += 1
                if piece >= count or self._failure is not None:
                    return
                take(piece)
        except PipelineStopped:
            pass
        except BaseException as error:
            with self._changed:
                self._failure = self._failure or error
                self._changed.notify_all()


def in_parallel(jobs: Iterable[Callable[[], object]]) -> None:
    """Runs jobs in the given order, two at once. Raises the exception of a failed job."""
    waiting = list(jobs)
    OrderedPipeline().run(len(waiting), lambda: lambda number: waiting[number]())
