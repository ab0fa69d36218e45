"""The functions of `graph_algorithms`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.graph import graph_algorithms as algorithms
from parsers.kernels.decorators import kernel

find_owners = kernel(algorithms.find_owners)
count_edges = kernel(algorithms.count_edges)
sort_edges = kernel(algorithms.sort_edges)
transpose = kernel(algorithms.transpose)
search = kernel(algorithms.search)
merge = kernel(algorithms.merge)
count_retained_by_groups = kernel(algorithms.count_retained_by_groups)
place_rows = kernel(algorithms.place_rows)
find_depths = kernel(algorithms.find_depths)
