"""Matches of an expression that follow each other without a gap: one by one, and all together."""

from __future__ import annotations

import re
from collections.abc import Iterator

_GROUP = re.compile(rb"(?<![\\^])\((?!\?)")
"""The beginning of a group with a number."""


def adjacent_matches(expression: re.Pattern[bytes], data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Returns the matches from `start` on, each of which begins where the one before ends."""
    # The scanner behind `finditer`, which `re.Scanner` uses like this; type stubs lack it.
    scanner = expression.scanner(data, start)  # type: ignore[attr-defined]
    return iter(scanner.match, None)


def run_of(pattern: bytes) -> re.Pattern[bytes]:
    """Returns the expression of matches of a pattern that follow each other, without the groups in it.

    Groups with numbers in possessive repetitions can end in an error of Python 3.11.
    """
    return re.compile(rb"(?>%b)++" % _GROUP.sub(b"(?:", pattern))
