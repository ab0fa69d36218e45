"""One frame in flight: on a slow connection the next is only sent after the terminal has shown the previous one.

After each frame the terminal is asked for its cursor position (CSI 6n); it answers after processing the frame. Until
then repaints wait and keys are collected for one frame, so the screen lags by one or two frames at most. A terminal
without answers is not waited for: pacing is switched off, and on again if an answer arrives later.
"""

from __future__ import annotations

import time
from collections.abc import Callable

QUESTION = "\x1b[6n"
"""Device status report: the terminal answers with its cursor position."""

FIRST_PATIENCE = 1.0
"""Seconds to wait for the first answer: terminals that support the query answer within a round trip."""

PATIENCE = 4.0
"""Seconds to wait once the terminal has answered: at 30 KB/s a screen takes one, a stalled connection more."""

LOST_BEFORE_OFF = 2
"""Consecutive answers that may be lost, as in a suspend, before the terminal counts as mute."""


class Pace:
    """Decides when the next frame may be sent."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: float | None = None
        self._lost = 0
        self.has_answered = False
        self.is_mute = False
        """True if no answers arrived: frames are sent without a query."""

    @property
    def is_holding(self) -> bool:
        """True if a frame is in flight and the next one must wait."""
        return self._asked is not None

    @property
    def patience(self) -> float:
        """Seconds that an answer may take now."""
        return PATIENCE if self.has_answered else FIRST_PATIENCE

    def ask(self) -> str:
        """The query to send after a frame; empty for a mute terminal."""
        if self.is_mute:
            return ""
        self._asked = self._clock()
        return QUESTION

    def answered(self) -> None:
        """Handles the terminal's answer: it has shown the frame."""
        self._asked = None
        self._lost = 0
        self.has_answered = True
        self.is_mute = False

    def give_up_if_late(self) -> bool:
        """Stops waiting if the answer is overdue; True if it did."""
        if self._asked is None or self._clock() - self._asked < self.patience:
            return False
        self._asked = None
        self._lost += 1
        self.is_mute = not self.has_answered or self._lost >= LOST_BEFORE_OFF
        return True

    def release(self) -> None:
        """Stops waiting: no answer is possible, or it would be read by another program."""
        self._asked = None
