"""Compiled functions of the invented format."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup("outline", ("outline.line_loops",))
