"""Builds the index of an outline."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from outline.format import HEADER
from outline.line_kernel import find_lines
from parsers.index.store import Header
from parsers.index.writer import Writer
from parsers.io.group import SourceGroup


class OutlineBuild:
    """Index build of an outline."""

    def __init__(self, source: SourceGroup, folder: str, format: str, report_progress: Any) -> None:
        self._source, self._started = source, time.perf_counter()
        self._writer = Writer(folder, format, source.identity)

    def run(self) -> Header:
        """Builds it."""
        size = self._source.size
        data = np.frombuffer(self._source.pread(size, 0), np.uint8)[len(HEADER) :]
        starts, depths = np.zeros(size, np.int64), np.zeros(size, np.uint16)
        rows = find_lines(data, starts, depths)
        self._writer.save("offset", (starts[:rows] + len(HEADER)).astype(np.uint64))
        self._writer.save("depth", depths[:rows])
        return self._writer.finish(size, rows, {"lines": rows}, {}, (), 0, time.perf_counter() - self._started)

    def abandon(self) -> None:
        """Removes what was written."""
        self._writer.abandon()
