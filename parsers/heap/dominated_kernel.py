"""The loops of `dominated`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heap import dominated
from parsers.index.jit import kernel

put_below = kernel(dominated.put_below)
add_groups = kernel(dominated.add_groups)
