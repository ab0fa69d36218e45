"""Distinct values of arrays, runs of equal values, and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from parsers.model.arrays import AnyArray, BoolArray, I64Array

NARROW = 1 << 16
"""A range this wide, or as wide as the array is long, is narrow."""


def distinct(values: AnyArray) -> Any:
    """Returns each value of an array once, ascending.

    It sorts: `numpy.unique` (2.4) uses a hash table and takes five to a hundred times as long.
    """
    ordered = np.sort(values)
    return ordered[begins(ordered)]


def begins(*columns: AnyArray) -> BoolArray:
    """Marks each row that differs from the row before it in any of the columns; the first row does."""
    found: BoolArray = np.zeros(len(columns[0]), np.bool_)
    found[:1] = True
    for values in columns:
        found[1:] |= values[1:] != values[:-1]
    return found


def ranks_of(order: AnyArray | list[int], dtype: DTypeLike = "i8") -> Any:
    """Returns by number its place in an order of all numbers from 0 on."""
    ranks = np.empty(len(order), dtype)
    ranks[order] = np.arange(len(order), dtype=dtype)
    return ranks


def distinct_places(values: AnyArray) -> tuple[AnyArray, I64Array]:
    """Returns each value of an array once, ascending, and by value its place among them, int64.

    Integers in a narrow range are found without sorting.
    """
    if len(values) and values.dtype.kind in "iu":
        least, most = int(values.min()), int(values.max())
        if most - least < max(len(values), NARROW):
            places = (values - least).astype(np.int64, copy=False)
            is_used = np.zeros(most - least + 1, np.bool_)
            is_used[places] = True
            used = np.flatnonzero(is_used).astype(values.dtype) + values.dtype.type(least)
            return used, (np.cumsum(is_used) - 1)[places]
    used, places = np.unique(values, return_inverse=True)
    return used, places.reshape(-1)
