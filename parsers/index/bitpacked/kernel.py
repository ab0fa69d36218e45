"""The loop that packs a column: see `parsers.index.bitpacked.columns`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.index.bitpacked.columns import BLOCK, SAMPLES
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U8Array, U32Array

HIGHEST = 0xFFFF_FFFF
"""The largest number of a column with windows: uint32."""


@part
def window_of(numbers: U32Array, start: int, stop: int, top: int) -> int:
    """The base of the window with most numbers of a block, of uint32: see `parsers.index.bitpacked.writing.windows_of`.

    Bases are limited so that numbers below them never seem to be in the window: differences wrap around.
    """
    best = int64(-1)
    found = uint32(0)
    for sample in range(SAMPLES):
        middle = int64(numbers[start + (2 * sample + 1) * (stop - start) // (2 * SAMPLES)])
        base = uint32(min(max(middle - top // 2, 0), HIGHEST - 2 * top))
        fitting = uint32(0)
        for place in range(start, stop):
            fitting += uint32(uint32(numbers[place] - base) < uint32(top))
        if int64(fitting) > best:
            best = int64(fitting)
            found = base
    return found


@kernel
def pack_windows(
    numbers: U32Array, start: int, small: U8Array, bases: U32Array, top: int, rows: U32Array, values: U32Array
) -> int:
    """`pack` for a column with windows: numbers and bases are uint32."""
    apart: int = int64(0)
    for first in range(0, len(numbers), BLOCK):
        stop = min(first + BLOCK, len(numbers))
        base = window_of(numbers, first, stop, top)
        bases[first // BLOCK] = base
        for place in range(first, stop):
            rest = uint32(numbers[place] - base)
            small[place] = min(rest, uint32(top))
        for place in range(first, stop):
            if small[place] == top:
                rows[apart] = start + place
                values[apart] = numbers[place]
                apart += 1
    return apart


@part
def base_of(numbers: AnyArray, start: int, stop: int, nones: AnyArray) -> int:
    """The base of a block: its first number; in a column with a number for none the lowest of the others, or 0."""
    base: int = numbers[start]
    if len(nones):
        none = nones[0]
        for place in range(start, stop):
            if numbers[place] != none and (base == none or numbers[place] < base):
                base = numbers[place]
        if base == none:
            base -= none
    return base


@kernel
def pack(
    numbers: AnyArray, start: int, nones: AnyArray, has_bases: bool, small: AnyArray, bases: AnyArray, top: int,
    rows: U32Array, values: AnyArray,
) -> int:  # fmt: skip
    """Packs a piece of a column; returns the number of exceptions.

    numbers  the first one is that of row `start`, a multiple of BLOCK
    nones    the number that top - 1 represents; empty if the column has none
    small    uint8, uint16 or uint32, filled: as many as there are numbers
    bases    of the type of the numbers: zeros, one for each block; filled if `has_bases`
    top      mark of an exception
    rows     uint32, filled: rows of the exceptions, as long as `numbers`
    values   filled: numbers of the exceptions
    """
    apart: int = int64(0)
    has_none = len(nones) > 0
    most = uint64(top - has_none)
    for first in range(0, len(numbers), BLOCK):
        stop = min(first + BLOCK, len(numbers))
        if has_bases:
            bases[first // BLOCK] = base_of(numbers, first, stop, nones)
        base = bases[first // BLOCK]
        for place in range(first, stop):
            number = numbers[place]
            rest = uint64(number) - uint64(base)
            if has_none and number == nones[0]:
                small[place] = top - 1
            elif number >= base and rest < most:
                small[place] = rest
            else:
                small[place] = top
                rows[apart] = start + place
                values[apart] = number
                apart += 1
    return apart
