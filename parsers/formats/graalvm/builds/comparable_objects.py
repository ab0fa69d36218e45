"""Comparable content of object trees: roots with the objects they reach first, types with the fields holding objects.

Objects have no lasting names, so only their numbers are compared: of a type, below a root, in a field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.builds.comparable import AS_PRINTED, NAMES
from parsers.formats.graalvm.builds.normalised import normalised_names, normalised_source, normalised_text
from parsers.formats.graalvm.objects.holder import field_row, holder_row
from parsers.formats.graalvm.objects.kind import OBJECTS, ROOTS
from parsers.formats.graalvm.objects.label import source_parts, source_spans
from parsers.formats.graalvm.text.indexed_tree import DECLARES, KIND
from parsers.io.charset import boxes_of, codec_of
from parsers.model.late import numpy as np
from parsers.model.lookup import first_places
from parsers.model.names.java_name import class_spans
from parsers.reporting.comparison.lines import OLDER, ComparableSubject, ComparedLine, LineDifferences, changes

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import I64Array, U8Array, U32Array
    from parsers.reporting.comparison.lines import Differences
    from parsers.reporting.comparison.text_numbers import EncodedTexts

ROOTS_VIEW, TYPES_VIEW = "Heap roots", "Types"
MOST = 100_000
"""Most objects of a type whose holding fields are looked up."""
FEW = 5000
"""Number of roots that are parsed one by one in the time that loading kernels takes."""


def comparable_objects(report: ObjectReport) -> Mapping[str, ComparableSubject]:
    """Comparable content by the name of its view."""
    return {
        ROOTS_VIEW: ComparableSubject((OBJECTS, ROOTS), report, _roots, switches=(NAMES,)),
        TYPES_VIEW: ComparableSubject((OBJECTS,), report, _types, switches=(NAMES,)),
    }


# -- roots ------------------------------------------------------------------------------------------------------------


def root_sources(report: ObjectReport, *, keeps_loaders: bool) -> tuple[I64Array, EncodedTexts]:
    """Returns the rows of all roots (int64), and their names; a source of several lines is joined into one.

    There may be hundreds of thousands of roots, all over a file.
    """
    from parsers.reporting.comparison.text_numbers import texts_of

    tree = report.indexed
    rows = np.array(tree.roots, np.int64)
    if len(rows) <= FEW:
        return rows, texts_of([_source(report, row, keeps_loaders) for row in rows.tolist()])
    from parsers.formats.graalvm.builds.name_blocks import root_texts

    begins = tree.offsets(0, tree.rows)[rows]
    forms: U8Array = tree.array("kind")[rows] & np.uint8(KIND)
    prefix = len(boxes_of(report.encoding).tee)
    texts, doubtful = root_texts(report.source.pread, begins, forms, prefix, not keeps_loaders)
    return rows, texts.replaced(doubtful, [_source(report, row, keeps_loaders) for row in rows[doubtful].tolist()])


def _source(report: ObjectReport, row: int, keeps_loaders: bool) -> bytes:
    """Returns the name of a root, from its parsed row."""
    text = report.parsed(row).source
    # The loader, printed since 24.2, is no part of a root's name.
    begin = 0 if keeps_loaders else source_parts(text).holder[0]
    return text[begin:].replace("\n", " ").encode(codec_of(report.encoding), "replace")


def _roots(old: ObjectReport, new: ObjectReport, chosen: Mapping[str, str]) -> Differences:
    """Returns the roots that differ; millions of roots are compared by arrays."""
    from parsers.reporting.comparison.text_numbers import number_together

    before, after = (_Roots(report, chosen.get(NAMES.name) == AS_PRINTED) for report in (old, new))
    *numbers, count = number_together(before.texts, after.texts)
    sums = [roots.sums(of_roots, count) for roots, of_roots in zip((before, after), numbers, strict=True)]
    differs = np.flatnonzero((sums[0][0] != sums[1][0]) | (sums[0][1] != sums[1][1]))
    old_lines, new_lines = (
        roots.lines(of_roots, differs, *found, of_run)
        for roots, of_roots, found, of_run in zip((before, after), numbers, sums, (OLDER, ""), strict=True)
    )
    return LineDifferences((OBJECTS, ROOTS), changes(old_lines, new_lines, OBJECTS.name))


class _Roots:
    """The roots of one report."""

    def __init__(self, report: ObjectReport, is_as_printed: bool) -> None:
        self.report = report
        self.rows, sources = root_sources(report, keeps_loaders=is_as_printed)
        self.texts = normalised_names(sources, report.encoding, is_as_printed=is_as_printed)

    def sums(self, numbers: U32Array, count: int) -> tuple[I64Array, I64Array]:
        """By number of a source: its roots, and the objects first reached through them."""
        declared = np.append(0, np.cumsum(self.report.indexed.array("kind") & DECLARES != 0))
        ends = np.append(self.rows[1:], self.report.tree.rows)
        objects = declared[ends] - declared[self.rows] if len(self.rows) else np.empty(0)
        return np.bincount(numbers, minlength=count), np.bincount(numbers, objects, count).astype(np.int64)

    def lines(
        self, numbers: U32Array, differs: I64Array, roots: I64Array, objects: I64Array, of_run: str
    ) -> Sequence[ComparedLine]:
        """Returns the lines of the sources of some numbers."""
        first = first_places(numbers, len(roots))
        lines = []
        for number in differs[first[differs] >= 0].tolist():
            root = int(first[number])
            source = self.texts.text(root)
            counts = {"objects": int(objects[number]), "roots": int(roots[number])}
            ref = f"{of_run}line:{self.report.tree.line(int(self.rows[root]))}"
            lines.append(ComparedLine(source, "root", source, counts, ref=ref, spans=source_spans(source)))
        return lines


# -- types ------------------------------------------------------------------------------------------------------------


def _types(old: ObjectReport, new: ObjectReport, chosen: Mapping[str, str]) -> Differences:
    is_as_printed = chosen.get(NAMES.name) == AS_PRINTED
    before, after = (_rows_by_type(report, is_as_printed) for report in (old, new))
    differing = [type for type in before.keys() | after.keys() if len(before.get(type, ())) != len(after.get(type, ()))]
    old_lines = _type_lines(old, before, differing, is_as_printed)
    new_lines = _type_lines(new, after, differing, is_as_printed)
    return LineDifferences((OBJECTS,), changes(old_lines, new_lines, OBJECTS.name))


def _rows_by_type(report: ObjectReport, is_as_printed: bool) -> Mapping[str, Sequence[int]]:
    """By type: the rows that declare its objects."""
    table, names = report.type_table(), report.tree.names
    found: dict[str, Sequence[int]] = {}
    for type, name in enumerate(table.names):
        text = report.text(bytes(names[name]))
        label = text if is_as_printed else normalised_text(text)
        rows = table.rows_of(type).tolist()
        found[label] = [*found[label], *rows] if label in found else rows
    return found


def _type_lines(
    report: ObjectReport, rows: Mapping[str, Sequence[int]], differing: Iterable[str], is_as_printed: bool
) -> Sequence[ComparedLine]:
    lines = []
    for type in differing:
        declared = rows.get(type, ())
        if not len(declared):
            continue
        spans = tuple(class_spans(type))
        lines.append(ComparedLine(type, "type", type, {"objects": len(declared)}, ref=f"class:{type}", spans=spans))
        if len(declared) > MOST:
            continue
        holders = Counter(_holder(report, int(row), is_as_printed) for row in declared)
        lines += [
            ComparedLine(("field", holder), "field", holder, {"objects": count}, 1) for holder, count in holders.items()
        ]
    return lines


def _holder(report: ObjectReport, row: int, is_as_printed: bool) -> str:
    """Returns the first holder of an object: the field of a type, the elements of an array, a root."""
    tree = report.tree
    holder = holder_row(tree, row)
    if holder is None:
        return "(nothing)"
    text = report.parsed(holder)
    if text.is_root:
        label = f"root {text.source}" if is_as_printed else f"root {text.source[source_parts(text.source).holder[0] :]}"
    else:
        field = field_row(tree, row)
        label = f"{text.type}.{report.parsed(field).field[0]}" if field is not None else f"{text.type} elements"
    return label if is_as_printed else normalised_source(label)
