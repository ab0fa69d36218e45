"""Kernel that bitpacks columns of a recording. Twin: `parsers.index.bitpacked.writing.save_packed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.index.bitpacked.columns import BLOCK
from parsers.kernels.decorators import int64, kernel, part, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U32Array

TRIED = 4
"""Numbers of a block tried as its base if the lowest one does not fit."""


@part
def above(number: int, base: int) -> int:
    """Returns the distance of a number from a smaller or equal one."""
    return uint64(number) - uint64(base)


@part
def fitting(numbers: I64Array, start: int, stop: int, base: int, most: int) -> int:
    """Returns how many numbers fit above a base."""
    found = 0
    for at in range(start, stop):
        if numbers[at] >= base and above(numbers[at], base) < uint64(most):
            found += 1
    return found


@part
def base_of(numbers: I64Array, start: int, stop: int, has_none: bool, none: int, most: int) -> int:
    """Returns a base that most numbers of a block fit above: the lowest one, or one of a few others."""
    base, count = int64(0), 0
    for at in range(start, stop):
        if not has_none or numbers[at] != none:
            base = numbers[at] if count == 0 else min(base, numbers[at])
            count += 1
    best = fitting(numbers, start, stop, base, most)
    if best < count:
        for sample in range(TRIED):
            tried = numbers[start + sample * (stop - start) // TRIED]
            if not has_none or tried != none:
                found = fitting(numbers, start, stop, tried, most)
                if found > best:
                    best, base = found, tried
    return base


@kernel
def pack(
    numbers: I64Array, first: int, has_none: bool, none: Any, top: int, has_bases: bool, small: U32Array,
    bases: I64Array, rows: U32Array, values: I64Array,
) -> int:  # fmt: skip
    """Packs numbers, of which the first begins a block; returns the number of exceptions.

    numbers       int64[n]
    first         the row of the first one
    none          the number that top - 1 represents, if there is one
    small         uint32[n], filled; bases: int64[n // BLOCK + 1], filled if `has_bases`
    rows, values  uint32[n], int64[n]: exceptions
    """
    apart = 0
    most = top - 1 if has_none else top
    for start in range(0, len(numbers), BLOCK):
        stop = min(start + BLOCK, len(numbers))
        base = int64(0)
        if has_bases:
            base = base_of(numbers, start, stop, has_none, none, most)
            bases[start // BLOCK] = base
        for at in range(start, stop):
            number = numbers[at]
            if has_none and number == none:
                small[at] = top - 1
            elif number >= base and above(number, base) < uint64(most):
                small[at] = above(number, base)
            else:
                small[at] = top
                rows[apart] = first + at
                values[apart] = number
                apart += 1
    return apart
