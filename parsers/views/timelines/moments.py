"""Moments and ranges of time as users type them: `12.5`, `12.5 s`, `1:02.5`, `1.5-3.25 s`, `last 5 s`."""

from __future__ import annotations

import re

from parsers.views.timelines.timeline_view import MOST_DECIMALS, SECOND

MOMENT = (
    r"(?:(?:(?P<{0}hours>\d{{1,9}}):)?(?P<{0}minutes>\d{{1,9}}):)?"
    r"(?P<{0}seconds>\d{{1,12}})(?:\.(?P<{0}fraction>\d{{1,9}}))?"
)
"""A moment, for `str.format` with a prefix of its groups."""
RANGE = re.compile(rf"(?:{MOMENT.format('from_')})?(?: ?s)? ?(?:-|–|to) ?(?:{MOMENT.format('to_')})?(?: ?s)?")

LAST = re.compile(rf"last {MOMENT.format('')}(?: ?s)?")


def typed_nanos(found: re.Match[str], prefix: str = "") -> int:
    """Returns the nanoseconds of a moment that `MOMENT` matched."""
    hours, minutes, seconds = (int(found[f"{prefix}{name}"] or 0) for name in ("hours", "minutes", "seconds"))
    fraction = (found[f"{prefix}fraction"] or "").ljust(MOST_DECIMALS, "0")
    return (hours * 3600 + minutes * 60 + seconds) * SECOND + int(fraction)


def typed_range(text: str) -> tuple[int, int | None] | None:
    """Returns start and end of a range in nanoseconds, None for an end that is not given; None: it is no range."""
    found = RANGE.fullmatch(text.strip())
    if found is None or not (found["from_seconds"] or found["to_seconds"]):
        return None
    start = typed_nanos(found, "from_") if found["from_seconds"] else 0
    end = typed_nanos(found, "to_") if found["to_seconds"] else None
    return None if end is not None and end <= start else (start, end)


def typed_last(text: str) -> int | None:
    """Returns the length of a range at the end, in nanoseconds; None: it is no such range."""
    found = LAST.fullmatch(text.strip())
    return None if found is None else typed_nanos(found)


def exact_seconds(nanos: int) -> str:
    """Returns seconds with as many decimals as needed."""
    whole, rest = divmod(nanos, SECOND)
    return f"{whole}.{rest:09}".rstrip("0").rstrip(".")
