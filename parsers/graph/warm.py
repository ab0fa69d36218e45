"""Compiles the graph kernels by computing dominators of a tiny graph."""

from __future__ import annotations

import numpy as np

from parsers.graph import graph_algorithms_kernel as loops_kernel
from parsers.graph.adjacency import Rows, find_edges
from parsers.graph.dominators import weigh
from parsers.graph.graph_algorithms import NONE


def warm() -> None:
    """Calls every kernel once."""
    things, depths, kinds = np.zeros(2, np.uint32), np.arange(2, dtype=np.uint16), np.array([0x80, 1], np.uint8)
    rows = Rows(things, depths, kinds, np.ones(1, np.uint8), 0, NONE, {"class": np.zeros(1, np.uint32)})
    edges = find_edges(rows, loops_kernel)
    for by in ("thing", "root", "class"):
        weigh(edges, by, rows.groups, loops_kernel)
