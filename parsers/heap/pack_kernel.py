"""The loop that packs a column: see `parsers.index.packed`."""

from __future__ import annotations

from typing import Any

from parsers.index.jit import int64, kernel, part, uint64
from parsers.index.packed import BLOCK, SAMPLES


@part
def window_of(numbers: Any, start: int, stop: int, top: int) -> Any:
    """The base of the window with most numbers of a block: see `parsers.index.packing.windows_of`."""
    best = int64(-1)
    found = uint64(0)
    for sample in range(SAMPLES):
        middle = uint64(numbers[start + (2 * sample + 1) * (stop - start) // (2 * SAMPLES)])
        half = uint64(top // 2)
        base = middle - half if middle > half else uint64(0)
        fitting = int64(0)
        for place in range(start, stop):
            number = uint64(numbers[place])
            fitting += 1 if number >= base and number - base < uint64(top) else 0
        if fitting > best:
            best = fitting
            found = base
    return found


@kernel
def pack(numbers: Any, start: int, small: Any, bases: Any, has_windows: bool, top: int, rows: Any, values: Any) -> int:
    """Packs a piece of a column; how many numbers stand apart.

    numbers  the first one is that of row `start`, a multiple of BLOCK
    small    uint8 or uint16, filled: as many as there are numbers
    bases    of the type of the numbers, filled: one for each block; empty where the column has none
    top      what stands in place of a number that doesn't fit
    rows     uint32, filled: those that stand apart, room for all
    values   filled: their numbers
    """
    apart: int = int64(0)
    base = uint64(0)
    has_bases = len(bases) > 0
    for place in range(len(numbers)):
        number = numbers[place]
        if has_bases and place % BLOCK == 0:
            base = uint64(number)
            if has_windows:
                base = window_of(numbers, place, min(place + BLOCK, len(numbers)), top)
            bases[place // BLOCK] = base
        rest = uint64(number) - base
        if uint64(number) >= base and rest < uint64(top):
            small[place] = rest
        else:
            small[place] = top
            rows[apart] = start + place
            values[apart] = number
            apart += 1
    return apart
