"""An opened compilation log: a run of one or more files and its index, which may still be growing.

While there is no index, rows of the first bytes are made by plain code. All else is from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.hotspot.aggregates.kinds import CODE_CACHE_KINDS, MERGED_KINDS
from parsers.formats.hotspot.log.log import Log
from parsers.formats.hotspot.log.problems import find_problems
from parsers.formats.hotspot.log.run_files import gather
from parsers.formats.hotspot.log.virtual_machine import MOST, VirtualMachine, read_virtual_machine
from parsers.formats.hotspot.names import decode
from parsers.formats.hotspot.tasks.rows.kinds import TASK_KINDS
from parsers.model.report import Problem
from parsers.model.row import Kind
from parsers.model.view import View
from parsers.model.views import Views
from parsers.reports.indexed import IndexedReport

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.plain_log import PlainLog
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source

KINDS = (
    *MERGED_KINDS,
    *TASK_KINDS,
    *CODE_CACHE_KINDS,
    Kind("level", "▲", "^", "tier of compilation"),
    Kind("interval", "◷", "%", "a stretch of the run"),
    Kind("writer", "▢", "w", "thread that wrote events"),
    Kind("fact", "·", ".", "a fact about the VM"),
    Kind("flag", "⚑", "f", "option of the VM"),
    Kind("property", "=", "=", "system property"),
)

ALWAYS_READY = ("Tasks", "Code cache", "Threads", "VM")
"""Views that show what is known so far."""


class HotSpotReport(IndexedReport):
    """One run. The views read `log`."""

    format = "hotspot-compilation-log"
    format_title = "HotSpot compilation log"
    encoding = "utf-8"
    """As in the XML declaration; names may violate it."""

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Looks for the other files of the run. Raises `ReportError` for files of several runs."""
        gathered, self._copies = gather(sources, cache)
        super().__init__(gathered, cache)
        self.log = Log(self.source, self._read_head)
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
        self.views = Views(self.makers(), is_ready=lambda name: name in ALWAYS_READY or self.log.tables is not None)

    def _read_head(self) -> PlainLog:
        """Makes columns of the first bytes, so that some rows can be shown at once."""
        from parsers.formats.hotspot.log.read.plain_log import PlainLog

        head = self.source.head
        plain = PlainLog()
        plain.begin(len(head))
        plain.feed(lambda count, offset: head[offset : offset + count], 0, len(head), len(head))
        # The last task of the head is cut off: its rows are shown as far as known.
        plain.end()
        return plain

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        raise NotImplementedError

    @property
    def format_version(self) -> str | None:
        """Version of the JDK that wrote the log."""
        return f"JDK {self.vm.jdk}" if self.vm is not None and self.vm.jdk else None

    @cached_property
    def vm(self) -> VirtualMachine | None:
        """Data about the VM from the head of the main log; None if there is no main log."""
        head = self.source.head
        return read_virtual_machine(head if b"<tty" in head else self.source.sources[0].pread(MOST, 0))

    @property
    def facts(self) -> Mapping[str, object]:
        """Facts from the head."""
        vm = self.vm
        if vm is None:
            return {}
        facts = {
            "jdk": vm.jdk,
            "release": vm.release,
            "vm": vm.name,
            "process": vm.process,
            "started": vm.started,
            "arguments": " ".join(vm.arguments),
            "command": vm.command,
        }
        return {name: fact for name, fact in facts.items() if fact}

    @property
    def totals(self) -> Mapping[str, object]:
        """All counts of the run, by name; empty until the index is finished."""
        return super().totals if self.is_complete else {}

    @property
    def file_totals(self) -> Sequence[Mapping[str, object]]:
        """The totals of each file when it is read alone, in the order of `files`; empty until the index is finished."""
        return self._fact("files") if self.is_complete else ()

    @property
    def runs(self) -> Sequence[Mapping[str, object]]:
        """Name and totals of each JVM, if several wrote the log."""
        return self._fact("runs") if self.is_complete else ()

    def _fact(self, name: str) -> Any:
        assert self.reader is not None
        return self.reader.facts[name]

    def found_problems(self) -> Iterable[Problem]:
        """Problems of the files, as far as they were read."""
        return [*self._copies, *find_problems(self.log, self.source.sources)]

    @property
    def found_problem_count(self) -> int:
        """Number of these problems."""
        return len(self.problems) - len(self.source.problems)

    @property
    def rows_of_head(self) -> int:
        """Number of tasks and events in the head."""
        return self.log.tasks + self.log.events

    @property
    def is_complete(self) -> bool:
        """True if no number is provisional any more."""
        return self.log.is_complete

    def text(self, data: bytes) -> str:
        """Decodes some bytes of the files, or of a name."""
        return decode(data)

    def take_index(self, reader: IndexReader) -> None:
        """Switches to the index once it knows more than the head."""
        if reader.is_complete or reader.has("task_id"):
            self.log.take_index(reader)
