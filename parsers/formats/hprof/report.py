"""An opened profile: the data of its views, and the index that is being built.

Without an index, plain code makes rows of the head. Sections are guessed from the head and the tail until the index
has them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.data.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    MONITOR_DUMP,
    MONITOR_TIME,
    SECTION_KINDS,
    SITES_KIND,
)
from parsers.formats.hprof.data.names import decode
from parsers.formats.hprof.data.problems import find_problems
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.monitors.kinds import MONITOR_KINDS
from parsers.formats.hprof.profiles.views import PROFILE_KINDS
from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.heapdump.views.kinds import HEAP_KINDS
from parsers.model.report import Problem
from parsers.model.row import Kind, counted
from parsers.model.view import View
from parsers.model.views import Views
from parsers.reports.indexed import NamedReport

if TYPE_CHECKING:
    from parsers.formats.hprof.data.tables import ProfileTables
    from parsers.formats.hprof.text.plain_text import PlainText
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source

SUMMARY_KIND = Kind("summary", "∙", ".", "summary of the heap")

KINDS = (
    *HEAP_KINDS,
    *MONITOR_KINDS,
    *PROFILE_KINDS,
    Kind("trace", "≡", "=", "trace: a stack as it was recorded"),
    Kind("frame", "↳", ">", "frame of a trace"),
    Kind("thread", "▢", "t", "thread"),
    Kind("group", "▣", "g", "thread group"),
    SUMMARY_KIND,
)

MOST_LISTED = 20
"""Maximum dumps that a fact lists."""
TAIL = 64 << 10
"""Bytes at the end of a file that are searched for sections."""

SECTIONS_OF_VIEW: Mapping[str, frozenset[int]] = {
    "CPU samples": frozenset({CPU_SAMPLES}),
    "CPU time": frozenset({CPU_TIME}),
    **dict.fromkeys(("Call tree", "Callers", "Flame"), frozenset({CPU_SAMPLES, CPU_TIME, SITES_KIND})),
    "Allocation sites": frozenset({SITES_KIND}),
    "Monitors": frozenset({MONITOR_TIME, MONITOR_DUMP}),
    **dict.fromkeys(("Classes", "Roots", "Objects", "Referrers", "Paths"), frozenset({HEAP_DUMP})),
    **dict.fromkeys(("Dominators", "Strings", "Suspects", "Unreachable"), frozenset({HEAP_DUMP})),
}
"""Sections needed by each view; a view not listed here always exists."""


class HprofReport(NamedReport):
    """Report of one profile. Views read its `recording`."""

    format = "hprof-text"
    format_title = "HPROF text profile"
    encoding = "utf-8"
    one_file = "a profile is one file: give one at a time"

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Raises `ReportError` for several files that are not one profile."""
        super().__init__(sources, cache)
        self.recording = ProfileRecording(self.source, self.read_head, self.source.path)
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
        self.views = Views(self.makers(), self.has_view)

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name, in display order. Each is imported on first use."""
        raise NotImplementedError

    def has_view(self, name: str) -> bool:
        """True if there are sections that a view could show."""
        if name == "Monitors" and self.recording.rows("wait"):
            return True
        return name not in SECTIONS_OF_VIEW or not SECTIONS_OF_VIEW[name].isdisjoint(self.sections_there)

    @property
    def sections_there(self) -> frozenset[int]:
        """The kinds of sections known to be in the file."""
        if not self.recording.has_stage("objects"):
            return self._guessed | {HEAP_DUMP} if any(self.recording.column("known_objects")) else self._guessed
        return self._kinds_of_sections

    @cached_property
    def _kinds_of_sections(self) -> frozenset[int]:
        return frozenset(self.recording.column("section_kind"))

    @cached_property
    def _guessed(self) -> frozenset[int]:
        from parsers.formats.hprof.text import lines

        tail = self.source.pread(TAIL, max(self.source.size - TAIL, 0))
        found = set(lines.BEGINS.findall(self.source.head + b"\n" + tail))
        found |= set(lines.ENDS.findall(tail))
        if lines.HEAP_RECORDS.search(tail):
            found.add(SECTION_KINDS[HEAP_DUMP].encode())
        return frozenset(number for number, kind in enumerate(SECTION_KINDS) if kind.encode() in found)

    has_retained_sizes = False
    """True if heaps have retained sizes."""

    @property
    def estimated(self) -> str:
        """Why sizes of objects are estimates, once they are known; empty if they are not."""
        known = self.recording.facts if self.recording.has_stage("objects") else {}
        return str(known.get("layout", {}).get("estimated", ""))

    def read_head(self) -> ProfileTables:
        """Reads the rows in the first bytes. Not needed once there is an index."""
        return self._head.tables

    @cached_property
    def _head(self) -> PlainText:
        from parsers.formats.hprof.data.tables import ProfileTables
        from parsers.formats.hprof.text.plain_text import PlainText

        head = self.source.head
        text = PlainText(ProfileTables())
        text.feed(lambda count, offset: head[offset : offset + count], 0, len(head), len(head))
        text.tables.end()
        return text

    def heap_objects(self) -> HeapObjects:
        """Makes the objects of the heap dumps, once all is known."""
        from parsers.heapdump.graph.heap_object import HeapObjects
        from parsers.heapdump.graph.object_graph import ObjectGraph

        return HeapObjects(ObjectGraph(self.recording), self.recording, self.thread_name)

    def thread_name(self, id: int) -> str:
        """Returns the name of the thread with that id; empty if unknown."""
        recording = self.recording
        row = recording.thread_row(id)
        return "" if row is None else decode(recording.word(recording.column("thread_name")[row]))

    @property
    def format_version(self) -> str | None:
        """Version in the header."""
        recording = self.recording
        return (recording.facts["version"] if recording.is_complete else self._head.version.decode()) or None

    @property
    def facts(self) -> Mapping[str, object]:
        """Facts of the header, and options inferred from the sections."""
        if not self.recording.is_complete:
            facts: dict[str, Any] = {"created": decode(self._head.created or b"")}
        else:
            known = self.recording.facts
            facts = {"created": known["created"], "sections": section_lines(known, _section)}
            facts["samples"] = self.samples_fact
            facts |= self.sizes_fact
        return {name: fact for name, fact in facts.items() if fact}

    @cached_property
    def samples_fact(self) -> str:
        """Method of summing CPU samples of several dumps; empty if they are simply added. Known once complete."""
        from parsers.formats.hprof.profiles.cumulative_sections import cumulative_sections

        found = cumulative_sections(self.recording)
        if found.known:
            return (
                f"{_dumps(self.recording, found.known, 'was', 'were')} requested over a socket, "
                "without a reset: the next dump holds the same samples, which are counted once"
            )
        if found.possible:
            return (
                f"{_dumps(self.recording, found.possible, 'is', 'are')} added to the next dump, "
                "as in a file that the agent wrote. If the file was received over a socket, "
                "the next dump may hold the same samples: choose dump=cumulative"
            )
        return ""

    @property
    def sizes_fact(self) -> dict[str, str]:
        """Fact `sizes`: why they are estimates, where they are."""
        return {"sizes": f"estimates: {self.estimated}"} if self.estimated else {}

    @property
    def runs(self) -> Sequence[Mapping[str, object]]:
        """Name and totals of each dump, if there are several."""
        return self.recording.facts["runs"] if self.is_complete else ()

    def found_problems(self) -> Iterable[Problem]:
        """Problems found in the file."""
        return find_problems(self.recording, self.source.path, self.size)

    @property
    def found_problem_count(self) -> int:
        """Number of these problems, including those not listed."""
        return sum(self.recording.facts["problem_counts"]) if self.is_complete else 0

    @property
    def rows_of_head(self) -> int:
        """Number of traces and objects in the head."""
        return self.recording.rows("trace") + self.recording.rows("object")

    @property
    def is_complete(self) -> bool:
        """True if all numbers are final."""
        return self.recording.is_complete

    def take_index(self, reader: IndexReader) -> None:
        """Switches to the index, as far as it is built."""
        self.recording.take_index(reader)

    def text(self, data: bytes) -> str:
        """Decodes bytes of the file, or of a name."""
        return decode(data)


def _dumps(recording: ProfileRecording, sections: Collection[int], singular: str, plural: str) -> str:
    """Returns some sections by the numbers of their dumps, as the subject of a sentence: `dumps 1, 2 are`."""
    snapshots = recording.column("section_snapshot")
    numbers = [str(snapshots[section] + 1) for section in sorted(sections)]
    more = [f"{len(numbers) - MOST_LISTED:,} more"] if len(numbers) > MOST_LISTED else []
    noun, verb = ("dump", singular) if len(numbers) == 1 else ("dumps", plural)
    return f"{noun} {', '.join([*numbers[:MOST_LISTED], *more])} {verb}"


def section_lines(facts: Mapping[str, Any], line: Callable[[Mapping[str, Any]], str]) -> list[str]:
    """Returns the listed sections, a line each, and the number of further ones."""
    more = facts.get("section_count", 0) - len(facts["sections"])
    return [*map(line, facts["sections"]), *([f"{more:,} more sections"] if more > 0 else [])]


def _section(section: Mapping[str, Any]) -> str:
    """Formats a section as a line."""
    printed = f" ({section['printed']})" if section["printed"] else ""
    date = f", {section['date']}" if section["date"] else ""
    end = "" if section["ended"] else ", without its end"
    estimates = ", counts computed from shares" if "has_estimates" in section else ""
    return f"{section['kind']}{printed}: {counted(section['rows'], 'row')}{date}{end}{estimates}"
