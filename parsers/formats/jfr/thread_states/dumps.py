"""The thread dumps of a recording: events with the text of `jcmd Thread.print`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from parsers.profile.threads.thread_dump import ThreadDump

if TYPE_CHECKING:
    from parsers.formats.jfr.recorded_data import RecordedData, TimeSpan
    from parsers.model.arrays import I64Array

THREAD_DUMP = "jdk.ThreadDump"
KEPT = 8
"""Dumps that are kept."""


class RecordedDumps:
    """Thread dumps, read when they are asked for."""

    def __init__(self, data: RecordedData) -> None:
        self._data = data
        self.of_row = lru_cache(KEPT)(self._of_row)

    def rows(self, span: TimeSpan | None = None) -> I64Array:
        """Returns the events with dumps."""
        return self._data.rows_of(THREAD_DUMP, span)

    def _of_row(self, row: int) -> ThreadDump:
        chunk, _, values, _ = self._data.values(row)
        return ThreadDump(chunk.text(values.get("result")))
