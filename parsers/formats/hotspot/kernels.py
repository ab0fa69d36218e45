"""Compiled functions of compilation logs."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "hotspot",
    (
        "parsers.formats.hotspot.log.read.tags",
        "parsers.formats.hotspot.log.columns",
        "parsers.formats.hotspot.log.part",
        "parsers.formats.hotspot.log.read.chunk",
        "parsers.formats.hotspot.log.read.name_table",
        "parsers.formats.hotspot.log.read.tag_kernel",
        "parsers.formats.hotspot.log.read.kernel",
        "parsers.formats.hotspot.log.read.join_kernel",
        "parsers.formats.hotspot.decisions.decision_tables",
        "parsers.model.names.java_method",
        "parsers.formats.hotspot.decisions.tag",
        "parsers.formats.hotspot.decisions.method_text",
        "parsers.formats.hotspot.decisions.tables_kernel",
        "parsers.formats.hotspot.log.read.strict_kernel",
    ),
)
"""Kernels that build indexes of compilation logs."""
