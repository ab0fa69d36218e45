"""The functions of `reachability`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.paths import reachability as plain
from parsers.kernels.decorators import kernel

find_shortest_paths = kernel(plain.find_shortest_paths)
find_steps = kernel(plain.find_steps)
