"""Times as text."""

from __future__ import annotations

import time

from parsers.profile.views.count_text import nanos_text as time_text

__all__ = ["moment_text", "time_text"]

SECOND = 1_000_000_000


def moment_text(nanos: int) -> str:
    """Formats a moment since 1970, in UTC, with all its digits."""
    seconds, rest = divmod(nanos, SECOND)
    try:
        day = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):
        return f"{seconds}.{rest:09}"
    return f"{day}.{rest:09}"
