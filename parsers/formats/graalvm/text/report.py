"""Base of the opened call tree and object tree: the first rows are known at once, the rest as the index grows.

Opening reads the head only; plain parsers parse its rows. If the head is the whole file, that is all. For other files
an index child is started; with a finished index the head is not parsed. The rows of the index replace those of the head
as soon as there are more of them (`CurrentTree`). Unknown values are None, and numbers that may still grow are marked.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, cast

from parsers.formats.graalvm.text.read.line import split_line
from parsers.formats.graalvm.text.row_reader import Parsed, RowReader
from parsers.formats.graalvm.text.tree import CurrentTree
from parsers.io import charset
from parsers.io.source import HEAD
from parsers.model.capabilities import ShowsFirstRows
from parsers.model.report import Problem, Progress
from parsers.model.row import Kind
from parsers.reports.indexed import FollowsIndex

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.bulk import Bulk
    from parsers.formats.graalvm.text.indexed_tree import IndexedTree
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree
    from parsers.formats.graalvm.text.tree import TextTree
    from parsers.graph.graph_model import GraphModel
    from parsers.index.in_memory import MemoryIndex
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source
    from parsers.query.selection.texts_met import MatchedTexts

KEPT = 4096
"""Capacity of the cache of parsed rows."""

LONGEST_KEPT = 1 << 14
"""Longest row, in characters, that is cached, so that the cache stays at a few MB for any file."""

OWN_FACTS = ("format_version", "encoding", "line_end")
"""Facts of the index that a report has as attributes."""


class TextReport(FollowsIndex, Generic[Parsed]):
    """One opened text tree. A format's class derives from it, parses rows and creates the views.

    A derived class sets `format`, `format_title`, `kinds`, and in `__init__`, after this one's, `views`.
    """

    format: str
    format_title: str
    kinds: Mapping[str, Kind]
    graph: GraphModel
    """The graph of its vertices."""
    _is_changed_over = False
    """True if rows are those of the index."""

    def __init__(self, source: Source | SourceGroup, cache: Cache) -> None:
        """Reads the head."""
        self.source = source
        self.title = source.name
        self._cache = cache
        self._indexed: IndexedTree | None = None
        self._problems: Sequence[Problem] | None = None
        self._sibling_versions: Sequence[str] = ()
        head = source.head
        self.is_small = self._fits_head()
        """True if the head is the whole file, so that no index is needed."""
        self.current = CurrentTree(lambda: self._plain)
        self.tree = cast("TextTree", self.current)
        """The rows known now, for any caller."""
        self.reader = RowReader(self.source, self.tree)
        self._parsed: OrderedDict[int, Parsed] = OrderedDict()
        self._encoding = charset.detect(head)

    @cached_property
    def _plain(self) -> PlainTree:
        return self.plain_tree(self.source.head)

    def _fits_head(self) -> bool:
        """Returns True if the head is the whole file."""
        return fits_head(self.source)

    def plain_tree(self, head: bytes) -> PlainTree:
        """Parses the rows of the head; of a small file that is all, and its counts are of use."""
        raise NotImplementedError

    def _indexed_tree(self, reader: IndexReader | MemoryIndex) -> IndexedTree:
        """Returns the tree over an index."""
        from parsers.formats.graalvm.text.indexed_tree import IndexedTree

        return IndexedTree(reader)

    def split(self, row: int) -> tuple[bytes, int | None]:
        """Returns the line of a row and the offset of its body; None if the file no longer has a row there."""
        line = self.reader.line(row)
        if row == 0:
            line = line.removeprefix(charset.UTF8_BOM)
        found = split_line(line, charset.boxes_of(self._encoding))
        return line, None if found is None else found[1]

    def parse(self, row: int) -> Parsed:
        """Parses the text of a row; called by `parsed`, which caches a few thousand."""
        raise NotImplementedError

    def version_of_head(self) -> str | None:
        """Format version, if the rows known so far prove it."""
        return None

    @property
    def encoding(self) -> str:
        """Name of the charset, as in `charset.CHARSETS`."""
        return self._encoding

    @property
    def line_end(self) -> str:
        """`lf` or `crlf`; from the first line until all are known."""
        known = self.tree.summary.facts.get("line_end") if self.is_complete else None
        return known or super().line_end

    @property
    def files(self) -> Sequence[str]:
        """The one file."""
        return [self.source.path]

    @property
    def format_version(self) -> str | None:
        """Version concluded from the lines or from other files of the build; None while unknown."""
        known = self.tree.summary.facts.get("format_version") if self.is_complete else None
        own = known or self.version_of_head()
        if own is None or not self._sibling_versions:
            return own
        from parsers.formats.graalvm.versions import narrowed

        return narrowed((own, *self._sibling_versions)) or own

    def read_sibling_files(self, waits: bool = True) -> None:
        """Reads the other files of the build, which may narrow the version.

        waits  True also reads files that must be read whole; False skips them
        """
        from parsers.formats.graalvm.versions import sibling_versions

        self._sibling_versions = sibling_versions(self.source.stored_path, self._cache, waits)

    @property
    def facts(self) -> Mapping[str, object]:
        """Image and time from the file's name; with the finished index also its facts."""
        from parsers.io.report_name import split_name

        named = split_name(self.source.name)
        is_known = named.report in ("call_tree", "object_tree") and named.image and named.written
        facts: dict[str, Any] = dict(named.facts) if is_known else {}
        if self.is_complete:
            facts |= {name: fact for name, fact in self.tree.summary.facts.items() if fact and name not in OWN_FACTS}
        return facts

    @property
    def totals(self) -> Mapping[str, object]:
        """Every count of the tree, by name; empty until the index is finished."""
        return self.tree.summary.totals if self.is_complete else {}

    @property
    def problems(self) -> Sequence[Problem]:
        """Damage in the part of the file read so far; at most about the first thousand."""
        if self._problems is not None:
            return self._problems
        found = [*self._source_problems(), *map(self._named, self.tree.summary.problems)]
        if self.is_complete:
            self._problems = found
        return found

    @property
    def problem_count(self) -> int:
        """Total number of problems."""
        return len(self._source_problems()) + self.tree.summary.problem_count

    def _source_problems(self) -> list[Problem]:
        """Returns the problems of an archive, unless the index lists them too."""
        return [problem for problem in self.source.problems if problem not in self.tree.summary.problems]

    def _named(self, problem: Problem) -> Problem:
        return problem if problem.file else replace(problem, file=self.source.path)

    @cached_property
    def matched_names(self) -> MatchedTexts:
        """All names of a complete report, for matching with patterns."""
        from parsers.query.selection.texts_met import MatchedTexts

        return MatchedTexts.of_names(self.tree.names, self.encoding, self.text)

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names as bytes of the file; empty until the index is finished."""
        return self.tree.names if self.is_complete else ()

    def nearest_row(self, vertex: int, row: int) -> int:
        """Returns the row of a vertex with the shortest path: its declaration; without one the given row."""
        declaration = self.tree.declaration(vertex)
        return declaration if declaration >= 0 else row

    def why(self, view: str, node: int) -> Sequence[int]:
        """Returns the rows of the path from a root to `nearest_row` of what a node of a view shows.

        With cuts: the shortest path that they leave.
        """
        document, shown = self.views[0], self.view(view)
        if self.graph.cuts:
            about = self.graph.cut_of(shown, node)
            return () if about is None else self.graph.remaining_path(about)
        row = node if view == document.name else shown.row_of(node) if isinstance(shown, ShowsFirstRows) else None
        if row is None:
            return ()
        vertex = self.tree.vertex(row)
        return document.path(row if vertex < 0 else self.nearest_row(vertex, row))

    def name_count(self, name: int) -> int:
        """Returns the number of rows that show or refer to vertices of that name."""
        return sum(len(self.tree.vertex_rows(vertex)) for vertex in self.tree.name_vertices(name))

    def name_nodes(self, name: int) -> Sequence[int]:
        """One row for each vertex of that name: its declaration, else its first row."""
        return [self.row_of_vertex(vertex) for vertex in self.tree.name_vertices(name)]

    def offset_of(self, row: int) -> int | None:
        """Returns the byte offset of a row's line; None where rows are no lines of the file."""
        return self.tree.offset(row)

    def row_of_vertex(self, vertex: int) -> int:
        """Returns the row that represents a vertex: its declaration, else the first one that refers to it."""
        declaration = self.tree.declaration(vertex)
        return declaration if declaration >= 0 else self.tree.vertex_rows(vertex)[0]

    def find_name(self, text: str) -> int | None:
        """Returns the number of the name whose text is exactly this; of several equal texts the first."""
        tree = self.tree
        if "\ufffd" not in text:
            codec = charset.boxes_of(self._encoding).codec
            with contextlib.suppress(UnicodeEncodeError):
                return tree.find_name(text.encode(codec))
        # Bytes that are invalid in the charset can't be recovered from the text.
        return next((number for number, name in enumerate(tree.names) if self.text(bytes(name)) == text), None)

    def vertex_named(self, name: bytes) -> int | None:
        """Vertex without id of a name, else the first one of that name."""
        number = self.tree.find_name(name)
        vertices = () if number is None else self.tree.name_vertices(number)
        first = None
        for vertex in vertices:
            if self.tree.vertex_id(vertex) is None:
                return vertex
            first = vertex if first is None else first
        return first

    def vertex_name(self, vertex: int) -> str:
        """Returns the name of a vertex from the table of names: without loader; empty if only unknown rows show it."""
        name = self.tree.name(vertex)
        return self.text(bytes(self.tree.names[name])) if name >= 0 else ""

    def text(self, data: bytes) -> str:
        """Returns some bytes of the file as text."""
        return charset.decode(data, self._encoding)

    def parsed(self, row: int) -> Parsed:
        """Returns the parsed text of a row."""
        kept = self._parsed.get(row)
        if kept is None:
            tree, kept = self.tree, self.parse(row)
            # The last row known so far may still get a continuation line.
            is_final = row + 1 < tree.rows or tree.is_complete
            if is_final and kept.size <= LONGEST_KEPT:
                self._parsed[row] = kept
                if len(self._parsed) > KEPT:
                    self._parsed.popitem(last=False)
        return kept

    def normal_name(self, name: str) -> str:
        """Name without parts that each build generates, so that two builds can be compared."""
        from parsers.formats.graalvm.builds.normalised import normalised_text

        return normalised_text(name)

    @property
    def indexed(self) -> IndexedTree:
        """The rows as the arrays of the finished index; those of a small file are made in memory, with numpy."""
        return self._in_memory if self._indexed is None else self._indexed

    @cached_property
    def _in_memory(self) -> IndexedTree:
        return self._indexed_tree(self._index_in_memory())

    def _index_in_memory(self) -> MemoryIndex:
        """Returns the index of a small file."""
        from parsers.formats.graalvm.text.read.plain_index import index_in_memory
        from parsers.formats.graalvm.text_format import FORMATS

        format = FORMATS[self.format]
        return index_in_memory(self._plain, format.load(format.arrays))

    @cached_property
    def bulk(self) -> Bulk:
        """Properties of the rows in ranges, for filters; made from the finished index."""
        from parsers.formats.graalvm.text.bulk import Bulk

        return Bulk(self.indexed, self.source.pread)

    @property
    def index_folder(self) -> str | None:
        """Folder of the index; None for a file that needs none."""
        if self.is_small:
            return None
        reader = self._client.reader if self._client is not None else None
        if reader is not None and reader.is_complete:
            return os.path.dirname(reader.folder)
        return self._cache.index_folder(self.source.identity, self.format, create=False)

    @property
    def graph_note(self) -> str:
        """A remark that concerns all answers of the graph; empty: none."""
        return ""

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self.tree.is_complete

    @property
    def progress(self) -> Progress:
        """Progress of the index."""
        size = self.source.size
        if self.is_small:
            return Progress(size, size, self.tree.rows, 0.0, "ready")
        if self._client is None:
            return Progress(0, size, self.tree.rows, 0.0, "waiting")
        return self._client.progress

    def start_index(self) -> None:
        """Starts building the index in a child process, unless a valid one exists."""
        if not self.is_small:
            super().start_index()

    def _change_over(self) -> None:
        """Switches to the index once it has more rows than the head."""
        reader = self._client.reader if self._client is not None else None
        if reader is None or self._is_changed_over:
            return
        self.source.unpack()
        if self._indexed is None:
            self._indexed = self._indexed_tree(reader)
        if self._indexed.is_complete or self._indexed.rows > self._plain.rows:
            self.current.exchange(self._indexed)
            self._is_changed_over = True


def fits_head(source: Source | SourceGroup) -> bool:
    """Returns True if the head of a file is all of it; a small compressed file is decompressed."""
    if source.is_packed and max(len(source.head), source.stored_size) < HEAD and not source.is_spooling:
        source.unpack()
    return source.is_whole and source.size <= len(source.head)
