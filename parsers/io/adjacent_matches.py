"""Matches of an expression that follow each other without a gap."""

from __future__ import annotations

import re
from collections.abc import Iterator


def adjacent_matches(expression: re.Pattern[bytes], data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Returns the matches from `start` on, each of which begins where the one before ends."""
    # The scanner behind `finditer`, which `re.Scanner` uses like this; type stubs lack it.
    scanner = expression.scanner(data, start)  # type: ignore[attr-defined]
    return iter(scanner.match, None)
