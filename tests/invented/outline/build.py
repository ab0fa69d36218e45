"""Builds the index of an outline."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from outline.format import HEADER
from outline.kernels import KERNELS
from outline.line_loops import find_lines
from parsers.index.build import FileBuild
from parsers.index.store import Header
from parsers.kernels.compiled import compiled


class OutlineBuild(FileBuild):
    """The build of the index of one outline."""

    groups = (KERNELS,)
    small: ClassVar[int] = 0

    def with_plain(self) -> Header:
        """Builds by plain code."""
        return self.with_kernels()

    def with_kernels(self) -> Header:
        """Builds by kernels, which are plain code where there are none."""
        read, writer = self.reader(), self.writer()
        data = np.frombuffer(read(self.size, 0), np.uint8)[len(HEADER) :]
        starts, depths = np.zeros(len(data), np.int64), np.zeros(len(data), np.uint16)
        rows = int(compiled(find_lines)(data, starts, depths))
        self.report_progress(self.progress(self.size, rows))
        writer.save("offset", (starts[:rows] + len(HEADER)).astype(np.uint64))
        writer.save("depth", depths[:rows])
        self.check_unchanged()
        return self.finish(writer, rows, {"lines": rows}, {})
