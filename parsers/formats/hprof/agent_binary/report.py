"""An opened binary file: the views of text profiles, and those of its last heap dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, Read, created_ms, date_of, version_of
from parsers.formats.hprof.data.columns import CPU_SAMPLES, SITES_KIND
from parsers.formats.hprof.dump.records.parts import DumpParts, sibling_parts
from parsers.formats.hprof.profile_report import ProfileReport
from parsers.formats.hprof.report import section_lines
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.model.late import late
from parsers.model.late.lazy_sequence import LazyItems
from parsers.model.row import counted
from parsers.model.view import View
from parsers.reports.indexed import IndexedReport

if TYPE_CHECKING:
    from parsers.formats.hprof.agent_binary.profile import BinaryProfile
    from parsers.formats.hprof.data.tables import ProfileTables
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.io.cache import Cache
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source

OF_AGENT = 0x0E
"""Tag of the first record of the agent: CONTROL_SETTINGS. Other files are heap dumps of a JVM."""

MOST_NAMED = 20
"""Most neighbouring files, and most dumps of one file, that are named."""
SUMMARIES = "Heap summaries"
LATER = (
    "parsers.heapdump.views.classes_view",
    "parsers.formats.hprof.dump.graph.objects",
    "parsers.heapdump.collections.known",
    "parsers.formats.hprof.dump.graph.members",
    "parsers.heapdump.views.objects_view",
)
"""Modules imported when objects are known, or one is displayed."""
EMPTY_ROWS = {"Traces": "trace", "Threads": "thread"}
"""Tables of views that need no section."""


class BinaryReport(ProfileReport):
    """Report of one file."""

    format = "hprof-binary"
    format_title = "HPROF binary profile"
    has_retained_sizes = True
    deferred_imports = LATER

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        super().__init__(sources, cache)
        if self._is_of_jvm:
            self.format_title = "HPROF heap dump"

    @classmethod
    def grouped(cls, sources: Sequence[Source]) -> SourceGroup:
        """Returns the file with its given parts."""
        return DumpParts(sources)

    def read_head(self) -> ProfileTables:
        """Reads the rows in the first bytes. Not needed once there is an index."""
        return self._profile.tables

    @cached_property
    def _profile(self) -> BinaryProfile:
        from parsers.formats.hprof.agent_binary.profile import BinaryProfile
        from parsers.formats.hprof.data.tables import ProfileTables
        from parsers.formats.hprof.dump.records.records import DumpRecords, read_header

        head = self.source.head
        read: Read = lambda count, offset: head[offset : offset + count]  # noqa: E731
        header = read_header(read, len(head))
        records = DumpRecords(read, len(head), 0 if header is None else header[1])
        profile = BinaryProfile(ProfileTables(), records)
        profile.read(records.read, len(head))
        return profile

    @cached_property
    def _sections_of_head(self) -> frozenset[int]:
        counts = self._profile.counts
        kinds = {CPU_SAMPLES: counts["cpu_samples"], SITES_KIND: counts["alloc_sites"], HEAP_DUMP: self._is_of_jvm}
        return frozenset(kind for kind, count in kinds.items() if count)

    @property
    def _is_of_jvm(self) -> bool:
        """True if a JVM wrote it by itself, not its agent."""
        head = self.source.head
        return len(head) > HEADER_SIZE and head[HEADER_SIZE] != OF_AGENT

    @property
    def created_ms(self) -> int:
        """Creation time in the header."""
        return created_ms(self.source.head)

    @property
    def format_version(self) -> str | None:
        """Version in the header."""
        return version_of(self.source.head).decode("ascii", "replace") or None

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views of text; heap views show the last heap dump."""
        from parsers.heapdump.views.shared import retained_makers

        heap = self.heap
        makers: dict[str, Callable[[], View]] = {}
        for name, make in super().makers().items():
            makers[name] = make
            if name == "Referrers":
                makers |= retained_makers(heap)
                makers["Strings"] = late("parsers.formats.hprof.dump.graph.strings_view:StringsView", heap)
        # Dumps of a JVM have threads with their stacks; the agent records starts and ends.
        stacks = late("parsers.formats.hprof.dump.graph.heap_threads_view:HeapThreadsView")
        others = makers["Threads"]
        makers["Threads"] = lambda: stacks(heap, self.recording) if self._is_of_jvm else others()
        summaries = late("parsers.formats.hprof.agent_binary.summaries_view:SummariesView")
        return makers | {SUMMARIES: lambda: summaries(self.recording, self.created_ms)}

    def has_view(self, name: str) -> bool:
        """True if there is data for a view."""
        has_summaries = bool(self.recording.rows("summary"))
        if name == SUMMARIES:
            return has_summaries
        # Views that always exist are hidden if they are empty and there is something else to show.
        if name in EMPTY_ROWS and has_summaries and self.recording.is_complete:
            return bool(self.recording.rows(EMPTY_ROWS[name]))
        return super().has_view(name)

    def heap_objects(self) -> HeapObjects:
        """Makes the objects of the last heap dump, once all is known."""
        from parsers.formats.hprof.dump.graph.graph import DumpGraph
        from parsers.formats.hprof.dump.graph.objects import DumpObjects

        return DumpObjects(DumpGraph(self.recording), self.recording, self.thread_name)

    @property
    def sections_there(self) -> frozenset[int]:
        """The kinds of sections known to be in the file."""
        return super().sections_there if self.recording.has_stage("objects") else self._sections_of_head

    @property
    def line_end(self) -> str:
        """`none`: there are no lines."""
        return "none"

    # Those that the index lists; the base class finds those of text.
    found_problems = IndexedReport.found_problems
    found_problem_count = IndexedReport.found_problem_count

    @property
    def facts(self) -> Mapping[str, object]:
        """Creation time in UTC; inferred facts of its heap."""
        facts: dict[str, Any] = {"created": date_of(self.created_ms)}
        if self.recording.has_stage("objects"):
            known = self.recording.facts
            facts["sections"] = section_lines(known, lambda each: f"{each['kind']}: {counted(each['rows'], 'row')}")
            if self.recording.is_complete:
                facts["samples"] = self.samples_fact
            facts |= {name: known[name] for name in ("java_version", "id_size", "layout") if name in known}
            facts |= self.sizes_fact
        if paths := self.run_paths:
            facts["heap_dumps"] = _some(paths)
        siblings = sibling_parts(self.source.path) if len(self.source.sources) == 1 else []
        if siblings:
            facts["parts_beside"] = _some(siblings)
        return {name: fact for name, fact in facts.items() if fact}

    @property
    def run_paths(self) -> Sequence[str]:
        """Paths that open each heap dump of the file, if there are several. By default the last one is shown."""
        source = self.source.sources[0]
        count = source.runs or (self.recording.facts.get("dumps", 0) if self.recording.is_complete else 0)
        if count < 2 or source.path == "-" or len(self.source.sources) > 1:
            return ()
        path = source.path.rpartition("#")[0] if source.runs else source.path
        return paths_of_runs(path, count)


def paths_of_runs(path: str, count: int) -> Sequence[str]:
    """Returns the paths of all runs of a file, `path#1` to `path#count`: there may be very many."""
    return LazyItems(count, lambda index: f"{path}#{index + 1}")


def _some(names: Sequence[str]) -> list[str]:
    """Returns the first of many names."""
    return [*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])]
