"""The functions of `reachability`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.paths import reachability as ways
from parsers.kernels.decorators import kernel

find_ways = kernel(ways.find_ways)
find_steps = kernel(ways.find_steps)
