"""Compiled functions of call trees and object trees, by group."""

from __future__ import annotations

from parsers.kernels.groups import KernelGroup

TEXT = KernelGroup(
    "graalvm",
    (
        "parsers.formats.graalvm.calls.index.row",
        "parsers.formats.graalvm.objects.index.row",
        "parsers.formats.graalvm.text.read.line",
        "parsers.formats.graalvm.text.summary",
        "parsers.formats.graalvm.text.read.chunk",
        "parsers.formats.graalvm.text.columns",
        "parsers.formats.graalvm.text.group_sums",
        "parsers.formats.graalvm.calls.index.kernel",
        "parsers.formats.graalvm.text.read.control_kernel",
        "parsers.formats.graalvm.objects.index.kernel",
        "parsers.formats.graalvm.text.read.kernel",
        "parsers.formats.graalvm.text.read.resolve_kernel",
        "parsers.formats.graalvm.text.read.join_lines_kernel",
        "parsers.formats.graalvm.text.read.join_kernel",
        "parsers.formats.graalvm.text.read.shape_kernel",
        "parsers.formats.graalvm.text.read.end_kernel",
    ),
)
"""Indexes of text trees."""

CSV = KernelGroup(
    "graalvm-csv",
    (
        "parsers.formats.graalvm.calls.index.row",
        "parsers.formats.graalvm.csv.read.graph",
        "parsers.formats.graalvm.text.read.line",
        "parsers.formats.graalvm.text.read.chunk",
        "parsers.formats.graalvm.calls.index.kernel",
        "parsers.formats.graalvm.text.read.join_kernel",
        "parsers.formats.graalvm.csv.read.table",
        "parsers.formats.graalvm.csv.read.kernel",
        "parsers.formats.graalvm.csv.read.name_kernel",
        "parsers.formats.graalvm.csv.read.call_kernel",
        "parsers.formats.graalvm.csv.read.order_kernel",
        "parsers.formats.graalvm.csv.read.unfold_kernel",
    ),
)
"""Indexes of call trees as CSV."""

BUILDS = KernelGroup(
    "graalvm-builds",
    (
        "parsers.formats.graalvm.calls.index.row",
        "parsers.formats.graalvm.objects.index.row",
        "parsers.formats.graalvm.text.read.chunk",
        "parsers.formats.graalvm.calls.index.kernel",
        "parsers.formats.graalvm.objects.index.kernel",
        "parsers.formats.graalvm.builds.names_kernel",
    ),
)
"""Comparison of two builds."""

LINES = KernelGroup(
    "graalvm-lines",
    (
        "parsers.formats.graalvm.csv.indexed",
        "parsers.formats.graalvm.csv.printed_lines.line_columns",
        "parsers.formats.graalvm.text.indexed_tree",
        "parsers.formats.graalvm.calls.index.row",
        "parsers.formats.graalvm.csv.printed_lines.lines",
        "parsers.formats.graalvm.csv.printed_lines.line_kernel",
    ),
)
"""Rows of CSV call trees as lines."""
