"""Base class of reports whose index is built by a child process: it starts, follows, awaits and ends that."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from parsers.io.group import SourceGroup
from parsers.model.report import Progress, ReportError
from parsers.views.collection import HasViews

if TYPE_CHECKING:
    from parsers.index.client import IndexClient
    from parsers.index.store import IndexReader
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Action, Problem


class FollowsIndex(HasViews):
    """A report whose index is built by a child process."""

    format = ""
    source: SourceGroup | Source
    _cache: Cache
    _client: IndexClient | None = None
    _is_wanted = _is_waited_for = False

    def _change_over(self) -> None:
        """Uses the available part of the index, if it has more than what is used."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Bytes of all files, as far as they are known."""
        return self.source.size

    @property
    def line_end(self) -> str:
        """The line end of the first line."""
        return "crlf" if self.source.head.partition(b"\n")[0].endswith(b"\r") else "lf"

    def start_index(self) -> None:
        """Starts building the index in a child process, unless a valid one exists."""
        self._is_wanted = True
        self._begin()

    def _begin(self) -> None:
        """Starts the index child if it is wanted and the files are complete."""
        if not self._is_wanted or self._client is not None or self.source.is_spooling:
            return
        from parsers.index.client import IndexClient

        self._client = IndexClient(self.source, self._cache, self.format, steps_back=not self._is_waited_for)
        self._client.start()
        self._client.follow()
        self._change_over()

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when `follow` has news; None if there is no child."""
        return self._client.fileno() if self._client is not None else None

    def follow(self) -> bool:
        """Reads what the index child has published since; True if anything changed. Never waits."""
        if self._client is None:
            self._begin()
            return self._client is not None
        before = self.progress
        now = self._client.follow()
        if now == before:
            return False
        self._change_over()
        return True

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Waits until the index is finished, calling `progress(Progress)` now and then. Raises `ReportError`."""
        self._is_waited_for = True
        self.start_index()
        for name in () if self.is_complete else self.deferred_imports:
            import_module(name)
        while not self.is_complete:
            self.follow()
            now = self.progress
            if progress is not None:
                progress(now)
            if self.is_complete:
                break
            if now.state in ("failed", "stopped"):
                raise ReportError(f"{self.source.path}: can't be indexed: {now.says or 'the indexer ended early'}")
            descriptor = self.fileno()
            if descriptor is None:
                time.sleep(0.01)
            else:
                # poll, not select: descriptors may be above 1,024.
                news = select.poll()
                news.register(descriptor, select.POLLIN | select.POLLHUP)
                news.poll(100)

    def stop_index(self) -> None:
        """Stops building the index. Finished stages stay, for this opening and the next."""
        if self._client is not None:
            self._client.pause()

    def go_on_index(self) -> None:
        """Continues building a stopped index."""
        if self._client is not None:
            self._client.resume()

    def forget_index(self) -> None:
        """Removes the stored index, so that the next opening builds it again."""
        if self._client is not None:
            self._client.forget()

    def close(self) -> None:
        """Stops the child and closes the files."""
        if self._client is not None:
            self._client.stop()
            self._client = None
        self.source.close()


class IndexedReport(FollowsIndex):
    """One opened run. Derived classes define `format`, make their views and take the contents of the index."""

    source: SourceGroup
    one_file = ""
    """Advice if several files are given, to a format whose reports are one file; empty: they may be several."""
    _problems: Sequence[Problem] | None = None

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        self.source = self.grouped(sources)
        self.title = self.source.name
        self._cache = cache

    # # -- to be defined by derived classes ----------------------------------------------------------------------------

    @classmethod
    def grouped(cls, sources: Sequence[Source]) -> SourceGroup:
        """The files as one. Raises `ReportError` if they don't belong together."""
        if cls.one_file and len(sources) > 1:
            raise ReportError(f"{sources[1].path}: {cls.one_file}")
        return SourceGroup(sources)

    def found_problems(self) -> Iterable[Problem]:
        """Problems in the contents of the files, as far as they are read; by default those that the index lists.

        The index may have been built under another path of the file.
        """
        found = () if self.reader is None else self.reader.problems
        return [replace(problem, file=self.source.path) for problem in found]

    @property
    def found_problem_count(self) -> int:
        """Number of these problems, including those not listed."""
        return 0 if self.reader is None else self.reader.problem_count

    @property
    def rows_of_head(self) -> int:
        """Number of rows known without an index."""
        return 0

    def take_index(self, reader: IndexReader) -> None:
        """Switches to the data of the index, if there are more than before."""
        raise NotImplementedError

    # -- the files ----------------------------------------------------------------------------------------------------

    @property
    def files(self) -> Sequence[str]:
        """The files of the run."""
        return [source.path for source in self.source.sources]

    @property
    def progress(self) -> Progress:
        """Progress of the index."""
        if self._client is not None:
            return self._client.progress
        return Progress(0, self.source.size, self.rows_of_head, 0.0, "waiting")

    @property
    def index_folder(self) -> str:
        """The folder of the index."""
        return self._cache.index_folder(self.source.identity, self.format, create=False)

    @property
    def reader(self) -> IndexReader | None:
        """The available part of the index; None if there is none."""
        return self._client.reader if self._client is not None else None

    @property
    def totals(self) -> Mapping[str, object]:
        """All counts of the file, by name; empty until the index is finished."""
        return self.reader.totals if self.reader is not None else {}

    @property
    def problems(self) -> Sequence[Problem]:
        """Problems of the files, as far as they are read."""
        if self._problems is not None:
            return self._problems
        found = [*self.source.problems, *self.found_problems()]
        if self.is_complete:
            self._problems = found
        return found

    @property
    def problem_count(self) -> int:
        """Number of problems; of very many, only the first are listed."""
        return len(self.source.problems) + self.found_problem_count

    # # -- the program that writes the file ----------------------------------------------------------------------------

    @property
    def actions(self) -> Sequence[Action]:
        """Requests to the program that still writes the file; empty for most files."""
        return self.source.sources[0].actions

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Sends a request, see `HasActions`. Raises `ReportError`."""
        return self.source.sources[0].act(name, text, confirmed)

    def _change_over(self) -> None:
        reader = self.reader
        if reader is not None and not self.is_complete:
            self.source.unpack()
            self.take_index(reader)


class SearchedNames(Protocol):
    """The names of a report by number, with their rows."""

    @property
    def texts(self) -> Sequence[bytes]:
        """All names."""
        ...

    def count(self, name: int) -> int:
        """Number of occurrences of a name."""
        ...

    def nodes(self, name: int) -> Sequence[int]:
        """The rows of a name, in its view."""
        ...

    def view(self, name: int) -> str:
        """The view of a name."""
        ...


class NamedReport(IndexedReport):
    """A report with named rows in several views."""

    def name_table(self) -> SearchedNames:
        """Makes the table of names; called once, on first access."""
        raise NotImplementedError

    def normal_name(self, name: str) -> str:
        """Returns the name of a class without the parts that are generated on each run of the program."""
        from parsers.reporting.comparison.volatile_names import normal_name

        return normal_name(name)

    @cached_property
    def _names(self) -> SearchedNames:
        return self.name_table()

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names; empty until the index is finished."""
        return self._names.texts if self.is_complete else ()

    def name_count(self, name: int) -> int:
        """Number of occurrences of a name."""
        return self._names.count(name)

    def name_nodes(self, name: int) -> Sequence[int]:
        """The rows of a name, in the view `name_view`."""
        return self._names.nodes(name)

    def name_view(self, name: int) -> str:
        """The view of the nodes that `name_nodes` returns."""
        return self._names.view(name)
