"""An opened compilation log: a run of one or more files, its views, and the index that is on its way.

Opening reads the head of the first file and makes rows of it by plain code. What a head doesn't tell the index does.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from parsers.hotspot.code_cache_view import CODE_CACHE_KINDS
from parsers.hotspot.log import Log
from parsers.hotspot.merged_words import MERGED_KINDS
from parsers.hotspot.names import decode
from parsers.hotspot.plain_log import PlainLog
from parsers.hotspot.problems import find_problems
from parsers.hotspot.run_files import gather
from parsers.hotspot.task_words import TASK_KINDS
from parsers.hotspot.virtual_machine import MOST, VirtualMachine, read_virtual_machine
from parsers.input.group import SourceGroup
from parsers.report import Kind, Problem, Progress, ReportError, View
from parsers.views import Views, places_of

if TYPE_CHECKING:
    from parsers.cache import Cache
    from parsers.hotspot.tasks_view import TasksView
    from parsers.index.client import IndexClient
    from parsers.input.source import Source

KINDS = (
    *MERGED_KINDS,
    *TASK_KINDS,
    *CODE_CACHE_KINDS,
    Kind("level", "▲", "^", "tier of compilation"),
    Kind("interval", "◷", "%", "a stretch of the run"),
    Kind("writer", "▢", "w", "thread that wrote events"),
    Kind("fact", "·", ".", "what the log says of the VM"),
    Kind("flag", "⚑", "f", "option of the VM"),
    Kind("property", "=", "=", "system property"),
)


VIEWS = {
    "Tasks": ("tasks_view", "TasksView"),
    "Methods": ("methods_view", "MethodsView"),
    "Story": ("story_view", "StoryView"),
    "Inlining failures": ("inlining_view", "InliningView"),
    "Deoptimisations": ("deoptimisation_view", "DeoptimisationView"),
    "Compile time": ("compile_time_view", "CompileTimeView"),
    "Code cache": ("code_cache_view", "CodeCacheView"),
    "Threads": ("threads_view", "ThreadsView"),
    "VM": ("vm_view", "VMView"),
}
"""Module and class of each view, in their order."""

ALWAYS_READY = ("Tasks", "Code cache", "Threads", "VM")
"""Views that show what is known so far."""


class HotSpotReport:
    """One run. `log` is what the views read."""

    format = "hotspot-compilation-log"
    format_title = "HotSpot compilation log"

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Reads the head; looks for the other files of the run. Raises `ReportError` if the files are of several."""
        self.source = SourceGroup(gather(sources, cache))
        self.title = self.source.name
        self.log = Log(self.source)
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
        self.views: Sequence[View] = Views(
            self.makers(), is_ready=lambda name: name in ALWAYS_READY or self.log.tables is not None
        )
        self._cache = cache
        self._client: IndexClient | None = None
        self._is_wanted = False
        self._problems: Sequence[Problem] | None = None
        self._read_head()

    def _read_head(self) -> None:
        """Rows at once: what the first bytes tell."""
        head = self.source.head
        plain = PlainLog()
        plain.begin(len(head))
        plain.feed(lambda count, offset: head[offset : offset + count], 0, len(head), len(head))
        self.log.take_plain(plain)

    def makers(self) -> dict[str, Callable[[], View]]:
        """The views by name, in their order."""
        return {name: partial(self._make_view, module, kind) for name, (module, kind) in VIEWS.items()}

    def _make_view(self, module: str, kind: str) -> View:
        """A view by its module and class: the first screen needs one of them, and most stand on numpy."""
        view: View = getattr(import_module(f"parsers.hotspot.{module}"), kind)(self)
        return view

    @property
    def format_version(self) -> str | None:
        """The JDK that wrote it."""
        return f"JDK {self.vm.jdk}" if self.vm is not None and self.vm.jdk else None

    @property
    def encoding(self) -> str:
        """UTF-8, as the XML declaration says; names may break it."""
        return "utf-8"

    @property
    def line_end(self) -> str:
        """As in the first line."""
        return "crlf" if self.source.head.partition(b"\n")[0].endswith(b"\r") else "lf"

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return self.source.size

    @property
    def files(self) -> Sequence[str]:
        """The files of the run."""
        return [source.path for source in self.source.sources]

    @cached_property
    def vm(self) -> VirtualMachine | None:
        """What the head of the main log says of the VM; None if there is no main log."""
        head = self.source.head
        return read_virtual_machine(head if b"<tty" in head else self.source.sources[0].pread(MOST, 0))

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the head says."""
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
    def totals(self) -> Mapping[str, Any]:
        """Every count of the format page; empty until the index is finished."""
        return self._kept("totals") if self.is_complete else {}

    @property
    def file_totals(self) -> Sequence[Mapping[str, Any]]:
        """The totals of each file when it is read alone, in the order of `files`; empty until the index is finished."""
        return self._kept("files") if self.is_complete else ()

    @property
    def runs(self) -> Sequence[Mapping[str, Any]]:
        """Name and totals of each JVM that wrote the log, where there are several."""
        return self._kept("runs") if self.is_complete else ()

    def _kept(self, name: str) -> Any:
        assert self._client is not None and self._client.reader is not None
        reader = self._client.reader
        return reader.totals if name == "totals" else reader.facts[name]

    @property
    def problems(self) -> Sequence[Problem]:
        """What was wrong in the files, as far as they were read."""
        if self._problems is not None:
            return self._problems
        found = [*self.source.problems, *find_problems(self.log, self.source.sources)]
        if self.is_complete:
            self._problems = found
        return found

    @property
    def problem_count(self) -> int:
        """How many there are."""
        return len(self.problems)

    @property
    def progress(self) -> Progress:
        """How far the index is."""
        if self._client is not None:
            return self._client.progress
        return Progress(0, self.source.size, self.log.tasks + self.log.events, 0.0, "waiting")

    @property
    def is_complete(self) -> bool:
        """Whether no number is provisional any more."""
        return self.log.is_complete

    @property
    def index_folder(self) -> str:
        """Where the index is kept."""
        return self._cache.index_folder(self.source.identity, self.format, create=False)

    @property
    def _tasks(self) -> TasksView:
        from parsers.hotspot.tasks_view import TasksView

        view = self.views[0]
        assert isinstance(view, TasksView)
        return view

    @property
    def names(self) -> Sequence[bytes]:
        """Labels of the methods that were compiled; empty until all are known."""
        return self._tasks.names

    def name_count(self, name: int) -> int:
        """How many tasks compile the method of that number."""
        return len(self._tasks.named(name))

    def name_nodes(self, name: int) -> Sequence[int]:
        """The tasks that compile it."""
        return self._tasks.named(name)

    def text(self, data: bytes) -> str:
        """Some bytes of the files, or of a name, as text."""
        return decode(data)

    def view(self, name: str) -> View:
        """The view of that name, in any case. Raises `KeyError`."""
        assert isinstance(self.views, Views)
        return self.views.named(name)

    def locate(self, ref: str, view: str | None = None) -> tuple[View, int]:
        """The view and node of a REF: in the view that is named, else in the first one that has such things.

        Raises `UnknownReference`, with the words of the first view that has REFs of that kind.
        """
        asked, nodes = places_of(self.views if view is None else [self.view(view)], ref)
        return asked, nodes[0]

    def why(self, view: str, node: int) -> Sequence[int]:
        """The path of the task or method that a row of any view is about, in the first view: a log is no graph."""
        asked, first = self.view(view), self.views[0]
        key = None if asked is first else asked.key(node)
        found = node if asked is first else None if key is None else first.find_key(key)
        return () if found is None else first.path(found)

    def start_index(self) -> None:
        """Begin building the index in a child process, unless a valid one is there."""
        self._is_wanted = True
        self._begin()

    def _begin(self) -> None:
        """Start the index child if it is wanted and the files are there to their ends."""
        if not self._is_wanted or self._client is not None or self.source.is_spooling:
            return
        from parsers.index.client import IndexClient

        self._client = IndexClient(self.source, self._cache, self.format)
        self._client.start()
        self._client.follow()
        self._change_over()

    def fileno(self) -> int | None:
        """A descriptor that gets readable when `follow` has news; None when there is no child."""
        return self._client.fileno() if self._client is not None else None

    def follow(self) -> bool:
        """Take in what the index child has published since; True if anything changed. Never waits."""
        if self._client is None:
            self._begin()
            return self._client is not None
        before = self.progress
        now = self._client.follow()
        if now == before:
            return False
        self._change_over()
        return True

    def _change_over(self) -> None:
        """Let the index answer, once it knows more than the head."""
        reader = self._client.reader if self._client is not None else None
        if reader is None or self.log.is_complete:
            return
        if reader.is_complete or reader.has("task_id"):
            self.source.unpack()
            self.log.take_index(reader)

    def wait(self, progress: Callable[[Progress], object] | None = None) -> None:
        """Wait until the index is finished, calling `progress(Progress)` now and then. Raises `ReportError`."""
        self.start_index()
        while not self.is_complete:
            self.follow()
            now = self.progress
            if progress is not None:
                progress(now)
            if self.is_complete:
                break
            if now.state == "failed":
                raise ReportError(f"{self.source.path}: can't be indexed: {now.says or 'the indexer ended early'}")
            descriptor = self.fileno()
            if descriptor is None:
                time.sleep(0.01)
            else:
                # poll, not select: descriptors may be above 1,024.
                news = select.poll()
                news.register(descriptor, select.POLLIN | select.POLLHUP)
                news.poll(100)

    def close(self) -> None:
        """Stop the child, close the files."""
        if self._client is not None:
            self._client.stop()
            self._client = None
        self.source.close()
