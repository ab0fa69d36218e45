"""The thread dumps of a recording: events with the text of `jcmd Thread.print`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers.profile.threads.thread_dump import DEADLOCK, ThreadDump

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData, TimeSpan
    from parsers.model.arrays import I64Array
    from parsers.profile.threads.wait_graph import Ring

THREAD_DUMP = "jdk.ThreadDump"
KEPT = 8
"""Dumps that are kept."""


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Threads that wait for each other in one or several dumps."""

    names: tuple[str, ...]
    rows: tuple[int, ...]
    """The events with the dumps."""


def has_deadlocks(data: RecordedData) -> bool:
    """True if a dump of a finished index has a deadlock."""
    return data.computed("has deadlocks", lambda: bool(RecordedDumps(data).deadlocks()))


class RecordedDumps:
    """Thread dumps, read when they are asked for."""

    def __init__(self, data: RecordedData) -> None:
        self._data = data
        self.of_row = lru_cache(KEPT)(self._of_row)

    def rows(self, span: TimeSpan | None = None) -> I64Array:
        """Returns the events with dumps."""
        return self._data.rows_of(THREAD_DUMP, span)

    def deadlocks(self, span: TimeSpan | None = None) -> list[Deadlock]:
        """Returns the deadlocks of all dumps, each once, in the order in which they are seen first."""
        found: dict[tuple[str, ...], list[int]] = {}
        for row in self.rows(span).tolist():
            if DEADLOCK in self._text(row):
                dump = self.of_row(row)
                for ring in dump.graph.rings:
                    found.setdefault(tuple(map(dump.thread_text, ring.threads)), []).append(row)
        return [Deadlock(names, tuple(rows)) for names, rows in found.items()]

    def ring(self, deadlock: Deadlock) -> tuple[ThreadDump, Ring]:
        """Returns the first dump with a deadlock, and its threads there."""
        dump = self.of_row(deadlock.rows[0])
        rings = (ring for ring in dump.graph.rings if tuple(map(dump.thread_text, ring.threads)) == deadlock.names)
        return dump, next(rings)

    def _of_row(self, row: int) -> ThreadDump:
        return ThreadDump(self._text(row))

    def _text(self, row: int) -> str:
        chunk, _, values, _ = self._data.values(row)
        return chunk.text(values.get("result"))
