"""The functions of `dominated`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.dominators import dominated
from parsers.kernels.decorators import kernel

sort_by_dominator = kernel(dominated.sort_by_dominator)
add_groups = kernel(dominated.add_groups)
