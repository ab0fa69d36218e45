"""Work in its own thread, with its result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class BackgroundTask(Generic[Result]):
    """Starts the work at once; `result` waits for it."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._results: list[Result] = []
        self._failure: BaseException | None = None
        # Not `Thread.join`, which takes a thread for ended if a signal interrupts it.
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._failure = error
        finally:
            self._ended.set()

    def ends_within(self, seconds: float) -> bool:
        """Waits at most that long; True if the work is done."""
        return self._ended.wait(seconds)

    def result(self) -> Result:
        """Returns the result of the work, or raises its error."""
        self._ended.wait()
        if self._failure is not None:
            raise self._failure
        return self._results[0]


def in_halves(count: int, work: Callable[[int, int], object]) -> None:
    """Runs work on both halves of 0 … count at once."""
    half = count // 2
    upper = BackgroundTask(lambda: work(half, count))
    work(0, half)
    upper.result()
