"""An opened recording: the data of its views, and the index that is being built.

The head of the file is read by plain code when it is first asked for, even if all of it is one long line, unless there
is an index. Facts and views are taken from the head until the index has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.vocabulary import vocabulary
from parsers.formats.tptp.store.names import TraceNames
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.formats.tptp.summary.facts import clock_resolution, facts_of
from parsers.formats.tptp.summary.problems import find_problems, problem_count
from parsers.model.report import Problem
from parsers.model.row import Kind
from parsers.reports.indexed import NamedReport

if TYPE_CHECKING:
    from parsers.formats.tptp.join.tables import TraceTables
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source


MOST_NAMED = 5
"""Number of other files of an archive that are named."""


class TraceReport(NamedReport):
    """Report of one recording, with one or more sessions."""

    format = "tptp-trace"
    format_title = "TPTP trace"
    kinds: Mapping[str, Kind]
    one_file = "a recording is one file: give one at a time"
    separator = "<"
    """Start of a "line" for text search: the file has elements instead of lines."""

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Raises `ReportError` for several files."""
        super().__init__(sources, cache)
        self.recording = TraceRecording(self.source, self._read_head)
        self.names_of = TraceNames(self.recording)
        self.is_private_shown = True
        """True if host names, addresses and paths are shown: on screens, but to other programs only on request."""

    def _read_head(self) -> TraceTables:
        """Reads the rows in the first bytes, so that some can be shown at once."""
        from parsers.formats.tptp.join.plain.tables import PlainJoin
        from parsers.formats.tptp.read.blocks import PlainReader
        from parsers.formats.tptp.read.parts import DocumentPart

        head, names = self.source.head, vocabulary()
        join = PlainJoin(names)
        part = DocumentPart(None, 0, len(head))
        for batch in PlainReader(lambda count, offset: head[offset : offset + count], [part], names).batches():
            join.take(batch)
        join.end()
        return join.tables

    # -- facts --------------------------------------------------------------------------------------------------------

    @property
    def format_version(self) -> str | None:
        """Version of the agent."""
        if not self.is_complete:
            return None
        agents = [agent for session in self.recording.facts["sessions"] for agent in session.get("agents", ())]
        return next((agent["version"] for agent in agents if agent.get("version")), None)

    @property
    def encoding(self) -> str:
        """Encoding of the file."""
        if not self.is_complete:
            return "utf-8"
        used = {session.get("used") or "UTF-8" for session in self.recording.facts["sessions"]}
        return used.pop().lower() if len(used) == 1 else "utf-8"

    @property
    def plain_encoding(self) -> str:
        """Encoding of the bytes that are read. Files in UTF-16 are converted to UTF-8 first."""
        return "utf-8" if self.encoding.startswith(("utf-16", "utf-32")) else self.encoding

    @cached_property
    def _resolution(self) -> tuple[str, float] | None:
        return clock_resolution(self.recording)

    @property
    def facts(self) -> Mapping[str, object]:
        """Agent, options and clock of the recording, missing parts and the reasons."""
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
        """Step of the clock; empty if none was found."""
        return self._resolution[0] if self.is_complete and self._resolution is not None else ""

    @property
    def runs(self) -> Sequence[Mapping[str, object]]:
        """Name and totals of each session."""
        return self.recording.facts.get("runs", ()) if self.is_complete else ()

    def found_problems(self) -> Iterable[Problem]:
        """Problems found in the file."""
        return find_problems(self.recording, self.source.path)

    @property
    def found_problem_count(self) -> int:
        """Number of these problems, including those not listed."""
        return problem_count(self.recording) if self.is_complete else 0

    @property
    def rows_of_head(self) -> int:
        """Number of elements in the head."""
        return sum(self.recording.column("counted"))

    @property
    def is_complete(self) -> bool:
        """True if all numbers are final."""
        return self.recording.is_complete

    def take_index(self, reader: IndexReader) -> None:
        """Switches to the index, as far as it is built."""
        self.recording.take_index(reader)
        self.names_of.forget()

    def text(self, data: bytes) -> str:
        """Decodes bytes of the file."""
        from parsers.formats.tptp.read.decoding import decode

        return decode(data, None)[0]
