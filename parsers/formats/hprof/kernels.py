"""Compiled functions of HPROF files, by group."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

TEXT = KernelGroup(
    "hprof-text",
    (
        "parsers.heapdump.graph.columns",
        "parsers.formats.hprof.data.columns",
        "parsers.formats.hprof.text.lines",
        "parsers.formats.hprof.text.chunk",
        "parsers.formats.hprof.text.kernel",
        "parsers.formats.hprof.text.join_kernel",
        "parsers.formats.hprof.text.heap_kernel",
        "parsers.heapdump.paths.reachability",
        "parsers.heapdump.tables.object_size",
        "parsers.heapdump.tables.class_sums",
        "parsers.heapdump.tables.sum_rows",
    ),
)
"""Kernel group of indexes of HPROF text."""

DUMP = KernelGroup(
    "hprof-dump",
    (
        "parsers.heapdump.graph.columns",
        "parsers.heapdump.tables.sum_rows",
        "parsers.formats.hprof.dump.read.class_columns",
        "parsers.formats.hprof.dump.read.kernel",
        "parsers.formats.hprof.dump.read.problem_list",
        "parsers.formats.hprof.dump.records.record_search",
        "parsers.formats.hprof.dump.records.tags",
        "parsers.formats.hprof.dump.records.walk_kernel",
        "parsers.formats.hprof.dump.index.object_sizes",
        "parsers.formats.hprof.dump.index.strings_kernel",
        "parsers.heapdump.tables.numbers_kernel",
        "parsers.index.bitpacked.kernel",
        "parsers.graph.dominator_tree.semi_nca",
        "parsers.heapdump.dominators.dominated",
        "parsers.heapdump.paths.merged",
        "parsers.heapdump.tables.text_sums",
        "parsers.heapdump.paths.sources",
        "parsers.heapdump.dominators.suspects",
    ),
)
"""Kernel group of indexes of binary heap dumps."""
