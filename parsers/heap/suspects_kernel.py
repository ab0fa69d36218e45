"""The loop of `suspects`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heap import suspects
from parsers.index.jit import kernel

mark_held = kernel(suspects.mark_held)
