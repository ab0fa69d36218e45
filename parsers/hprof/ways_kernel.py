"""`ways.find_ways`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.hprof import ways
from parsers.index.jit import kernel

find_ways = kernel(ways.find_ways)
