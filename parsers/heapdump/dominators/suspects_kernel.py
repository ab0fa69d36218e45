"""The function of `suspects`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.dominators import suspects
from parsers.kernels.decorators import kernel

mark_dominated = kernel(suspects.mark_dominated)
