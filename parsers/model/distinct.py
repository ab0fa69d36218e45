"""Distinct values of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

NARROW = 1 << 16
"""A range this wide, or as wide as the array is long, is narrow."""


def distinct(values: AnyArray) -> Any:
    """Returns each value of an array once, ascending.

    It sorts: `numpy.unique` (2.4) uses a hash table and takes five to a hundred times as long.
    """
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]


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
