"""The sources of all roots of an object tree as bytes: hundreds of thousands of short texts from all over a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.label import source_parts
from parsers.formats.graalvm.text.indexed_tree import KIND
from parsers.io.charset import boxes_of, codec_of
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import I64Array, U8Array
    from parsers.reporting.comparison.text_numbers import EncodedTexts

FEW = 5000
"""Number of roots that are parsed one by one in the time that loading kernels takes."""


def root_sources(report: ObjectReport, *, keeps_loaders: bool) -> tuple[I64Array, EncodedTexts]:
    """Returns the rows of all roots (int64), and their names; a source of several lines is joined into one."""
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
