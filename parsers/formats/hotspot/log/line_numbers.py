"""Start of a line of a run: the inverse of `Log.line`, by the newlines that the index counted."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.part import LINE_BLOCK

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log


def line_start(log: Log, line: int, file: int = 0) -> int | None:
    """Returns the run offset where a line of a file begins, from 1; None if there is none. Needs a complete log."""
    if not log.is_complete or line < 1 or file >= len(log.parts):
        return None
    part, counts = log.parts[file], log.column("lines")
    first, blocks = part.first_block, -(-part.size // LINE_BLOCK)
    if line > part.newlines + 1 or not blocks:
        return None
    block = max(bisect_left(counts, line - 1, first, first + blocks) - 1 - first, 0)
    start = block * LINE_BLOCK
    missing = line - 1 - counts[first + block]
    # A line ends in the block in which its newline is counted, so the next one begins in it or right after it.
    data = log.pread(min(2 * LINE_BLOCK, part.size - start), part.base + start)
    at = 0
    for _ in range(missing):
        at = data.find(b"\n", at) + 1
        if not at:
            return None
    return part.base + start + at if start + at < part.size else None
