"""An opened recording: its index and facts. A class derived from it makes the views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.jfr.read.chunks import HEADER_BYTES, MAGIC, refuse_old
from parsers.formats.jfr.thread_states.kinds import KINDS as STATE_KINDS
from parsers.model.row import Kind
from parsers.reports.indexed import IndexedReport

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.formats.jfr.data.time_ranges import TimeRanges
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source

KINDS = (
    Kind("type", "▤", "T", "type of events"),
    Kind("event", "·", ".", "event"),
    Kind("method", "●", "*", "method"),
    Kind("frame", "↳", ">", "frame of a stack"),
    Kind("class", "○", "o", "class"),
    Kind("package", "▪", "#", "package"),
    Kind("trace", "≡", "=", "stack trace"),
    Kind("thread", "▢", "t", "thread"),
    Kind("place", "◈", "@", "file, host or class for which threads wait"),
    Kind("collection", "C", "C", "garbage collection"),
    Kind("object", "◇", "O", "object"),
    Kind("value", "▫", "-", "value"),
    Kind("group", "▣", "g", "group of threads"),
    Kind("dump", "≣", "D", "thread dump"),
    Kind("line", "·", ".", "line"),
    *STATE_KINDS,
)
TABLES = (
    "Garbage collections",
    "Latencies",
    "Monitors",
    "Allocation",
    "Exceptions",
    "I/O",
    "Compilations",
    "Class loading",
    "Safepoints",
    "Method timing",
    "Settings",
    "System",
    "JDK views",
)
"""Views of `tables.declarations`."""


class JfrReport(IndexedReport):
    """Report of one recording. Views read its `data`."""

    format = "jfr"
    format_title = "Flight Recorder file"
    encoding = "utf-8"
    one_file = "a recording is one file: give one at a time, or join them"
    deferred_imports = (
        "parsers.formats.jfr.profiles",
        "parsers.profile.views.call_views",
        "parsers.formats.jfr.tables.tables_view",
    )
    _is_taken = False

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Raises `ReportError` for several files, and for a recording of version 1."""
        super().__init__(sources, cache)
        refuse_old(self.source.head[:HEADER_BYTES], self.source.path)
        # Each flush rewrites the header of its chunk.
        self.source.sources[0].rewritten = HEADER_BYTES
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}

    @cached_property
    def data(self) -> RecordedData:
        """The recorded data; empty until the index is finished."""
        from parsers.formats.jfr.data.recorded_data import RecordedData
        from parsers.formats.jfr.kernels import KERNELS
        from parsers.formats.jfr.read.engine import Engine
        from parsers.kernels.library import has_kernels

        return RecordedData(self.source.pread, self.size, Engine(is_plain=not has_kernels(KERNELS)))

    @cached_property
    def ranges(self) -> TimeRanges:
        """The time ranges that views can show."""
        from parsers.formats.jfr.data.time_ranges import TimeRanges

        return TimeRanges(self.data)

    @property
    def format_version(self) -> str | None:
        """Version of the first chunk."""
        head = self.source.head
        return f"{head[5]}.{head[7]}" if head.startswith(MAGIC) and len(head) > 7 else None

    @property
    def line_end(self) -> str:
        """`none`: there are no lines."""
        return "none"

    @property
    def facts(self) -> Mapping[str, object]:
        """Start, duration and chunks."""
        if not self.is_complete:
            return {}
        from parsers.model.time_text import nanos_text, time_text

        first, last = self.data.column("span").tolist()
        chunks = len(self.data.column("chunk_offset"))
        return {"start": f"{time_text(first)} UTC", "duration": nanos_text(last - first), "chunks": chunks}

    @cached_property
    def _jvms(self) -> Sequence[Mapping[str, object]]:
        from parsers.formats.jfr.data.jvms import jvms_of

        return jvms_of(self.data)

    @property
    def runs(self) -> Sequence[Mapping[str, object]]:
        """The JVMs that wrote the file, if there are several."""
        return self._jvms if self.is_complete else ()

    @property
    def is_complete(self) -> bool:
        """True if all numbers are final."""
        return self._is_taken

    @property
    def names(self) -> Sequence[bytes]:
        """Names of the types of events; empty until the index is finished."""
        return [name.encode("utf-8", "surrogatepass") for name in self.data.type_names] if self.is_complete else ()

    def name_count(self, name: int) -> int:
        """Returns the number of events of a type."""
        return int(self.data.column("type_events")[name])

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the row of a type in the first view."""
        found = self.views[0].find_key(("event type", self.data.type_names[name]))
        return () if found is None else (found,)

    def text(self, data: bytes) -> str:
        """Decodes a name."""
        return data.decode("utf-8", "surrogatepass")

    def take_index(self, reader: IndexReader) -> None:
        """Switches to the finished index."""
        if reader.is_complete:
            self.data.take_index(reader)
            self._is_taken = True
