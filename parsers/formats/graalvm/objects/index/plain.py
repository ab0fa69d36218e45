"""A whole object tree in plain Python: its rows and counts. Twin of `build`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from parsers.formats.graalvm.objects.index.row import (
    ELEMENT,
    ELEMENT_VALUE,
    FIELD_NULL,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    NULL,
    OBJECT_ELEMENTS,
    OBJECT_FIELDS,
    OBJECT_NO_ELEMENTS,
    OBJECT_NO_FIELDS,
    OBJECT_UNKNOWN,
    POSITION,
    ROOT_OPEN,
    ROOT_REFERENCE,
    ROOT_SUPPRESSED,
    ROOT_VALUE,
    TAGS,
    UNKNOWN,
    VALUE,
    ObjectRow,
    parse_object_row,
)
from parsers.formats.graalvm.text.read.plain_counts import (
    count_texts,
    facts_of_scan,
    ordered,
    problems_of_scan,
    totals_of_scan,
)
from parsers.formats.graalvm.text.read.plain_scan import PlainTextScan
from parsers.formats.graalvm.text.read.plain_tree import FormatCounts, PlainTree
from parsers.formats.graalvm.text.summary import TextSummary, kept

CONTROLS = bytes([*range(0x20), 0x7F])
"""The bytes of the characters U+0000–001F and U+007F: the same in every charset that reports are written in."""

UNKNOWN_TAGS = (OBJECT_UNKNOWN, OBJECT_UNKNOWN + ELEMENT)


def object_tree(data: bytes, is_whole: bool = True) -> PlainTree:
    """Reads the rows of an object tree; with all counts, facts and problems if the data is a whole file."""
    counts = ObjectCounts()
    counts.feed(data)
    return PlainTree(data, parse_object_row, is_whole, unknown=UNKNOWN, counts=counts)


class ObjectCounts(FormatCounts):
    """Counts content of the rows' text while they are read, and everything else at the end."""

    def __init__(self) -> None:
        self.nul_bytes = 0
        self.types: set[bytes] = set()
        self.has_loader = False
        self.has_position = False
        self._controls = 0
        self._ends_in_return = False

    def feed(self, data: bytes) -> None:
        """Counts in all bytes, including lines that are no rows; pieces must be in file order."""
        self.nul_bytes += data.count(b"\0")
        self._controls += len(data) - len(data.translate(None, CONTROLS)) - data.count(b"\n") - data.count(b"\r\n")
        if self._ends_in_return and data.startswith(b"\n"):
            self._controls -= 1
        if data:
            self._ends_in_return = data.endswith(b"\r")

    @property
    def control_characters(self) -> int:
        """Control characters inside lines. LF, a CR before it and a CR at the end of the file are line ends."""
        return self._controls - self._ends_in_return

    def observe(self, scan: PlainTextScan, row: int, parsed: ObjectRow, text: bytes) -> None:
        """Adds one row."""
        if parsed.kind <= ROOT_OPEN:
            source = text[parsed.start : parsed.end]
            self.has_position = self.has_position or source.startswith(POSITION)
            self.has_loader = self.has_loader or loader_length(source) > 0
        elif parsed.id is not None and not parsed.is_ref and parsed.name:
            self.types.add(parsed.name)

    def summary(self, tree: PlainTree) -> TextSummary:
        """Returns the totals, facts and problems of the whole file."""
        scan = tree.scan
        facts = facts_of_scan(scan)
        counts = totals_of_scan(tree) | totals_by_kind(Counter(scan.kinds))
        counts |= {
            "objects": counts["ids"],
            "types": count_texts(sorted(self.types), facts["encoding"]),
            "nul_bytes": self.nul_bytes,
            "control_characters": self.control_characters,
        }
        facts["format_version"] = format_version(self.has_loader, self.has_position)
        problems, count = problems_of_scan(tree, (scan.unknown, *UNKNOWN_TAGS))
        return TextSummary(ordered(counts, OBJECT_TOTALS), facts, kept(problems), count)


def totals_by_kind(rows: Mapping[int, int] | Sequence[int]) -> dict[str, int]:
    """Returns the counts that follow from the number of rows of each form."""

    def with_elements(form: int) -> int:
        return rows[form] + rows[form + ELEMENT]

    fields = {
        "fields_null": rows[FIELD_NULL],
        "fields_value": rows[FIELD_VALUE],
        "fields_suppressed": rows[FIELD_SUPPRESSED],
    }
    roots = {
        "roots_expanded": rows[ROOT_VALUE] + rows[ROOT_OPEN],
        "roots_ref": rows[ROOT_REFERENCE],
        "roots_suppressed": rows[ROOT_SUPPRESSED],
    }
    return {
        "roots": sum(roots.values()),
        **roots,
        "with_fields": with_elements(OBJECT_FIELDS),
        "no_fields": with_elements(OBJECT_NO_FIELDS),
        "with_elements": with_elements(OBJECT_ELEMENTS),
        "no_elements": with_elements(OBJECT_NO_ELEMENTS),
        "fields": sum(fields.values()),
        **fields,
        "elements": sum(rows[form] for form in range(OBJECT_FIELDS + ELEMENT, ELEMENT_VALUE + 1)),
        "elements_suppressed": rows[ELEMENT_VALUE],
        "values_suppressed": rows[VALUE],
        "suppressed": sum(rows[form] for form, tag in enumerate(TAGS) if tag == "suppressed"),
        "null_rows": rows[NULL],
        "unknown_rows": rows[UNKNOWN] + with_elements(OBJECT_UNKNOWN),
    }


OBJECT_TOTALS = (
    "bytes",
    "lines",
    "blank_lines",
    "max_line_bytes",
    "rows",
    "roots",
    "roots_expanded",
    "roots_ref",
    "roots_suppressed",
    "objects",
    "with_fields",
    "no_fields",
    "with_elements",
    "no_elements",
    "types",
    "fields",
    "fields_null",
    "fields_value",
    "fields_suppressed",
    "elements",
    "elements_suppressed",
    "values_suppressed",
    "suppressed",
    "null_rows",
    "unknown_rows",
    "continuation_lines",
    "stray_lines",
    "max_id",
    "id_gaps",
    "duplicate_ids",
    "id_refs",
    "forward_refs",
    "dangling_refs",
    "max_depth",
    "max_children",
    "nul_bytes",
    "control_characters",
)
"""Counts of an object tree in displayed order."""


def loader_length(source: bytes) -> int:
    """Length in bytes of the class loader in a root's source, without the colon; 0 if none.

    A field has two colons then, a method one before its parenthesis. Positions (`at …`) have none.
    """
    if source.startswith(POSITION):
        return 0
    colon, parenthesis = source.find(b":"), source.find(b"(")
    if parenthesis >= 0:
        return colon if 0 < colon < parenthesis else 0
    return max(colon, 0) if source.find(b":", colon + 1) >= 0 else 0


def format_version(has_loader: bool, has_position: bool) -> str:
    """Returns the versions that print such roots."""
    if has_loader:
        return "24.2+"
    return "24.0-24.1" if has_position else "19-24.1"
