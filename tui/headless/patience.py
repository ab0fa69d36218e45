"""The end of patience: a regular expression may take longer on one line than anybody lives, so a step has a limit."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, TypeVar

from parsers.model.report import ReportError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

LONGEST = 30.0
"""Seconds that one step may take: a megabyte of lines takes an expression that is well behaved a tenth of one."""

Result = TypeVar("Result")


def patiently(step: Callable[[], Result]) -> Result:
    """What a step of a search gives. Raises `ReportError` if it takes too long; only the main thread can be told."""
    if threading.current_thread() is not threading.main_thread():
        return step()

    def give_up(number: int, frame: FrameType | None) -> None:
        raise ReportError(f"the expression takes more than {LONGEST:g} seconds on a single place of the file: given up")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        return step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
