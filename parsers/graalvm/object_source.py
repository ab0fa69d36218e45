"""The sources of many roots at once: hundreds of thousands of short texts from all over a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.graalvm.charset import boxes_of
from parsers.graalvm.object_row import ROOT, VALUE_END

if TYPE_CHECKING:
    from parsers.graalvm.object_tree import ObjectTreeReport

RETURN = ord("\r")
READ = 1 << 20
"""Bytes of the file that are read together."""


def sources(report: ObjectTreeReport, rows: Sequence[int], offsets: Sequence[int]) -> list[str]:
    """Sources of roots, by their rows and where in the file those begin, in ascending order.

    Most roots end in ` value:` on their own line; what stands before that is the source. All others are taken apart.
    """
    pread, text = report.source.pread, report.text
    prefix = len(boxes_of(report.encoding).tee) + len(ROOT)
    found: list[str] = []
    data, base = b"", 0
    for row, offset in zip(rows, offsets, strict=True):
        at = offset - base
        end = data.find(b"\n", at)
        if end < 0:
            data, base, at = pread(READ, offset), offset, 0
            end = data.find(b"\n")
        stop = end - 1 if end > 0 and data[end - 1] == RETURN else end
        if data.endswith(VALUE_END, at + prefix, stop) and data.startswith(ROOT, at + prefix - len(ROOT)):
            found.append(text(data[at + prefix : stop - len(VALUE_END)]))
        else:
            found.append(report.parsed(row).source)
    return found
