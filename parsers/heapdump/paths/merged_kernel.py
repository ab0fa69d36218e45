"""The functions of `merged`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.paths import merged
from parsers.kernels.decorators import kernel

read_path_steps = kernel(merged.read_path_steps)
group_by_next_step = kernel(merged.group_by_next_step)
sort_by_group = kernel(merged.sort_by_group)
