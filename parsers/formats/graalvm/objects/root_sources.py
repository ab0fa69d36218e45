"""The sources of all roots of an object tree as bytes: hundreds of thousands of short texts from all over a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.objects.index.row import POSITION, ROOT_REFERENCE, ROOT_VALUE
from parsers.formats.graalvm.objects.label import source_parts
from parsers.formats.graalvm.objects.source import SOURCE, SOURCE_OF_REFERENCE, RowLines, simple_parts
from parsers.graph.reachability import ranges
from parsers.io.charset import codec_of
from parsers.query.selection.texts_met import filter_by_bytes
from parsers.reporting.comparison.text_numbers import EncodedTexts

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import I64Array, U8Array

COLON, LEFT = ord(":"), ord("(")


def root_sources(report: ObjectReport, *, keeps_loaders: bool) -> tuple[I64Array, EncodedTexts]:
    """Returns the rows of all roots (int64), and their names; a source of several lines is joined into one."""
    rows, lines = np.array(report.indexed.roots, np.int64), RowLines(report)
    kinds = report.indexed.kinds(0, report.indexed.rows)[rows]
    numbers, starts, stops = (np.zeros(len(rows), np.int64) for _ in range(3))
    pieces, size, count = [np.zeros(0, np.uint8)], 0, 0
    for kind, part in ((ROOT_VALUE, SOURCE), (ROOT_REFERENCE, SOURCE_OF_REFERENCE)):
        of_kind = np.flatnonzero(kinds == kind)
        for which, data, begins, ends in simple_parts(report, lines.of(rows[of_kind]), part):
            pieces.append(data[ranges(begins, ends)])
            found = slice(count, count + len(which))
            numbers[found], stops[found] = of_kind[which], size + np.cumsum(ends - begins)
            starts[found] = stops[found] - (ends - begins)
            count, size = count + len(which), size + len(pieces[-1])
    data, order = np.concatenate(pieces), np.argsort(numbers[:count])
    starts, stops = starts[order], stops[order]
    if not keeps_loaders:
        starts = _holder_starts(data, starts, stops)
    lengths = np.zeros(len(rows), np.int64)
    lengths[numbers[order]] = stops - starts
    texts = EncodedTexts(np.append(0, np.cumsum(lengths)), data[ranges(starts, stops)])
    others = np.setdiff1d(np.arange(len(rows)), numbers[:count])
    return rows, texts.replaced(others, [_source(report, row, keeps_loaders) for row in rows[others].tolist()])


def _holder_starts(data: U8Array, starts: I64Array, stops: I64Array) -> I64Array:
    """Returns the start of the class in each of some sources, after its loader or `at `, as `source_parts`: int64."""
    colons, lefts = (np.append(np.flatnonzero(data == byte), len(data)) for byte in (COLON, LEFT))
    first, last = colons[np.searchsorted(colons, starts)], colons[np.searchsorted(colons, stops) - 1]
    left = lefts[np.searchsorted(lefts, starts)]
    is_method = left < stops
    has_loader = (starts < first) & (first < stops) & (first < np.where(is_method, left, last))
    begins = np.where(has_loader, first + 1, starts)
    positions = filter_by_bytes(data, POSITION, np.flatnonzero(is_method & (left >= starts + len(POSITION))), starts)
    begins[positions] = starts[positions] + len(POSITION)
    return begins


def _source(report: ObjectReport, row: int, keeps_loaders: bool) -> bytes:
    """Returns the name of a root, from its parsed row."""
    text = report.parsed(row).source
    # The loader, printed since 24.2, is no part of a root's name.
    begin = 0 if keeps_loaders else source_parts(text).holder[0]
    return text[begin:].replace("\n", " ").encode(codec_of(report.encoding), "replace")
