"""Compiled functions of recordings."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "jfr",
    (
        "parsers.formats.jfr.read.loops",
        "parsers.formats.jfr.read.stack_loops",
        "parsers.formats.jfr.read.string_loops",
    ),
)
"""Kernels that read recordings."""
