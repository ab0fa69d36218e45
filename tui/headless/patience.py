"""Time limit of a search step: a regular expression may take practically forever on one line."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, TypeVar

from parsers.model.report import ReportError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

LONGEST = 30.0
"""Maximum seconds of one step: a megabyte of lines takes a well-behaved expression a tenth of a second."""

Result = TypeVar("Result")


def patiently(step: Callable[[], Result]) -> Result:
    """Returns the result of a step. Raises `ReportError` if it takes too long; works in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        return step()

    def give_up(number: int, frame: FrameType | None) -> None:
        raise ReportError(f"the expression takes more than {LONGEST:g} seconds on a single place of the file: given up")

    before = signal.signal(signal.SIGALRM, give_up)
    # Again and again: Python drops an exception that is raised while it collects garbage.
    signal.setitimer(signal.ITIMER_REAL, LONGEST, LONGEST)
    try:
        return step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
