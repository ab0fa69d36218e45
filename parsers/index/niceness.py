"""Who builds an index leaves the processors to whoever else wants them: somebody presses keys meanwhile.

Linux shares processors out among sessions first (autogroups, sched(7)): being nice counts within one only, and a thread
of the system itself, as the one that brings a key from the terminal to the browser, is in none. So the builder has a
session of its own, and says of that that it is nice. Where there is no such thing, being nice is all there is to it.
"""

from __future__ import annotations

import contextlib
import os
import time

NICE = 10
"""Not SCHED_IDLE: beside a build that takes all processors the index would then never come."""
SESSION_NICE = 5
"""A third of what other sessions get: with less, as 10 would be, beside a build there were no rows for minutes."""
SESSION = "/proc/self/autogroup"
"""Where Linux is told how nice a session is."""
TRIES, REST = 20, 0.1
"""Linux is told so of a few sessions a second only: how often to try, and seconds between."""


def has_nice_sessions() -> bool:
    """Whether a session can be nice here."""
    return os.access(SESSION, os.W_OK)


def be_nice() -> None:
    """Makes this process nice."""
    os.nice(NICE)


def make_session_nice() -> None:
    """Makes the session of this process nice, which it should have to itself; may have to wait a little for that."""
    with contextlib.suppress(OSError):
        for _ in range(TRIES):
            try:
                with open(SESSION, "w") as file:
                    file.write(str(SESSION_NICE))
            except BlockingIOError:
                time.sleep(REST)
            else:
                return
