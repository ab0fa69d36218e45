"""Lower priority for the process that builds an index, because a user presses keys meanwhile.

Linux first divides processor time among sessions (autogroups, sched(7)): niceness counts only within one session. A
kernel thread, such as the one that passes a key from the terminal to the browser, is in none. So the builder has its
own session, and sets the niceness of that. Without autogroups, only the process is nice.
"""

from __future__ import annotations

import contextlib
import os
import time

NICE = 10
"""Not SCHED_IDLE: beside a build that takes all processors the index would then make no progress."""
SESSION_NICE = 5
"""A third of the share of other sessions: with 10, no rows appeared for minutes beside a build."""
SESSION = "/proc/self/autogroup"
"""File that sets the niceness of a session."""
TRIES, REST = 20, 0.1
"""Linux accepts only a few such changes a second: number of attempts, and seconds between."""


def has_nice_sessions() -> bool:
    """True if the niceness of a session can be set."""
    return os.access(SESSION, os.W_OK)


def be_nice() -> None:
    """Lowers the priority of this process."""
    os.nice(NICE)


def make_session_nice() -> None:
    """Lowers the priority of this process's session, which it should have for itself; may wait a little."""
    with contextlib.suppress(OSError):
        for _ in range(TRIES):
            try:
                with open(SESSION, "w") as file:
                    file.write(str(SESSION_NICE))
            except BlockingIOError:
                time.sleep(REST)
            else:
                return
