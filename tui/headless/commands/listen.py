"""`listen`: waits for JVMs and stores their streams; prints a line for each event.

The first Ctrl+C ends the commands of the connected JVMs, and waits until they have ended; the second one leaves that to
the receiver, which continues in the background. SIGTERM and SIGHUP do so at once. None of this harms a JVM.
"""

from __future__ import annotations

import os
import select
from collections.abc import Mapping
from typing import TYPE_CHECKING

from parsers.runtime.live.address import Address
from parsers.runtime.live.client import Listening, LiveEvent
from parsers.runtime.live.connection import MOST_NEWS
from tui.headless.problems import DAMAGED, DONE
from tui.screen.sanitise import safe
from tui.settings.state_folder import live_path

if TYPE_CHECKING:
    from parsers.runtime.live.stream.live_stream import LiveStream
    from tui.command_line.arguments import Arguments
    from tui.headless.session import Invocation

OPTIONS = {1: "heap or allocation sites", 2: "CPU samples"}
"""Flags of CONTROL_SETTINGS."""


def run(invocation: Invocation) -> int:
    """Prints events until the requested number of JVMs have ended."""
    listening = start_listening(invocation.arguments)
    try:
        return _Listener(listening, invocation).run()
    finally:
        listening.close()


def start_listening(arguments: Arguments) -> Listening:
    """Starts the receiver at the address of the command line."""
    folder = arguments.text("into") or str(live_path(os.environ))
    options = ("--watch",) if arguments.is_given("watch") else ()
    return Listening.start(Address.parse(arguments.word), folder, *options)


class _Listener:
    """One running receiver."""

    def __init__(self, listening: Listening, invocation: Invocation) -> None:
        self._listening = listening
        self._output, self._remarks = invocation.output, invocation.remarks
        self._most = invocation.arguments.count("jvms", -1)
        """Number of JVMs after whose end this ends; None: unlimited."""
        self._is_damaged = False
        self._flooded: set[int] = set()
        """Numbers of the streams for which a message reported that not all records are listed."""

    def run(self) -> int:
        """Runs until the end; returns the exit status."""
        where = {"address": str(self._listening.address), "folder": self._listening.folder}
        self._print({"event": "listening", **where}, f"waits for JVMs at {where['address']}, into {where['folder']}")
        try:
            self._follow()
        except KeyboardInterrupt:
            self._drain()
            raise
        return DAMAGED if self._is_damaged else DONE

    def _follow(self) -> None:
        while self._most is None or sum(not stream.is_open for stream in self._listening.streams) < self._most:
            self._wait()
            if not self._listening.is_alive:
                return

    def _drain(self) -> None:
        """Waits for the connected JVMs to end, until the user interrupts."""
        words = self._listening.parting_words()
        self._listening.leave()
        if words:
            self._remarks.show_message(f"{words}; this waits for that, and Ctrl+C ends the waiting")
        while self._listening.is_alive:
            self._wait()

    def _wait(self) -> None:
        descriptor = self._listening.fileno()
        if descriptor is not None:
            # poll, not select: descriptors may be above 1,024.
            news = select.poll()
            news.register(descriptor, select.POLLIN | select.POLLHUP)
            news.poll()
        for event in self._listening.follow():
            self._print_event(event)

    def _print_event(self, event: LiveEvent) -> None:
        stream = event.stream
        if stream is None:
            if event.text:
                self._is_damaged = True
                self._print({"event": "trouble", "says": event.text}, event.text)
        elif event.kind == "connected":
            begin = {"file": stream.path, "program": stream.program or None, "pid": stream.process or None}
            name = f" ({stream.program}, process {stream.process})" if stream.process else ""
            self._print_line(stream, "connected", begin, f"connected{name}, stored in {stream.path}")
        elif event.kind == "record":
            facts = dict(event.facts["facts"])
            record = {"record": event.facts["record"], "offset": event.facts["offset"], **facts}
            self._print_line(
                stream, "record", record, f"{_words(event.facts['record'])}: {_numbers(event.facts['record'], facts)}"
            )
        elif event.kind == "progress" and stream.unlisted and stream.number not in self._flooded:
            self._flooded.add(stream.number)
            words = f"more than {MOST_NEWS} records a second: not all are listed, their number follows at the end"
            self._print_line(stream, "records not listed", {"most_a_second": MOST_NEWS}, words)
        elif event.kind == "trouble":
            self._is_damaged = True
            self._print_line(stream, "trouble", {"says": event.text}, event.text)
        elif event.kind == "ended":
            self._is_damaged = self._is_damaged or bool(stream.half)
            cut = f", cut inside {_words(stream.half)}" if stream.half else ""
            count = sum(stream.unlisted.values())
            left_out = f"; {count:,} record{'s were' if count > 1 else ' was'} not listed" if count else ""
            end = {"bytes": stream.bytes, "how": stream.ending, "cut": stream.half or None, "file": stream.path}
            end["not_listed"] = dict(stream.unlisted)
            self._print_line(stream, "ended", end, f"ended, {stream.ending}: {stream.bytes:,} bytes{cut}{left_out}")

    def _print_line(self, stream: LiveStream, event: str, facts: Mapping[str, object], words: str) -> None:
        about = {"event": event, "stream": stream.number, "peer": stream.peer}
        self._print({**about, **facts}, f"{stream.peer}  {words}")

    def _print(self, fields: Mapping[str, object], words: str) -> None:
        self._output.answer(fields, safe(words))
        self._output.flush()


def _words(record: str) -> str:
    return record.replace("_", " ").lower().replace("cpu", "CPU")


def _numbers(record: str, facts: Mapping[str, int]) -> str:
    """Formats the numbers of a record."""
    if record == "control_settings":
        flags = facts.get("flags", 0)
        of = [words for flag, words in OPTIONS.items() if flags & flag]
        return f"{' and '.join(of) or 'neither heap nor CPU samples'}, depth {facts.get('depth', 0)}"
    return ", ".join(f"{_words(name)} {value:,}" for name, value in facts.items())
