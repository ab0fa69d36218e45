"""A whole call tree in plain Python: its rows, counts and classes. Twin of `build`."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

from parsers.formats.graalvm.calls.index.row import (
    DIRECT,
    ENTRY,
    IMPLEMENTED,
    INTERFACE,
    OVERRIDDEN,
    UNCALLED,
    UNKNOWN,
    VIRTUAL,
    CallRow,
    method_parts,
    package_of,
    parse_call_row,
)
from parsers.formats.graalvm.text.read.plain_counts import (
    count_texts,
    facts_of_scan,
    ordered,
    problems_of_scan,
    totals_of_scan,
)
from parsers.formats.graalvm.text.read.plain_scan import ParsedRow, PlainTextScan
from parsers.formats.graalvm.text.read.plain_tree import FormatCounts, PlainTree
from parsers.formats.graalvm.text.summary import TextSummary, kept
from parsers.io.charset import decode
from parsers.model.none import NONE


def call_tree(data: bytes, is_whole: bool = True) -> PlainTree:
    """Reads the rows of a call tree; with all counts, facts and problems if the data is a whole file."""
    counts = CallCounts()
    return PlainTree(data, parse_call_row, is_whole, unknown=UNKNOWN, counts=counts)


class CallCounts(FormatCounts):
    """Counts content of the rows' text while they are read, and everything else at the end."""

    def __init__(self) -> None:
        self.negative = 0
        self.chained = 0
        self.reasons = 0
        self.loaders: Counter[bytes] = Counter()
        self.has_entry_loader = False
        self.classes: dict[bytes, int] = {}
        self.packages: dict[bytes, int] = {}
        self.class_packages = array("I")
        """By class: its package."""
        self.vertex_classes: dict[int, int] = {}
        """By method that a known row declares: the class of its first such row."""

    def observe(self, scan: PlainTextScan, row: int, parsed: ParsedRow, text: bytes) -> None:
        """Adds one row."""
        if not isinstance(parsed, CallRow):
            return
        if parsed.bci is not None:
            bci = text[slice(*parsed.bci)]
            self.chained += b"->" in bci
            self.negative += bci.startswith(b"-") or b">-" in bci
        self.reasons += parsed.reason is not None
        loader = parsed.loader
        if parsed.kind == ENTRY and loader is not None:
            self.has_entry_loader = True
        if parsed.id is None or parsed.is_ref or parsed.kind == UNKNOWN:
            return
        vertex = scan.vertices[row]
        if loader is not None and scan.declarations[vertex] == row:
            self.loaders[text[slice(*loader)]] += 1
        number = self._class(parsed.name[slice(*method_parts(parsed.name).holder)])
        self.vertex_classes.setdefault(vertex, number)

    def _class(self, holder: bytes) -> int:
        number = self.classes.get(holder)
        if number is None:
            number = self.classes[holder] = len(self.classes)
            self.class_packages.append(self.packages.setdefault(package_of(holder), len(self.packages)))
        return number

    def summary(self, tree: PlainTree) -> TextSummary:
        """Returns the totals, facts and problems of the whole file."""
        scan = tree.scan
        facts = facts_of_scan(scan)
        encoding = facts["encoding"]
        totals = totals_of_scan(tree) | self.totals(tree, encoding)
        problems, count = problems_of_scan(tree, (scan.unknown,))
        facts |= {
            "format_version": format_version(totals, self.has_entry_loader),
            "loaders": {decode(name, encoding): count for name, count in sorted(self.loaders.items())},
        }
        return TextSummary(ordered(totals, CALL_TOTALS), facts, kept(problems), count)

    def totals(self, tree: PlainTree, encoding: str) -> dict[str, int]:
        """Returns the counts that only call trees have."""
        scan = tree.scan
        has_child = {parent for parent in scan.parents if parent != NONE}
        sites = [
            (owner, vertex)
            for owner, vertex, kind in zip(scan.owners, scan.vertices, scan.kinds, strict=True)
            if vertex != NONE and kind not in UNCALLED and scan.vertex_ids[vertex] >= 0
        ]
        distances = [
            distance
            for distance, declaration in zip(tree.distances, scan.declarations, strict=True)
            if distance is not None and declaration != NONE
        ]
        return totals_by_kind(Counter(scan.kinds)) | {
            "call_sites": len(sites),
            "edges": len(set(sites)),
            "max_distance": max(distances, default=-1),
            "virtual_without_callees": sum(
                kind in (VIRTUAL, INTERFACE) and row not in has_child for row, kind in enumerate(scan.kinds)
            ),
            "negative_bci": self.negative,
            "chained_bci": self.chained,
            "parsing_reasons": self.reasons,
            "unique_names": count_texts(scan.names, encoding),
            "classes": count_texts(list(self.classes), encoding),
            "packages": count_texts(list(self.packages), encoding),
        }


def totals_by_kind(rows: Mapping[int, int] | Sequence[int]) -> dict[str, int]:
    """Returns the numbers of rows of the known kinds."""
    return {
        "entries": rows[ENTRY],
        "direct_calls": rows[DIRECT],
        "virtual_calls": rows[VIRTUAL],
        "interface_calls": rows[INTERFACE],
        "overridden_by": rows[OVERRIDDEN],
        "implemented_by": rows[IMPLEMENTED],
    }


CALL_TOTALS = (
    "bytes",
    "lines",
    "blank_lines",
    "max_line_bytes",
    "rows",
    "entries",
    "direct_calls",
    "virtual_calls",
    "interface_calls",
    "overridden_by",
    "implemented_by",
    "unknown_rows",
    "continuation_lines",
    "stray_lines",
    "ids",
    "max_id",
    "id_gaps",
    "duplicate_ids",
    "id_refs",
    "forward_refs",
    "dangling_refs",
    "call_sites",
    "edges",
    "max_depth",
    "max_distance",
    "max_children",
    "virtual_without_callees",
    "negative_bci",
    "chained_bci",
    "parsing_reasons",
    "unique_names",
    "classes",
    "packages",
)
"""Counts of a call tree in displayed order."""


def format_version(totals: Mapping[str, int], has_entry_loader: bool) -> str:
    """Returns the versions that print such lines."""
    if totals["interface_calls"] or totals["implemented_by"]:
        return "19-20.0"
    if has_entry_loader:
        return "24.2+"
    return "24.1" if totals["parsing_reasons"] else "20.1-24.0"
