"""Accepts connections of JVMs and stores what they send.

    python -m parsers.runtime.live.receiver --channel FD --into FOLDER [HOST:]PORT

A separate process and session, because JVMs die with it (`connection`), while the client at the other end of the
channel may end or be killed. Then commands are ended, no more JVMs are accepted, and connected ones are stored until
each has ended. SIGTERM, SIGHUP and SIGINT have the same effect.

Both sides of the channel send JSON lines. Requests: `{"ask": NAME, "stream": N, "text": "…", "confirmed": true}`,
`{"watch": true, "stream": N}`, `{"leave": true}`, with `stream` only that one.
Reports: one object per event, see `Connection` and `Receiver`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from parsers.io.channel import Channel, End
from parsers.model.report import ReportError
from parsers.runtime.live.address import Address, address_of
from parsers.runtime.live.connection import Connection
from parsers.runtime.live.process.peer import find_peer
from parsers.runtime.live.stream.stored_stream import RESERVED_BYTES, StoredStream, make_folder

HEARTBEAT = 1.0
"""Seconds between two automatic requests; the first is sent at once, because the header arrives with its answer."""
PROGRESS_EVERY = 0.1
"""Seconds between two progress reports."""
CANNOT = 2
LEAVING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Receiver:
    """The process."""

    def __init__(
        self,
        listener: socket.socket,
        channel: Channel,
        folder: str,
        heartbeat: float = HEARTBEAT,
        room_left: int = RESERVED_BYTES,
        is_watched: bool = False,
    ) -> None:
        self._listener = listener
        self._channel = channel
        self._folder = folder
        self._heartbeat = heartbeat
        self._reserved_bytes = room_left
        self._is_watched = is_watched
        self._connections: dict[int, Connection] = {}
        self._beats: dict[int, float] = {}
        """Time of the next heartbeat of each stream, unless there are none."""
        self._changed: set[int] = set()
        self._reported_at = 0.0
        self._count = 0
        self._is_taking = True
        """True if JVMs are accepted."""
        self._is_leaving = False
        self._selector = selectors.DefaultSelector()
        self._wake, self._waker = socket.socketpair()

    def run(self) -> None:
        """Runs until all streams have ended and the client is gone."""
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._channel.source, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._listen_to_signals()
        self._report_event({"event": "listening", "address": str(address_of(self._listener.getsockname()))})
        while not (self._is_leaving and not self._connections):
            for key, events in self._selector.select(self._patience()):
                self._safely(partial(self._serve, key.fileobj, events))
            for work in (self._beat, self._report_progress, self._watch_writable):
                self._safely(work)

    def _safely(self, work: Callable[[], None]) -> None:
        """Runs `work` and reports any error: received data is stored already, and all JVMs depend on this process."""
        try:
            work()
        except Exception as error:
            self._report_event({"event": "trouble", "says": f"{type(error).__name__}: {error}"}, can_be_lost=True)

    def _listen_to_signals(self) -> None:
        """Makes signals wake the loop, which then leaves."""
        for end in (self._wake, self._waker):
            end.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in LEAVING_SIGNALS:
            signal.signal(number, lambda *_: None)

    def _serve(self, ready: Any, events: int) -> None:
        if ready is self._listener:
            if not self._is_leaving:
                self._accept()
        elif ready is self._channel.source:
            self._take_messages(events)
        elif ready is self._wake:
            numbers = self._wake.recv(64)
            if any(number in LEAVING_SIGNALS for number in numbers):
                self._leave()
        else:
            self._serve_connection(ready.fileno(), events)

    # -- JVMs ---------------------------------------------------------------------------------------------------------

    def _accept(self) -> bool:
        """Accepts a JVM that has connected; False: there is none."""
        try:
            end, other = self._listener.accept()
        except (BlockingIOError, ConnectionError):
            return False
        except OSError as error:
            # No more descriptors: queued connections are accepted when another one has ended.
            self._selector.unregister(self._listener)
            self._is_taking = False
            self._report_event(
                {"event": "trouble", "says": f"no more JVMs can be taken: {(error.strerror or '').lower()}"}
            )
            return False
        self._count += 1
        place = address_of(other)
        who = find_peer(place, address_of(end.getsockname()))
        stored = StoredStream(self._folder, place, who.program, self._reserved_bytes)
        connection = Connection(self._count, end, place, who, stored, self._report_event, self._is_watched)
        self._connections[end.fileno()] = connection
        self._selector.register(end, selectors.EVENT_READ)
        if self._heartbeat > 0:
            self._beats[end.fileno()] = time.monotonic()
        if self._is_leaving:
            connection.leave()
        return True

    def _serve_connection(self, descriptor: int, events: int) -> None:
        connection = self._connections[descriptor]
        end = connection.socket
        if events & selectors.EVENT_WRITE:
            connection.flush()
        if not events & selectors.EVENT_READ:
            return
        self._changed.add(descriptor)
        if connection.receive():
            return
        self._selector.unregister(end)
        del self._connections[descriptor]
        self._beats.pop(descriptor, None)
        self._changed.discard(descriptor)
        if not self._is_taking and not self._is_leaving:
            self._is_taking = True
            self._selector.register(self._listener, selectors.EVENT_READ)

    def _leave(self) -> None:
        """Ends the commands of all JVMs, and accepts no more except those that have connected already."""
        if self._is_leaving:
            return
        self._is_leaving = True
        while self._accept():
            pass
        if self._is_taking:
            self._selector.unregister(self._listener)
        self._listener.close()
        for connection in self._connections.values():
            connection.leave()

    # -- time ---------------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        now = time.monotonic()
        for descriptor, due in self._beats.items():
            if now >= due:
                self._beats[descriptor] = now + self._heartbeat
                self._connections[descriptor].beat()

    def _patience(self) -> float | None:
        """Seconds until work is due without news."""
        due = [*self._beats.values()]
        if self._changed:
            due.append(self._reported_at + PROGRESS_EVERY)
        return max(0.0, min(due) - time.monotonic()) if due else None

    # -- the client ---------------------------------------------------------------------------------------------------

    def _report_event(self, event: Mapping[str, object], can_be_lost: bool = False) -> bool:
        return self._channel.send(event, can_be_lost)

    def _report_progress(self) -> None:
        now = time.monotonic()
        if not self._changed or now < self._reported_at + PROGRESS_EVERY:
            return
        self._reported_at = now
        for descriptor in self._changed:
            self._connections[descriptor].report_progress()
        self._changed.clear()

    def _watch_writable(self) -> None:
        """Makes the selector report peers with pending data as soon as they read again."""
        if self._channel.is_open:
            self._watch(self._channel.source, self._channel.has_unsent)
        for connection in self._connections.values():
            self._watch(connection.socket, connection.has_unsent)

    def _watch(self, end: End, is_wanted: bool) -> None:
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if is_wanted else 0)
        if self._selector.get_key(end).events != wanted:
            self._selector.modify(end, wanted)

    def _take_messages(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._channel.flush()
        for message in self._channel.take():
            try:
                self._take(message)
            except ReportError as error:
                self._report_event({"event": "refused", "stream": message.get("stream"), "says": str(error)})
        if not self._channel.is_open:
            self._selector.unregister(self._channel.source)
            self._channel.close()
            self._leave()

    def _take(self, message: Mapping[str, object]) -> None:
        number = message.get("stream")
        found = [each for each in self._connections.values() if number in (None, each.number)]
        if "ask" in message:
            for connection in found if number is not None else ():
                text, confirmed = str(message.get("text", "")), message.get("confirmed") is True
                connection.ask(str(message["ask"]), text, confirmed)
                self._changed.add(connection.socket.fileno())
        elif "watch" in message:
            for connection in found:
                connection.watch(message["watch"] is True)
        elif "leave" in message and number is None:
            self._leave()
        elif "leave" in message:
            for connection in found:
                connection.leave()


def main(words: list[str] | None = None) -> int:
    """Runs the receiver; the exit status is 2 if that is impossible, and the channel reports the reason."""
    parser = argparse.ArgumentParser(
        prog="python -m parsers.runtime.live.receiver", description="Store what JVMs send."
    )
    parser.add_argument("--channel", type=int, required=True, help="descriptor of the socket to who looks")
    parser.add_argument("--into", required=True, help="the folder of the streams")
    parser.add_argument("--heartbeat", type=float, default=HEARTBEAT, help="seconds between two questions; 0: none")
    parser.add_argument("--watch", action="store_true", help="ask for heap summaries all the time")
    parser.add_argument("--room-left", type=int, default=RESERVED_BYTES, help="bytes of the disk that are left free")
    parser.add_argument("address", help="[HOST:]PORT; port 0: any that is free")
    options = parser.parse_args(words)
    end = socket.socket(fileno=options.channel)
    channel = Channel(end, end)
    folder = options.into
    try:
        folder = make_folder(folder)
        listener = Address.parse(options.address).listen()
    except ReportError as error:
        return _fail(channel, str(error))
    except OSError as error:
        what = error.filename or options.address
        return _fail(channel, f"{what}: {(error.strerror or str(error)).lower()}")
    os.chdir("/")
    _allow_descriptors()
    Receiver(listener, channel, folder, options.heartbeat, options.room_left, options.watch).run()
    return 0


def _fail(channel: Channel, says: str) -> int:
    channel.set_blocking(True)
    channel.send({"event": "failed", "says": says})
    return CANNOT


def _allow_descriptors() -> None:
    """Raises the limit of descriptors to the hard limit: each JVM takes three."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
