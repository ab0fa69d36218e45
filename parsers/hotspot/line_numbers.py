"""Numbers of lines from offsets and back, for the files of a run: counted once, a step at a time, as far as needed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.hotspot.log import Log

STEP = 1 << 16
"""Bytes between two counts that are kept."""
READ = 1 << 21
"""Bytes that are read at a time, a multiple of it."""


class LineNumbers:
    """Lines of a run, 1-based in each file."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._counts: dict[int, list[int]] = {}
        """By run offset of the file: newlines before each step."""

    @property
    def bases(self) -> Sequence[int]:
        """Run offsets where the files begin, as far as they are known."""
        return [part.base for part in self._log.parts] or [0]

    def line(self, offset: int) -> int:
        """The number of the line that a run offset lies in."""
        bases = self.bases
        base = bases[max(bisect_right(bases, offset) - 1, 0)]
        counts, step = self._counts.setdefault(base, [0]), (offset - base) // STEP
        while len(counts) <= step and self._count_on(counts, base, 1 << 62):
            pass
        step = min(step, len(counts) - 1)
        start = base + step * STEP
        return 1 + counts[step] + self._log.pread(offset - start, start).count(b"\n")

    def offset(self, line: int, file: int = 0, end: int = 1 << 62) -> int | None:
        """The run offset where a line of a file begins; None if the file has fewer lines."""
        bases = self.bases
        base, stop = bases[file], bases[file + 1] if file + 1 < len(bases) else end
        counts = self._counts.setdefault(base, [0])
        while counts[-1] < line - 1:
            if not self._count_on(counts, base, stop):
                break
        step = max(bisect_right(counts, line - 2) - 1 if line > 1 else 0, 0)
        start, missing = base + step * STEP, line - 1 - counts[step]
        data = self._log.pread(min(2 * STEP, max(stop - start, 0)), start)
        at = 0
        for _ in range(missing):
            at = data.find(b"\n", at) + 1
            if not at:
                return None
        return start + at if at < len(data) else None

    def _count_on(self, counts: list[int], base: int, stop: int) -> bool:
        """Count whole steps behind those that are counted; False at the end of the file."""
        start = base + (len(counts) - 1) * STEP
        data = self._log.pread(min(READ, max(stop - start, 0)), start)
        for at in range(0, len(data) - STEP + 1, STEP):
            counts.append(counts[-1] + data.count(b"\n", at, at + STEP))
        return len(data) >= STEP
