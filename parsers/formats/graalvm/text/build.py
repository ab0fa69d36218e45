"""Builds the index of one text tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from parsers.formats.graalvm.kernels import TEXT
from parsers.formats.graalvm.text_format import FORMATS
from parsers.index.build import ChangedReport, FileBuild
from parsers.io.charset import boxes_of, detect
from parsers.io.source import HEAD

if TYPE_CHECKING:
    from parsers.index.build import ReportProgress
    from parsers.index.store import Header
    from parsers.io.group import SourceGroup

BLOCK = 1 << 20
"""Bytes that plain code reads at a time."""


class TextTreeBuild(FileBuild):
    """The build of one text tree's index."""

    groups = (TEXT,)

    def __init__(self, source: SourceGroup, folder: str, format: str, report_progress: ReportProgress) -> None:
        super().__init__(source, folder, format, report_progress)
        self._text_format = FORMATS[format]
        self._boxes = boxes_of(detect(source.head[:HEAD]))

    def with_plain(self) -> Header:
        """Builds by plain code."""
        from parsers.formats.graalvm.text.columns import COLUMNS
        from parsers.formats.graalvm.text.read.plain_index import PlainIndex

        format, size, writer = self._text_format, self.size, self.writer()
        index = PlainIndex(writer, format.empty_tree(self._boxes.encoding))
        done = 0
        while done < size:
            data = os.pread(self.descriptors[0], min(BLOCK, size - done), done)
            if not data:
                raise ChangedReport
            index.feed(data)
            done += len(data)
            self.publish(done, index.tree.rows, writer, index.lengths, COLUMNS)
        index.finish(format.load(format.arrays))
        summary = index.tree.summary
        self.check_unchanged()
        return self.finish(
            writer, index.tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count
        )

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        from parsers.formats.graalvm.text.columns import COLUMNS
        from parsers.formats.graalvm.text.read.build import TextBuild
        from parsers.formats.graalvm.text.summary import kept

        format = self._text_format
        writer = self.writer()
        build = TextBuild(writer, self.descriptors[0], self.size, self._boxes, format.number)
        build.read(lambda done, rows, lengths: self.publish(done, rows, writer, lengths, COLUMNS))
        end = format.load(format.end)(build)
        end.run()
        totals = end.totals()
        problems, count = end.problems(ends_well(self.descriptors[0], self.size))
        self.check_unchanged()
        return self.finish(writer, build.rows, totals, end.facts(totals), kept(problems), count)


def ends_well(descriptor: int, size: int) -> bool:
    """Returns True if the last line is empty and has its line end."""
    tail = os.pread(descriptor, 4, max(0, size - 4))
    return tail.replace(b"\r\n", b"\n").endswith(b"\n\n") or tail in (b"\n", b"\r\n")
