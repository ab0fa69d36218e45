"""Different numbers of an array. Those in a narrow range are found without sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

NARROW = 1 << 16
"""A range this wide, or as wide as the array is long, is narrow."""


def different(numbers: Any) -> tuple[Any, Any]:
    """Returns the different numbers, ascending, and by number its place among them: `numpy.unique` with its inverse."""
    if len(numbers) and numbers.dtype.kind in "iu":
        least, most = int(numbers.min()), int(numbers.max())
        if most - least < max(len(numbers), NARROW):
            places = (numbers - least).astype(np.int64, copy=False)
            is_used = np.zeros(most - least + 1, np.bool_)
            is_used[places] = True
            return np.flatnonzero(is_used).astype(numbers.dtype) + numbers.dtype.type(least), (np.cumsum(is_used) - 1)[
                places
            ]
    used, places = np.unique(numbers, return_inverse=True)
    return used, places.reshape(-1)
