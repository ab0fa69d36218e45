"""The function of `sources`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.heapdump.paths import sources
from parsers.kernels.decorators import kernel

find_sources = kernel(sources.find_sources)
