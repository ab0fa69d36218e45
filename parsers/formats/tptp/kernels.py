"""Compiled functions that read recordings."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

KERNELS = KernelGroup(
    "tptp",
    (
        "parsers.formats.tptp.schema.vocabulary",
        "parsers.formats.tptp.read.scanner",
        "parsers.formats.tptp.read.decoding",
        "parsers.formats.tptp.read.element_chunk",
        "parsers.formats.tptp.schema.element_names",
        "parsers.formats.tptp.read.kernels.element",
        "parsers.formats.tptp.schema.values",
        "parsers.formats.tptp.read.session_state",
        "parsers.formats.tptp.read.session_facts",
        "parsers.formats.tptp.read.kernels.session",
        "parsers.formats.tptp.read.kernels.text",
        "parsers.formats.tptp.read.kernels.start_tag",
        "parsers.formats.tptp.read.kernels.markup",
        "parsers.formats.tptp.read.kernels.construct",
        "parsers.formats.tptp.schema.columns",
        "parsers.formats.tptp.schema.counters",
        "parsers.formats.tptp.join.buffers",
        "parsers.formats.tptp.join.kernels.ids",
        "parsers.formats.tptp.join.kernels.open_calls",
        "parsers.formats.tptp.join.kernels.calls",
        "parsers.formats.tptp.join.kernels.heap",
        "parsers.formats.tptp.join.kernels.states",
        "parsers.formats.tptp.join.kernels.monitors",
        "parsers.formats.tptp.join.kernels.events",
        "parsers.formats.tptp.heap.edges",
        "parsers.formats.tptp.calls.flow",
    ),
)
"""Kernel group of indexes of recordings."""
