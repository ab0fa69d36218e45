"""The different values of an array."""

from __future__ import annotations

from typing import Any


def distinct(values: Any) -> Any:
    """Each value of an array once, ascending.

    By sorting: `numpy.unique` (2.4) puts them into a hash table and takes five to a hundred times as long.
    """
    import numpy as np

    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
