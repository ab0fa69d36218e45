"""The loops of `merged`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heap import merged
from parsers.index.jit import kernel

hold = kernel(merged.hold)
climb = kernel(merged.climb)
part_ways = kernel(merged.part_ways)
