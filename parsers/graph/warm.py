"""Compiles the graph kernels by computing dominators of a tiny graph."""

from __future__ import annotations

import numpy as np

from parsers.graph import graph_algorithms
from parsers.graph.adjacency import RowColumns, find_edges
from parsers.graph.dominators import compute_dominators
from parsers.graph.graph_algorithms import NONE
from parsers.kernels.compiled import CompiledFunctions


def warm() -> None:
    """Calls every kernel once."""
    vertices, depths, kinds = np.zeros(2, np.uint32), np.arange(2, dtype=np.uint16), np.array([0x80, 1], np.uint8)
    rows = RowColumns(vertices, depths, kinds, np.ones(1, np.uint8), 0, NONE, {"class": np.zeros(1, np.uint32)})
    compiled = CompiledFunctions(graph_algorithms)
    edges = find_edges(rows, compiled)
    for by in ("thing", "root", "class"):
        compute_dominators(edges, by, rows.groups, compiled)
