"""The call tree as CSV, recognised by the header of any of its tables; the reader is imported late.

Source: `CallTreePrinter` of oracle/graal. From 21.3.0 on it writes seven tables, from 24.1 on three; fields are joined
by commas and never quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format
from parsers.formats.graalvm.folder.format import NAME as BUILD
from parsers.formats.graalvm.folder.format import header_of
from parsers.model.late import late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report

NAME = "graalvm-call-tree-csv"
CALL_TREE = "graalvm-call-tree"
"""The text format with the same content."""

METHODS_HEADER = b"Id,Name,Type,Parameters,Return,Display"
"""Header of `methods` and `virtual_methods`; `Flags` and `IsEntryPoint` may follow."""

HEADERS = {
    "methods": METHODS_HEADER,
    "virtual_methods": METHODS_HEADER,
    "vm": b"Id,Name",
    "entry_points": b"Id",
    "direct_edges": b"StartId,EndId,BytecodeIndexes",
    "virtual_edges": b"StartId,EndId,BytecodeIndexes",
    "override_by_edges": b"StartId,EndId",
    "invokes": b"Id,MethodId,BytecodeIndexes,TargetId,IsDirect",
    "targets": b"InvokeId,TargetId",
}
"""First line of each table."""

SEVEN_TABLES = (
    "direct_edges", "entry_points", "methods", "override_by_edges", "virtual_edges", "virtual_methods", "vm",
)  # fmt: skip
THREE_TABLES = ("invokes", "methods", "targets")


def fits(table: str, header: bytes) -> bool:
    """Returns True if a table may have this first line."""
    known = HEADERS[table]
    return header == known or (known is METHODS_HEADER and header.startswith(known + b","))


def sniff(head: bytes, name: str) -> Confidence:
    """Sure by the header; headers of one or two short words are checked with the line below them."""
    first, second = header_of(head), header_of(head.partition(b"\n")[2])
    if first == b"Id,Name":
        return Confidence.SURE if second == b"0,VM" else Confidence.LIKELY
    if first == b"Id":
        return Confidence.SURE if second.isdigit() else Confidence.LIKELY
    return Confidence.SURE if any(fits(table, first) for table in HEADERS) else Confidence.NO


_whole = late("parsers.formats.graalvm.csv.set:whole_set")


def _open(sources: Sequence[Source], cache: Cache) -> Report:
    report: Report = late("parsers.formats.graalvm.csv.report:CsvReport")(_whole(sources, cache), cache)
    return report


FORMATS = (
    Format(
        NAME,
        "GraalVM call tree as CSV",
        sniff,
        _open,
        index=late("parsers.formats.graalvm.csv.build:CsvBuild"),
        kernels=("parsers.formats.graalvm.kernels:CSV", "parsers.formats.graalvm.kernels:LINES"),
        together=BUILD,
        producer="GraalVM",
        whole=_whole,
        compared_as=CALL_TREE,
        tables="parsers.formats.graalvm.calls.tables:CALL_TABLES",
    ),
)
