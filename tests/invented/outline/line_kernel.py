"""The lines of an outline, found by a compiled loop."""

from __future__ import annotations

from typing import Any

from parsers.kernels.decorators import kernel


@kernel
def find_lines(data: Any, starts: Any, depths: Any) -> int:
    """Offsets (int64) and depths (uint16) of lines with text in uint8 data. Returns the number of lines."""
    count, at = 0, 0
    while at < len(data):
        start = at
        while at < len(data) and data[at] == 9:
            at += 1
        if at < len(data) and data[at] != 10:
            starts[count], depths[count] = at, at - start
            count += 1
        while at < len(data) and data[at] != 10:
            at += 1
        at += 1
    return count
