"""Two threads that take numbered pieces in turn, and may wait until all pieces before theirs are done."""

from __future__ import annotations

import threading
from collections.abc import Callable

THREADS = 2


class Stopped(Exception):
    """Another thread has failed."""


class OrderedPipeline:
    """Work on pieces 0 … count-1. Within `run`, a piece that called `wait` is alone until it is done."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next = self._turn = 0
        self._failure: BaseException | None = None

    def run(self, count: int, worker: Callable[[], Callable[[int], object]]) -> None:
        """Does all pieces. `worker`, called once in each thread, gives what does a piece. Raises what that does."""
        self._next = self._turn = 0
        threads = [
            threading.Thread(target=self._work, args=(count, worker), daemon=True) for _ in range(min(THREADS, count))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def wait(self, piece: int) -> None:
        """Returns when all pieces before this one are done or have called `done`."""
        with self._changed:
            while self._turn != piece:
                if self._failure is not None:
                    raise Stopped
                self._changed.wait()

    def done(self, piece: int) -> None:
        """Lets the next piece have its turn; called for every piece once, behind `wait`."""
        self.wait(piece)
        with self._changed:
            self._turn += 1
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
        except Stopped:
            pass
        except BaseException as error:
            with self._changed:
                self._failure = self._failure or error
                self._changed.notify_all()
