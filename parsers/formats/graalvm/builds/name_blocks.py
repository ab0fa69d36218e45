"""Names of hundreds of thousands of rows from all over a file, read in blocks by kernels, without objects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.normalised import normalised_lines
from parsers.reporting.comparison.text_numbers import SLACK, EncodedTexts, texts_of

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.report import SideReport
    from parsers.model.arrays import I64Array, U8Array, U64Array

READ = 1 << 22
"""Bytes of a file that are read together."""
LONGEST = 1 << 16
"""Bytes of a line that are examined."""

Pread = Callable[[int, int], bytes]


class PaddedBlock:
    """A buffer that kernels may read beyond its content."""

    def __init__(self) -> None:
        self.data = np.empty(READ + SLACK, np.uint8)
        self.size = 0

    def fill(self, data: bytes) -> None:
        """Replaces the content."""
        self.size = len(data)
        self.data[: self.size] = np.frombuffer(data, np.uint8)
        self.data[self.size : self.size + SLACK] = 0


def hashes_of_list(report: SideReport) -> U64Array:
    """Returns the hashes of normalised names: uint64 by row of a list of names."""
    lines, pread = report.recording, report.source.pread
    begins = np.array(lines.starts, np.int64)
    hashes, block, row = np.empty(len(begins), np.uint64), PaddedBlock(), 0
    while row < len(begins):
        last = max(row + 1, bisect_right(lines.starts, lines.starts[row] + READ, row) - 1)
        if last == len(begins) - 1 and lines.stop <= lines.starts[row] + READ:
            last += 1
        stop = lines.starts[last] if last < len(begins) else lines.stop
        block.fill(pread(min(stop - lines.starts[row], LONGEST if last == row + 1 else READ), lines.starts[row]))
        hashes[row:last] = _hashes(block, begins[row:last] - begins[row], report.encoding)
        row = last
    return hashes


def _hashes(block: PaddedBlock, begins: I64Array, encoding: str) -> U64Array:
    """Returns the hashes of the lines of a block."""
    from parsers.formats.graalvm.builds.names_kernel import cut_lines

    count = len(begins)
    starts, stops, is_doubtful = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, bool)
    hashes = np.empty(count, np.uint64)
    cut_lines(block.data, block.size, begins, starts, stops, is_doubtful, hashes)
    doubtful = np.flatnonzero(is_doubtful)
    if len(doubtful):
        places = zip(starts[doubtful].tolist(), stops[doubtful].tolist(), strict=True)
        names = [block.data[start:stop].tobytes() for start, stop in places]
        hashes[doubtful] = hashes_of(texts_of(normalised_lines(names, encoding)))
    return hashes


def hashes_of(texts: EncodedTexts) -> U64Array:
    """Returns the hashes of texts: uint64 by text."""
    from parsers.formats.graalvm.builds.names_kernel import hash_all

    data = np.zeros(len(texts.data) + SLACK, np.uint8)
    data[: len(texts.data)] = texts.data
    hashes = np.empty(texts.count, np.uint64)
    hash_all(data, texts.starts.astype(np.int64), hashes)
    return hashes


def root_texts(
    pread: Pread, begins: I64Array, forms: U8Array, prefix: int, drops_loaders: bool
) -> tuple[EncodedTexts, I64Array]:
    """Returns the sources of roots, empty for those that plain code must parse, and the numbers of these.

    begins  int64: starts of their rows, ascending; forms: uint8, from the index
    prefix  bytes of the branch before each
    """
    from parsers.formats.graalvm.builds.names_kernel import cut_sources

    block, pieces = PaddedBlock(), []
    ends, doubtful = np.zeros(len(begins) + 1, np.int64), []
    texts, row = np.empty(READ + SLACK, np.uint8), 0
    while row < len(begins):
        block.fill(pread(READ, int(begins[row])))
        last = max(row + 1, int(np.searchsorted(begins, begins[row] + block.size)))
        stops = np.empty(last - row, np.int64)
        used = cut_sources(
            block.data,
            block.size,
            begins[row:last] - begins[row],
            forms[row:last],
            prefix,
            drops_loaders,
            texts,
            0,
            stops,
        )
        pieces.append(texts[:used].tobytes())
        doubtful.append(row + np.flatnonzero(stops < 0))
        ends[row + 1 : last + 1] = ends[row] + np.maximum.accumulate(np.maximum(stops, 0))
        row = last
    return EncodedTexts(ends, np.frombuffer(b"".join(pieces), np.uint8)), np.concatenate(
        [*doubtful, np.empty(0, np.int64)]
    )
