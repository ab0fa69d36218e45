"""Compiled functions of comparisons."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "comparison",
    "parsers.reporting.comparison.kernels:KERNELS",
    (),
)
"""Kernels that number the texts of two sides."""
