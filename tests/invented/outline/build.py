"""Builds the index of an outline."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from outline.format import HEADER
from outline.kernels import KERNELS
from outline.line_loops import find_lines
from parsers.index.build import FileBuild
from parsers.index.store import Header
from parsers.kernels.compiled import run_loop


class OutlineBuild(FileBuild):
    """The build of the index of one outline."""

    groups = (KERNELS,)
    small: ClassVar[int] = 0

    def with_plain(self) -> Header:
        """Builds by plain code."""
        return self._build(is_plain=True)

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        return self._build(is_plain=False)

    def _build(self, is_plain: bool) -> Header:
        read, writer = self.reader(), self.writer()
        data = np.frombuffer(read(self.size, 0), np.uint8)[len(HEADER) :]
        starts, depths = np.zeros(len(data), np.int64), np.zeros(len(data), np.uint16)
        rows = int(run_loop(find_lines, is_plain, (data,), (starts, depths)))
        self.report_progress(self.progress(self.size, rows))
        writer.save("offset", (starts[:rows] + len(HEADER)).astype(np.uint64))
        writer.save("depth", depths[:rows])
        self.check_unchanged()
        return self.finish(writer, rows, {"lines": rows}, {})
