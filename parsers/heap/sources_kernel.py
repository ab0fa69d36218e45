"""The loop of `sources`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heap import sources
from parsers.index.jit import kernel

find_sources = kernel(sources.find_sources)
