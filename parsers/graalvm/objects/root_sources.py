"""The sources of all roots of an object tree as bytes: hundreds of thousands of short texts from all over a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parsers.charset import boxes_of, codec_of
from parsers.graalvm.objects.label import source_parts
from parsers.graalvm.objects.row import ROOT
from parsers.graalvm.plain_tree import PlainTree

if TYPE_CHECKING:
    from parsers.graalvm.objects.report import ObjectReport

READ = 1 << 22
"""Bytes of the file that are read together."""


def root_sources(report: ObjectReport, *, keeps_loaders: bool) -> tuple[Any, Sequence[bytes]]:
    """Of all roots their rows (int64), and what each is called; a source of several lines is put in one."""
    import numpy as np

    tree: Any = report.tree.behind
    rows = np.array(tree.roots, np.int64)
    codec = codec_of(report.encoding)
    found = []
    for row, source in zip(rows.tolist(), _read(report, rows), strict=True):
        if source is None or (report.has_loaders and not keeps_loaders):
            text = report.parsed(row).source
            # A loader came with 24.2 and is no part of what a root is called.
            begin = 0 if keeps_loaders else source_parts(text).holder[0]
            source = text[begin:].replace("\n", " ").encode(codec, "replace")
        found.append(source)
    return rows, found


def _read(report: ObjectReport, rows: Any) -> Iterator[bytes | None]:
    """What stands on the line of each root as its source; None where that has to be looked at more closely."""
    tree: Any = report.tree.behind
    if isinstance(tree, PlainTree):
        yield from [None] * len(rows)
        return
    begins = tree.offsets(0, tree.rows)[rows]
    prefix = len(boxes_of(report.encoding).tee) + len(ROOT)
    start, data = 0, b""
    for begin in begins.tolist():
        stop = data.find(b"\n", begin - start) + 1 if start <= begin < start + len(data) else 0
        if not stop:
            start, data = begin, report.source.pread(READ, begin)
            stop = data.find(b"\n") + 1
        line = data[begin - start : stop]
        yield _source(line, prefix) if line.startswith(ROOT, prefix - len(ROOT)) else None


def _source(line: bytes, begin: int) -> bytes | None:
    """A source that stands on one line, where nothing in it looks like what stands behind sources."""
    value, reference, text = (line.find(word, begin) for word in (b" value:", b" id-ref=", b" toString="))
    if reference < 0 and text < 0:
        return line[begin:value] if line[value:].rstrip() == b" value:" and value > begin else None
    is_reference = begin < reference < text and (value < 0 or text < value)
    return line[begin:reference] if is_reference and line[reference + len(b" id-ref=") : text].isdigit() else None
