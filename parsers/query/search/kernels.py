"""Group of the compiled search functions."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "search",
    (
        "parsers.query.search.fuzzy",
        "parsers.query.search.byte_states",
        "parsers.query.search.fuzzy_kernel",
        "parsers.query.search.line_kernel",
        "parsers.query.search.state_kernel",
        "parsers.query.search.text_lines",
    ),
)
"""Searching lines and names."""
