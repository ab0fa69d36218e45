"""An opened binary file: the views of text profiles, and of the last heap dump in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, created_ms, date_of, version_of
from parsers.formats.hprof.columns import CPU_SAMPLES, SITES_KIND
from parsers.formats.hprof.dump.read.parts import DumpParts, parts_beside
from parsers.formats.hprof.report import HprofReport, section_lines
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.model.report import Problem, View

if TYPE_CHECKING:
    from parsers.formats.hprof.agent_binary.profile import BinaryProfile
    from parsers.formats.hprof.heap_views import SharedHeap
    from parsers.formats.hprof.tables import Tables
    from parsers.heapdump.graph.heap_context import Heap
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source

OF_AGENT = 0x0E
"""Tag of the first record of the agent: CONTROL_SETTINGS. What begins with another one is a heap dump of a JVM."""

MOST_NAMED = 20
"""Files that lie beside, and dumps of one file."""
SUMMARIES = "Heap summaries"
LATER = (
    "parsers.heapdump.views.classes_view",
    "parsers.formats.hprof.dump.graph.objects",
    "parsers.formats.hprof.dump.graph.sections",
    "parsers.heapdump.collections.known",
    "parsers.formats.hprof.dump.graph.members",
    "parsers.heapdump.views.objects_view",
)
"""What is imported when objects are known, or one is looked at."""
EMPTY_ROWS = {"Traces": "trace", "Threads": "thread"}
"""Tables of views that need no section."""


class BinaryReport(HprofReport):
    """One file."""

    format = "hprof-binary"
    format_title = "HPROF binary profile"
    tells_retained = True
    loads_later = LATER

    @classmethod
    def grouped(cls, sources: Sequence[Source]) -> SourceGroup:
        """The file with its parts, as far as they are given."""
        return DumpParts(sources)

    def read_head(self) -> Tables:
        """Rows at once: what the first bytes tell. Who has an index doesn't ask."""
        return self._profile.tables

    @cached_property
    def _profile(self) -> BinaryProfile:
        from parsers.formats.hprof.agent_binary.profile import BinaryProfile
        from parsers.formats.hprof.tables import Tables

        head = self.source.head
        profile = BinaryProfile(Tables())
        profile.read(lambda count, offset: head[offset : offset + count], len(head), is_head=True)
        return profile

    @cached_property
    def _sections_of_head(self) -> frozenset[int]:
        counts = self._profile.counts
        kinds = {CPU_SAMPLES: counts["cpu_samples"], SITES_KIND: counts["alloc_sites"], HEAP_DUMP: self._is_of_jvm}
        return frozenset(kind for kind, count in kinds.items() if count)

    @property
    def _is_of_jvm(self) -> bool:
        """Whether a JVM wrote it by itself, not its agent."""
        head = self.source.head
        return len(head) > HEADER_SIZE and head[HEADER_SIZE] != OF_AGENT

    @property
    def created_ms(self) -> int:
        """When it was made, as the header says."""
        return created_ms(self.source.head)

    @property
    def format_version(self) -> str | None:
        """As the header says."""
        return version_of(self.source.head).decode("ascii", "replace") or None

    def makers(self) -> dict[str, Callable[[], View]]:
        """The views of text; those of heaps show the last heap dump."""
        from parsers.formats.hprof.heap_views import SharedHeap, heap_makers
        from parsers.heapdump.views.shared import retained_makers

        heap = SharedHeap(self, self._heap_objects)
        makers: dict[str, Callable[[], View]] = {}
        for name, make in super().makers().items():
            makers[name] = make
            if name == "Referrers":
                makers |= retained_makers(heap) | {"Strings": lambda: _strings(heap)}
        others = makers["Threads"]
        makers["Threads"] = lambda: self._stacks(heap) if self._is_of_jvm else others()
        return makers | heap_makers(self, heap, tells_retained=True) | {SUMMARIES: self._summaries}

    def _stacks(self, heap: SharedHeap) -> View:
        """Threads with their stacks, which a JVM dumps; the agent tells when they began and ended."""
        from parsers.formats.hprof.dump.graph.heap_threads_view import StacksView

        return cast(View, StacksView(heap, self.recording))

    def _summaries(self) -> View:
        from parsers.formats.hprof.agent_binary.summaries_view import SummariesView

        # Lines and columns depend on what is chosen: to the checker these are no variables.
        return cast(View, SummariesView(self))

    def has_view(self, name: str) -> bool:
        """Whether there is something that a view could show."""
        has_summaries = bool(self.recording.rows("summary"))
        if name == SUMMARIES:
            return has_summaries
        # Views that are always there stand back where they are empty and there is something else to show.
        if name in EMPTY_ROWS and has_summaries and self.recording.is_complete:
            return bool(self.recording.rows(EMPTY_ROWS[name]))
        return super().has_view(name)

    def _heap_objects(self) -> HeapObjects:
        from parsers.formats.hprof.dump.graph.graph import DumpGraph
        from parsers.formats.hprof.dump.graph.objects import DumpObjects

        return DumpObjects(DumpGraph(self.recording), self.recording, self.thread_name)

    @property
    def sections_there(self) -> frozenset[int]:
        """The kinds of sections that the file is known to have."""
        return super().sections_there if self.recording.has_stage("objects") else self._sections_of_head

    @property
    def line_end(self) -> str:
        """There are no lines."""
        return "none"

    @property
    def problems(self) -> Sequence[Problem]:
        """What was wrong in the file."""
        found = () if self.reader is None else self.reader.problems
        return [*self.source.problems, *(replace(problem, file=self.source.path) for problem in found)]

    @property
    def problem_count(self) -> int:
        """How many there are; of very many the first ones are listed."""
        return len(self.source.problems) + (0 if self.reader is None else self.reader.problem_count)

    @property
    def facts(self) -> Mapping[str, Any]:
        """When it was made, in universal time; what is concluded of its heap."""
        facts: dict[str, Any] = {"created": date_of(self.created_ms)}
        if self.recording.has_stage("objects"):
            known = self.recording.facts
            facts["sections"] = section_lines(known, lambda each: f"{each['kind']}: {each['rows']:,} rows")
            if self.recording.is_complete:
                facts["samples"] = self.samples_fact
            facts |= {name: known[name] for name in ("java_version", "id_size", "layout") if name in known}
            facts |= self.sizes_fact
        if paths := self.run_paths:
            facts["heap_dumps"] = _some(paths)
        beside = parts_beside(self.source.path) if len(self.source.sources) == 1 else []
        if beside:
            facts["parts_beside"] = _some(beside)
        return {name: fact for name, fact in facts.items() if fact}

    @property
    def run_paths(self) -> Sequence[str]:
        """What opens each heap dump of the file, where there are several; the last one is shown unless one is asked."""
        source = self.source.sources[0]
        count = source.runs or (self.recording.facts.get("dumps", 0) if self.recording.is_complete else 0)
        if count < 2 or source.path == "-" or len(self.source.sources) > 1:
            return ()
        path = source.path.rpartition("#")[0] if source.runs else source.path
        return [f"{path}#{number}" for number in range(1, count + 1)]


def _some(names: Sequence[str]) -> list[str]:
    """The first of many names."""
    return [*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])]


def _strings(heap: Heap) -> View:
    from parsers.formats.hprof.dump.graph.strings_view import StringsView

    return StringsView(heap)
