"""Base class of reports of files that are read line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from parsers.formats.jdkprofilers.line_rows import LinesRecording
from parsers.formats.jdkprofilers.lines import MOST, LineReader
from parsers.formats.jdkprofilers.texts import text_of
from parsers.reports.whole import WholeReport


class LinesReport(WholeReport):
    """One opened file. Derived classes define the reader, the names and what they are about."""

    reader: type[LineReader[Any]]

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> LinesRecording:
        """Reads the lines up to an offset."""
        found: LinesRecording = self.reader(self.source.path).read(pread, stop, is_all, report_progress)
        return found

    def line_text(self, offset: int) -> str:
        """Returns a line of the file."""
        return text_of(self.source.pread(MOST, offset).partition(b"\n")[0].removesuffix(b"\r"))

    @cached_property
    def name_list(self) -> Sequence[tuple[str, Sequence[int]]]:
        """Names that a search knows, each with numbers by which the report finds its rows."""
        raise NotImplementedError

    @property
    def names(self) -> Sequence[bytes]:
        """Labels of methods, or of classes."""
        return [name.encode(self.encoding, "replace") for name, _ in self.name_list] if self.is_complete else ()
