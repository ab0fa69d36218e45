"""Compiled functions of heap dumps of any format."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "heapdump",
    "parsers.heapdump.kernels:KERNELS",
    (
        "parsers.heapdump.graph.columns",
        "parsers.heapdump.tables.numbers_kernel",
        "parsers.heapdump.dominators.dominated",
        "parsers.heapdump.dominators.dominated_kernel",
        "parsers.heapdump.paths.merged",
        "parsers.heapdump.paths.merged_kernel",
        "parsers.heapdump.tables.text_sums",
        "parsers.heapdump.paths.sources",
        "parsers.heapdump.paths.sources_kernel",
        "parsers.heapdump.dominators.suspects",
        "parsers.heapdump.dominators.suspects_kernel",
        "parsers.heapdump.paths.reachability",
        "parsers.heapdump.paths.reachability_kernel",
        "parsers.heapdump.tables.object_size",
        "parsers.heapdump.tables.class_sums",
        "parsers.heapdump.tables.class_kernel",
    ),
    "parsers.heapdump.warm:warm",
)
"""Kernels of tables and paths of heap dumps. Formats declare further kernels with their indexes."""
