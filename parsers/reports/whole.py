"""Base class of the reports of old profilers: the file is read completely, at once or in a thread.

These files are small, so most are read when they are opened. The first screen of a large one shows its head, and a
thread reads the rest: nodes of a view in file order keep their numbers.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from parsers.model.late.cached import forget
from parsers.model.report import Problem, Progress, ReportError
from parsers.model.row import Kind
from parsers.model.view import View
from parsers.model.views import Views
from parsers.views.collection import HasViews

if TYPE_CHECKING:
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables

AT_ONCE = 4 << 20
"""Maximum bytes of a file that is read before its first screen: 60 ms."""

PACKED_AT_ONCE = 256 << 10
"""Maximum bytes of an archive that is unpacked before that: most contain less than 5 MB."""


class WholeRecording(Protocol):
    """The data read from a file."""

    @property
    def is_complete(self) -> bool:
        """True if all of the file was read."""
        ...

    @property
    def lines(self) -> int:
        """Number of lines."""
        ...

    @property
    def problems(self) -> Sequence[Problem]:
        """Damage that was found."""
        ...

    @property
    def problem_count(self) -> int:
        """Number of all problems, including those not kept."""
        ...


class WholeReport(HasViews):
    """One opened file. Derived classes define how it is read, and its views."""

    format = ""
    format_title = ""
    all_kinds: Sequence[Kind] = ()
    recording: WholeRecording
    """What `read` returned last; each report declares its class."""

    def __init__(self, source: Source) -> None:
        """Reads all of a small file, else its head."""
        self.source = source
        self.title = source.name
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in self.all_kinds}
        self.views = Views(self.makers(), self.has)
        self._progress = self._reported = Progress(0, source.size, 0, 0.0, "waiting")
        self._started = time.monotonic()
        self._thread: threading.Thread | None = None
        self._news: tuple[int, int] | None = None
        self._read: WholeRecording | None = None
        """The result of the thread, until `follow` takes it."""
        self._failed = ""
        self._is_closed = False
        if source.is_packed and not source.is_spooling and source.stored_size <= PACKED_AT_ONCE:
            source.unpack()
        if source.is_whole and source.size <= AT_ONCE:
            self._take(self.read(source.pread, source.size, True, None))
        else:
            head = source.head
            self._take(self.read(lambda count, offset: head[offset : offset + count], len(head), False, None))

    # -- to be defined by derived classes ----------------------------------------------------------------------------

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> WholeRecording:
        """Reads the file up to an offset."""
        raise NotImplementedError

    def makers(self) -> dict[str, Callable[[], View]]:
        """Factories of the views by name, in order."""
        raise NotImplementedError

    def has(self, view: str) -> bool:
        """True if the file has data for a view."""
        return True

    def counts(self) -> Mapping[str, object]:
        """The totals besides bytes and lines."""
        raise NotImplementedError

    # -- the report ---------------------------------------------------------------------------------------------------

    def own_tables(self) -> Tables:
        """A table for each view."""
        from parsers.views.report_tables import view_tables

        return view_tables(self)

    @property
    def encoding(self) -> str:
        """UTF-8 if the head is, else the code page that such files had on Windows."""
        head = self.source.head
        try:
            head.decode()
        except UnicodeDecodeError as error:
            is_cut = error.start >= len(head) - 3 and self.source.size > len(head)
            return "utf-8" if is_cut or b"\xc0\x80" in head or b"\xed\xa0" in head else "windows-1252"
        return "utf-8"

    @property
    def line_end(self) -> str:
        """The line end of the first line."""
        return "crlf" if self.source.head.partition(b"\n")[0].endswith(b"\r") else "lf"

    @property
    def size(self) -> int:
        """Bytes of the unpacked file."""
        return self.source.size

    @property
    def files(self) -> Sequence[str]:
        """The one file."""
        return [self.source.path]

    @property
    def totals(self) -> Mapping[str, object]:
        """Every count; empty until the file is read."""
        if not self.is_complete:
            return {}
        return {"bytes": self.size, "lines": self.recording.lines, **self.counts()}

    @property
    def problems(self) -> Sequence[Problem]:
        """Damage of the archive and of the file."""
        return [*self.source.problems, *self.recording.problems] if self.is_complete else self.source.problems

    @property
    def problem_count(self) -> int:
        """Number of all problems, including those not kept."""
        return len(self.source.problems) + (self.recording.problem_count if self.is_complete else 0)

    @property
    def progress(self) -> Progress:
        """Progress of reading."""
        return self._progress

    @property
    def is_small(self) -> bool:
        """True if the file is small enough to be read at once."""
        return self.size <= AT_ONCE and self.source.is_whole

    @property
    def is_complete(self) -> bool:
        """True if the file is read completely."""
        return self.recording.is_complete

    @property
    def names(self) -> Sequence[bytes]:
        """Names in the file; empty until it is read."""
        return ()

    def name_count(self, name: int) -> int:
        """Number of rows that show or refer to that name."""
        return 0

    def name_nodes(self, name: int) -> Sequence[int]:
        """Nodes of that name in the first view."""
        return ()

    def text(self, data: bytes) -> str:
        """Decodes bytes of the file, or of a name."""
        return data.decode(self.encoding, "replace")

    # -- reading ------------------------------------------------------------------------------------------------------

    def start_index(self) -> None:
        """Starts reading the rest of a large file in a thread."""
        if self.is_complete or self._thread is not None or self._is_closed:
            return
        self._news = os.pipe()
        for descriptor in self._news:
            os.set_blocking(descriptor, False)
        self._progress = Progress(0, self.source.size, 0, 0.0, "indexing")
        self._thread = threading.Thread(target=self._read_all, name="profile", daemon=True)
        self._thread.start()

    def _read_all(self) -> None:
        try:
            self.source.unpack()
            self._read = self.read(self.source.pread, self.source.size, True, self._report_progress)
        except ReportError as error:
            self._failed = str(error)
        except _ClosedError:
            return
        if self._news is not None:
            os.write(self._news[1], b".")

    def _report_progress(self, done: int) -> None:
        """Reports the thread's progress. Raises `_ClosedError` once the report is closed."""
        if self._is_closed:
            raise _ClosedError
        seconds = time.monotonic() - self._started
        self._progress = Progress(done, self.source.size, 0, seconds, "indexing")

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when the file has been read; None if nothing is awaited."""
        return self._news[0] if self._news is not None else None

    def follow(self) -> bool:
        """Takes the result of the thread; True if anything changed. Never waits."""
        reported, read = self._reported, self._read
        self._reported, self._read = self._progress, None
        if read is not None:
            self._take(read)
            self._end_news()
            return True
        if self._failed:
            self._progress = Progress(0, self.source.size, 0, 0.0, "failed", self._failed)
            self._end_news()
        return reported != self._progress

    def _take(self, recording: WholeRecording) -> None:
        self.recording = recording
        # Cached properties were computed from the earlier recording.
        forget(self)
        if recording.is_complete:
            size, seconds = self.source.size, time.monotonic() - self._started
            self._progress = Progress(size, size, self.rows_read, seconds, "ready")

    @property
    def rows_read(self) -> int:
        """Number of rows; by default the number of lines."""
        return self.recording.lines

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Waits until the file is read, calling `progress(Progress)`. Raises `ReportError`."""
        if self._thread is not None:
            self._thread.join()
            self.follow()
        if not self.is_complete and not self._failed:
            self.source.unpack()
            self._take(self.read(self.source.pread, self.source.size, True, self._report_progress))
        if self._failed:
            raise ReportError(f"{self.source.path}: can't be read: {self._failed}")
        if progress is not None:
            progress(self.progress)

    def _end_news(self) -> None:
        if self._news is not None:
            news, self._news = self._news, None
            for descriptor in news:
                os.close(descriptor)

    def close(self) -> None:
        """Stops reading and closes the file."""
        self._is_closed = True
        if self._thread is not None:
            self._thread.join()
        self._end_news()
        self.source.close()


class _ClosedError(Exception):
    """The report was closed while it was read."""
