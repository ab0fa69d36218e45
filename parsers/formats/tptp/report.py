"""An opened recording: its views, and the index that is on its way.

Opening reads the head of the file by plain code, however long its one line is; what the recording has is taken from
that until the index tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.facts import PARTS, TABLES_OF, facts_of, why_not
from parsers.formats.tptp.problems import find_problems, problem_count
from parsers.formats.tptp.store.names import Names
from parsers.formats.tptp.store.recording import Recording
from parsers.formats.tptp.views.makers import KINDS, NEEDS, view_makers
from parsers.io.group import SourceGroup
from parsers.model.report import Kind, Problem, ReportError, View
from parsers.reports.indexed import NamedReport
from parsers.views.collection import Views

if TYPE_CHECKING:
    from parsers.formats.tptp.store.name_search import NameSearch
    from parsers.index.store import Reader
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.reporting.comparison.lines import Comparing


MOST_NAMED = 5
"""Other files of an archive that are named."""


class TraceReport(NamedReport):
    """One recording, of one session or several."""

    format = "tptp-trace"
    format_title = "TPTP trace"
    separator = "<"
    """What text search takes for the beginning of a line: there are none, but elements."""

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Reads the head. Raises `ReportError` for several files."""
        super().__init__(sources, cache)
        self.recording = Recording(self.source)
        self.names_of = Names(self.recording)
        self.is_private_shown = True
        """Whether names and addresses of hosts, and paths, are told: on a screen, not to another program unasked."""
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
        self.views: Sequence[View] = Views(view_makers(self), self.has_view)
        self._problems: Sequence[Problem] | None = None
        self._read_head()

    @classmethod
    def grouped(cls, sources: Sequence[Source]) -> SourceGroup:
        """The one file."""
        if len(sources) > 1:
            raise ReportError(f"{sources[1].path}: a recording is one file: give one at a time")
        return SourceGroup(sources)

    def _read_head(self) -> None:
        """Rows at once: what the first bytes tell."""
        from parsers.formats.tptp.join.plain.tables import PlainJoin
        from parsers.formats.tptp.read.blocks import PlainReader
        from parsers.formats.tptp.read.parts import Part
        from parsers.formats.tptp.schema.vocabulary import vocabulary

        head, names = self.source.head, vocabulary()
        join = PlainJoin(names)

        def read(count: int, offset: int) -> bytes:
            return head[offset : offset + count]

        for batch in PlainReader(read, [Part(None, 0, len(head))], names, is_strict=False).batches():
            join.take(batch)
        join.end()
        self.recording.take_plain(join.tables)

    # -- views --------------------------------------------------------------------------------------------------------

    def has_view(self, name: str) -> bool:
        """Whether the recording has something for a view."""
        return name not in NEEDS or bool(self.recording.rows(NEEDS[name]))

    def why_not(self, name: str) -> str:
        """Why there is no such view; empty if that isn't known."""
        table = next((table for view, table in NEEDS.items() if view.lower() == name.lower()), "")
        part = next((part for part, of in TABLES_OF.items() if of == table), "")
        return why_not(self.recording, part) if part in PARTS else ""

    @property
    def comparable(self) -> Mapping[str, Comparing]:
        """What can be held against another recording."""
        from parsers.formats.tptp.objects.class_lines import comparable_of

        return comparable_of(self)

    def normal_name(self, name: str) -> str:
        """A class without what is made up anew each time the program runs."""
        from parsers.reporting.comparison.volatile_names import normal_name

        return normal_name(name)

    @property
    def missing_views(self) -> Mapping[str, str]:
        """Views that the recording has nothing for, and why; none before all is known."""
        if not self.is_complete:
            return {}
        return {name: self.why_not(name) for name in NEEDS if not self.has_view(name)}

    # -- what is known ------------------------------------------------------------------------------------------------

    @property
    def format_version(self) -> str | None:
        """That of the agent."""
        if not self.is_complete:
            return None
        agents = [agent for session in self.recording.facts["sessions"] for agent in session.get("agents", ())]
        return next((agent["version"] for agent in agents if agent.get("version")), None)

    @property
    def encoding(self) -> str:
        """Of the file."""
        if not self.is_complete:
            return "utf-8"
        used = {session.get("used") or "UTF-8" for session in self.recording.facts["sessions"]}
        return used.pop().lower() if len(used) == 1 else "utf-8"

    @property
    def plain_encoding(self) -> str:
        """Of the bytes that are read: those of a file in UTF-16 are made UTF-8 first."""
        return "utf-8" if self.encoding.startswith(("utf-16", "utf-32")) else self.encoding

    @cached_property
    def _resolution(self) -> tuple[str, float] | None:
        from parsers.formats.tptp.facts import clock_resolution

        return clock_resolution(self.recording)

    @property
    def facts(self) -> Mapping[str, Any]:
        """Who recorded it and how, what its clock is, what is missing and why."""
        if not self.is_complete:
            return {}
        facts = facts_of(self.recording, self._resolution, self.is_private_shown)
        names = self.source.sources[0].contents.passed_by
        if names:
            more = ", …" if len(names) > MOST_NAMED else ""
            facts["other_files"] = f"{len(names):,} in the archive: {', '.join(names[:MOST_NAMED])}{more}"
        return facts

    @property
    def clock(self) -> str:
        """The step of the clock; empty where none is found."""
        return self._resolution[0] if self.is_complete and self._resolution is not None else ""

    @property
    def totals(self) -> Mapping[str, Any]:
        """Every count of the format page; empty until the index is finished."""
        return self.reader.totals if self.reader is not None else {}

    @property
    def runs(self) -> Sequence[Mapping[str, Any]]:
        """Name and totals of each session."""
        runs: Sequence[Mapping[str, Any]] = self.recording.facts.get("runs", ()) if self.is_complete else ()
        return runs

    @property
    def problems(self) -> Sequence[Problem]:
        """What was wrong in the file."""
        if self._problems is not None:
            return self._problems
        found = [*self.source.problems, *find_problems(self.recording, self.source.path)]
        if self.is_complete:
            self._problems = found
        return found

    @property
    def problem_count(self) -> int:
        """How many there are."""
        if not self.is_complete:
            return len(self.problems)
        return len(self.source.problems) + problem_count(self.recording)

    @property
    def rows_of_head(self) -> int:
        """Elements of the head."""
        return sum(self.recording.column("counted"))

    @property
    def is_complete(self) -> bool:
        """Whether no number is provisional any more."""
        return self.recording.is_complete

    def take_index(self, reader: Reader) -> None:
        """Let the index answer, as far as it is."""
        self.recording.take_index(reader)
        self.names_of.forget()

    # -- names --------------------------------------------------------------------------------------------------------

    def name_table(self) -> NameSearch:
        """Classes, methods, threads."""
        from parsers.formats.tptp.store.name_search import NameSearch

        return NameSearch(self)

    def text(self, data: bytes) -> str:
        """Some bytes of the file as text."""
        from parsers.formats.tptp.read.decoding import decode

        return decode(data, None)[0]
