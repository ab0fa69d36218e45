"""Compiled functions of graphs."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "graph",
    (
        "parsers.graph.graph_algorithms",
        "parsers.graph.dominator_tree.semi_nca",
    ),
)
"""Kernels of reachability, paths, dominators."""
