"""The caller's side of a job of the worker: its progress and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from parsers.query.search.names import NameMatch
from parsers.query.selection.number_file import NumberFile
from parsers.query.selection.selection import Selection

if TYPE_CHECKING:
    from parsers.model.trees.tree import Preorder
    from parsers.query.search.pattern import Pattern
    from parsers.runtime.worker.worker import Worker

JobMessage = dict[str, Any]
"""A message between a worker and its child, as JSON."""
State = Literal["running", "waiting", "done", "cancelled", "failed"]


class Job:
    """One request to a worker. It changes only inside `Worker.follow`."""

    can_be_left = False
    """True if the child can interrupt it anywhere, so that it stops at once."""

    def __init__(self, worker: Worker, id: int) -> None:
        self.id = id
        self.asked: JobMessage = {}
        self.state: State = "running"
        self.fraction = 0.0
        """Fraction done, 0 to 1."""
        self.count = 0
        """Number of results so far."""
        self.error: str | None = None
        """Reason of its failure."""
        self.says: str = ""
        """The event it waits for."""
        self._worker = worker
        self._stored: tuple[NumberFile, ...] = ()
        """Files of its results."""

    @property
    def has_ended(self) -> bool:
        """True if no more results will follow."""
        return self.state in ("done", "cancelled", "failed")

    @property
    def is_done(self) -> bool:
        """True if the result is complete."""
        return self.state == "done"

    def cancel(self, forget: bool = False) -> None:
        """Stops the job; its results stay unless `forget`."""
        if not self.has_ended:
            self.state = "cancelled"
            self._worker.cancel(self, forget)

    def close(self) -> None:
        """Stops the job and removes its results."""
        self.cancel(forget=True)
        self._forget_results()

    def wait(self, progress: Callable[[Job], object] | None = None) -> None:
        """Waits for the end, calling `progress(job)` now and then: for callers without an event loop."""
        self._worker.wait(self, progress)

    def fail(self, error: str) -> None:
        """Ends the job without a complete result."""
        self.state, self.error = "failed", error

    def restart(self) -> None:
        """Restarts without results."""
        self.state, self.fraction = "running", 0.0
        self._forget_results()

    def _forget_results(self) -> None:
        self.count = 0
        for file in self._stored:
            file.close()

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        self.fraction = message.get("fraction", self.fraction)
        self.count = message.get("count", self.count)
        self.error = message.get("error")
        self.says = message.get("says", "")
        self.state = message.get("state", "running")


class FindJob(Job):
    """Matching lines of a file. `lines` are the offsets of their starts, each once, ascending."""

    can_be_left = True

    def __init__(self, worker: Worker, id: int, path: Callable[[str], str], pattern: Pattern) -> None:
        super().__init__(worker, id)
        self.pattern = pattern
        self.kind: Literal["regex", "text"] = "regex" if pattern.kind == "regex" else "text"
        """The interpretation of the pattern; for an `auto` pattern it may change from text to regex once."""
        self._files = {kind: NumberFile(path(f"{id}.{kind}"), 8) for kind in ("regex", "text")}
        self._stored = tuple(self._files.values())

    @property
    def lines(self) -> NumberFile:
        """Offsets of the lines found so far."""
        return self._files[self.kind]

    @property
    def resolved(self) -> Pattern:
        """The pattern with its final interpretation: for highlighting."""
        return self.pattern.resolved(self.kind)

    def offset_after(self, offset: int) -> int | None:
        """The next matching line that begins after this byte; None: no more (yet)."""
        position = self.lines.after(offset)
        return self.lines[position] if position < self.count else None

    def offset_before(self, offset: int) -> int | None:
        """The last matching line that begins before this byte."""
        position = self.lines.at_or_after(offset)
        return self.lines[position - 1] if position else None

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        super().take(message)
        self.kind = message.get("as", self.kind)
        self.lines.count = self.count


class SelectJob(Job):
    """The filtered rows of a tree; `count` is the number of positions kept."""

    def __init__(self, worker: Worker, id: int, path: Callable[[str], str]) -> None:
        super().__init__(worker, id)
        self._stored = NumberFile(path(f"{id}.nodes"), 4), NumberFile(path(f"{id}.suppressed"), 4)

    def selection(self, base: Preorder) -> Selection:
        """The result, over the same preorder in this process. Its `close` removes the files, as this job's does."""
        return Selection(base, *self._stored)

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        super().take(message)
        if self.is_done:
            nodes, suppressed = self._stored
            nodes.count, suppressed.count = self.count, message["suppressed"]


class NamesJob(Job):
    """Names that match a query: `names`, best first; `count` is the number of all matches."""

    def __init__(self, worker: Worker, id: int) -> None:
        super().__init__(worker, id)
        self.names: list[NameMatch] = []
        self.is_fuzzy = True
        """False: only substrings were searched, because the fuzzy search isn't loaded yet or was not requested."""

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        super().take(message)
        self.names = [NameMatch(*fields) for fields in message.get("names", [])]
        self.is_fuzzy = message.get("is_fuzzy", True)
