"""Scales of a time line's axis: linear, or compressed where nothing changes.

On the compressed scale, stretches up to the median length are linear; longer ones grow with the logarithm. So close
events have enough cells, and no stretch vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import F64Array, I64Array


class TimeScale:
    """Positions of moments: without changes, the moments themselves; else with idle stretches shortened."""

    def __init__(self, length: int, changes: Sequence[I64Array] = ()) -> None:
        """changes: moments at which anything changes, in any order."""
        length = max(length, 1)
        # Lanes have theirs in order, which benefits this sort; `unique` takes ten times as long.
        known = np.sort(np.concatenate([np.asarray([0, length], np.int64), *changes]), kind="stable")
        known = known[np.append(True, known[1:] > known[:-1]) & (known >= 0) & (known <= length)]
        stretches = np.diff(known).astype(np.float64)
        usual = float(np.median(stretches))
        shown = np.where(stretches <= usual, stretches, usual * (1 + np.log(np.maximum(stretches / usual, 1))))
        self._known = known.astype(np.float64)
        self._places = np.concatenate([[0.0], np.cumsum(shown)])
        self.length = float(self._places[-1])

    def positions(self, moments: I64Array) -> F64Array:
        """The positions of moments."""
        found: NDArray[Any] = np.interp(np.asarray(moments, np.float64), self._known, self._places)
        return found

    def moments(self, positions: F64Array) -> I64Array:
        """The moments at positions."""
        return np.rint(np.interp(np.asarray(positions, np.float64), self._places, self._known)).astype(np.int64)
