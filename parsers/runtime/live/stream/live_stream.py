"""The state of one stream as reported by the receiver: progress, records, and possible requests to its JVM."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from parsers.model.report import Action, ReportError
from parsers.runtime.live.command import COMMANDS, HEAP_DUMP, JvmFacts, Layout, action
from parsers.runtime.live.process.peer import Peer
from parsers.runtime.live.stream.reading import NO_COUNTS

NOBODY = Peer()
MOST_SUMMARIES = 3600
MOST_ANSWERS = 100
HEAP_SUMMARY = "heap_summary"
DUMP_COUNTS = {"binary": ("heap_dump", "heap_dump_end"), "text": ("HEAP DUMP BEGIN",)}
"""The records that count heap dumps."""


WATCH = Action(
    "watch",
    "a heap summary every second",
    "A JVM with a request during its heap dump at exit ends with status 9 instead of its own; its data is complete.",
)
WATCH_OFF = Action("watch-off", "heap summaries only when something else has come")


@dataclass(frozen=True, slots=True)
class HeapSummary:
    """The contents of the heap at a time."""

    t: float
    """Seconds since 1970."""
    live_bytes: int
    live_instances: int
    allocated_bytes: int
    """Since the start."""
    allocated_instances: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete record with information."""

    command: str
    """The command that it answers; empty: it was not requested."""
    record: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class LiveStream:
    """One connected JVM, as its receiver reports it."""

    def __init__(
        self,
        number: int,
        peer: str,
        path: str,
        started: float,
        ask: Callable[..., object],
        who: Peer = NOBODY,
        is_watched: bool = False,
    ) -> None:
        self.number = number
        self.peer = peer
        self.path = path
        """The file it is stored in; empty: it can't be stored."""
        self.program = who.program
        """Main class or jar; empty: unknown, for instance on other machines or of other users."""
        self.process = who.process
        """Its process id; 0: unknown."""
        self.started = started
        self.bytes = 0
        """Bytes received."""
        self.whole = 0
        """Offset up to which the file contains only complete records and heap dumps."""
        self.layout: Layout = ""
        self.options: int | None = None
        """Flags of CONTROL_SETTINGS: 1 heap or sites, 2 CPU samples."""
        self.depth: int | None = None
        self.state: Literal["connected", "left", "ended"] = "connected"
        self.ending = ""
        """Description of its end; empty before."""
        self.half = ""
        """Name of the record in which it was cut; empty: none."""
        self.trouble = ""
        self.counts: Mapping[str, int] = NO_COUNTS
        self.unlisted: Mapping[str, int] = NO_COUNTS
        """Number of records, by name, that were not reported one by one, because there were too many."""
        self.summaries: deque[HeapSummary] = deque(maxlen=MOST_SUMMARIES)
        self.answers: deque[Answer] = deque(maxlen=MOST_ANSWERS)
        self.waiting: Sequence[str] = ()
        """Commands that are not answered yet."""
        self.is_watched = is_watched
        """True if heap summaries are requested all the time."""
        self._ask = ask
        self._who = who

    @property
    def is_open(self) -> bool:
        """True if the JVM is still connected."""
        return self.state != "ended"

    @property
    def known(self) -> JvmFacts:
        """Current knowledge about the JVM."""
        dumps = sum(self.counts.get(name, 0) for name in DUMP_COUNTS.get(self.layout, ()))
        is_dump_asked, who = HEAP_DUMP in self.waiting, self._who
        return JvmFacts(self.layout, self.options, dumps, is_dump_asked, who.heap, who.dumps_at_exit)

    @property
    def actions(self) -> Sequence[Action]:
        """Possible requests to the JVM."""
        if self.state != "connected" or self.layout not in ("binary", "text"):
            return ()
        known = self.known
        found = [action(command, known) for command in COMMANDS.values() if command.is_for(known)]
        if known.layout == "binary" and known.has_heap_options is not False:
            found.append(WATCH_OFF if self.is_watched else WATCH)
        return found

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Sends a request; returns a message. Raises `ReportError`."""
        found = next((each for each in self.actions if each.name == name), None)
        if found is None:
            raise ReportError(f"{self.peer} accepts no request {name}: {self._why_not()}")
        if found.asks and not confirmed:
            raise ReportError(f"{found.title}: not requested: {found.asks}")
        if found in (WATCH, WATCH_OFF):
            self.is_watched = found is WATCH
            self._ask({"watch": self.is_watched, "stream": self.number})
            return found.title
        command = COMMANDS[name]
        command.bytes(0, text)
        self._ask({"ask": name, "stream": self.number, "text": text, "confirmed": confirmed})
        self.waiting = [*self.waiting, name]
        return f"asked {self.peer}: {command.title}"

    def _why_not(self) -> str:
        if self.state == "ended":
            return "it has ended"
        if self.state == "left":
            return "its commands were ended"
        return "nothing is known of it yet" if not self.layout else "it knows no such command"

    # -- reports of the receiver --------------------------------------------------------------------------------------

    def take(self, event: Mapping[str, Any]) -> None:
        """Applies an event."""
        kind = event["event"]
        if kind == "progress":
            self._take_progress(event)
        elif kind == "record":
            self._take_record(event)
        elif kind == "left":
            self.state = "left"
        elif kind == "ended":
            self.end(str(event["how"]), str(event["half"]))
        elif kind == "trouble":
            self.trouble = str(event["says"])

    def end(self, how: str, half: str = "") -> None:
        """Marks the stream as ended."""
        if self.is_open:
            self.state, self.ending, self.half, self.waiting = "ended", how, half, ()

    def _take_progress(self, event: Mapping[str, Any]) -> None:
        self.bytes, self.whole, self.layout = event["bytes"], event["whole"], event["layout"]
        self.options, self.depth = event["options"], event["depth"]
        self.counts, self.waiting, self.unlisted = event["counts"], event["waiting"], event["unlisted"]

    def _take_record(self, event: Mapping[str, Any]) -> None:
        facts = event["facts"]
        if event["record"] == HEAP_SUMMARY and len(facts) == 4:
            self.summaries.append(HeapSummary(event["t"], **facts))
        if not event["is_heartbeat"]:
            self.answers.append(Answer(event["command"], event["record"], facts))
