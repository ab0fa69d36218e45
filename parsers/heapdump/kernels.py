"""Compiled functions of heap dumps of any format."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "heapdump",
    (
        "parsers.graph.dominator_tree.semi_nca",
        "parsers.heapdump.graph.columns",
        "parsers.heapdump.tables.numbers_kernel",
        "parsers.heapdump.dominators.dominated",
        "parsers.heapdump.paths.merged",
        "parsers.heapdump.tables.text_sums",
        "parsers.heapdump.paths.sources",
        "parsers.heapdump.dominators.suspects",
        "parsers.heapdump.paths.reachability",
        "parsers.heapdump.tables.object_size",
        "parsers.heapdump.tables.class_sums",
        "parsers.heapdump.tables.sum_rows",
    ),
)
"""Kernels of tables and paths of heap dumps. Formats declare further kernels with their indexes."""
