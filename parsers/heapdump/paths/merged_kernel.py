"""The functions of `merged`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.paths import merged
from parsers.kernels.decorators import kernel

hold = kernel(merged.hold)
climb = kernel(merged.climb)
part_ways = kernel(merged.part_ways)
