"""Compiled functions of profiles."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup("profile", ("parsers.profile.tree_loops",))
"""Kernels of merged traces."""
