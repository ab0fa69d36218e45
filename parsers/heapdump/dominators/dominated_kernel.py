"""The functions of `dominated`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.dominators import dominated
from parsers.kernels.decorators import kernel

put_below = kernel(dominated.put_below)
add_groups = kernel(dominated.add_groups)
