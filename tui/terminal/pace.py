"""One frame in flight: on a slow line nothing is sent before the terminal has shown what was sent.

After each frame the terminal is asked for its cursor position (CSI 6n); it answers when it has worked off the frame.
Until then repaints are held back and keys add up to one frame, so the screen is never behind by more than a frame or
two. A terminal that does not answer is not waited for: pacing goes off, and on again should an answer come after all.
"""

from __future__ import annotations

import time
from collections.abc import Callable

QUESTION = "\x1b[6n"
"""Device status report: the terminal answers with the place of its cursor."""

FIRST_PATIENCE = 1.0
"""Seconds to wait for the first answer: terminals that know the question answer within a round trip."""

PATIENCE = 4.0
"""Seconds to wait once the terminal has answered: 30 KB/s takes one for a screen, a stalled line some more."""

LOST_BEFORE_OFF = 2
"""Answers in a row that may get lost, as in a suspend, before the terminal counts as mute."""


class Pace:
    """Whether the next frame may be sent."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: float | None = None
        self._lost = 0
        self.has_answered = False
        self.is_mute = False
        """No answers came: frames are sent without asking."""

    @property
    def is_holding(self) -> bool:
        """Whether a frame is under way and the next one has to wait."""
        return self._asked is not None

    @property
    def patience(self) -> float:
        """Seconds that an answer may take now."""
        return PATIENCE if self.has_answered else FIRST_PATIENCE

    def ask(self) -> str:
        """The question to send behind a frame; nothing for a mute terminal."""
        if self.is_mute:
            return ""
        self._asked = self._clock()
        return QUESTION

    def answered(self) -> None:
        """The terminal told its cursor position: it has shown what was sent."""
        self._asked = None
        self._lost = 0
        self.has_answered = True
        self.is_mute = False

    def give_up_if_late(self) -> bool:
        """Stop waiting if the answer is overdue; says whether it did."""
        if self._asked is None or self._clock() - self._asked < self.patience:
            return False
        self._asked = None
        self._lost += 1
        self.is_mute = not self.has_answered or self._lost >= LOST_BEFORE_OFF
        return True

    def release(self) -> None:
        """Wait for nothing any more: the answer can't come, or would belong to somebody else."""
        self._asked = None
