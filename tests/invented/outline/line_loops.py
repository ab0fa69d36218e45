"""The lines of an outline, found by a loop: plain, or compiled as it is (see `parsers.kernels.compiled`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U16Array

TAB, LF = 9, 10


def find_lines(data: U8Array, starts: I64Array, depths: U16Array) -> int:
    """Finds the lines with text: the offset and depth of each. Returns their number."""
    count, at, size = 0, 0, len(data)
    while at < size:
        start = at
        while at < size and data[at] == TAB:
            at += 1
        if at < size and data[at] != LF:
            starts[count], depths[count] = at, at - start
            count += 1
        while at < size and data[at] != LF:
            at += 1
        at += 1
    return count
