"""The connection of one JVM: stores and follows its stream, sends commands, and never closes the connection.

A JVM depends on its connection: it aborts when it can't send, and its agent spins if our side is closed without the end
of commands. So nothing here closes a connection: it is read until the JVM closes it.

Nothing is sent while received bytes are unread. If the JVM has just closed, its system would answer with a reset and
discard all data still in transit. Source: `hprof_listener.c`, `hprof_io.c` of JDK 8, and measured with its agent.
"""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict

from parsers.model.report import ReportError
from parsers.runtime.live.address import Address
from parsers.runtime.live.command import (
    COMMANDS,
    DEPTH,
    END,
    HEAP_DUMP,
    LEAVE,
    SUMMARY,
    JvmFacts,
    LiveCommand,
    danger,
    flush_command,
    is_known_jvm,
)
from parsers.runtime.live.command_queue import Asked, CommandQueue
from parsers.runtime.live.heartbeat import Heartbeat
from parsers.runtime.live.process.peer import Peer
from parsers.runtime.live.stream.rate_limit import RateLimit
from parsers.runtime.live.stream.reading import StreamParser
from parsers.runtime.live.stream.record import Record
from parsers.runtime.live.stream.stored_stream import StoredStream

ReportEvent = Callable[..., bool]
"""Function that reports an event; False: it can't be delivered now, and is dropped."""
BLOCK = 1 << 16
"""Bytes read in one turn before the next JVM: as many as the agent sends at once.

Some 50 ms of work at most, if they are the shortest possible records.
"""
MOST_NEWS = 100
"""Unsolicited records reported one by one per second; of others only the number is reported."""
DUMP_RECORDS = ("heap_dump", "HEAP DUMP")


class Connection:
    """The connection of one JVM."""

    def __init__(
        self,
        number: int,
        end: socket.socket,
        place: Address,
        peer: Peer,
        stored: StoredStream,
        report_event: ReportEvent,
        is_watched: bool = False,
    ) -> None:
        """
        peer        information about the JVM's process
        is_watched  True if heap summaries are requested all the time, see `Heartbeat`
        """
        self.number = number
        self.socket = end
        self.peer = peer
        self.stored = stored
        self.reading = StreamParser()
        self.received = 0
        """Bytes received, stored or not."""
        self.has_left = False
        """True if its commands were ended."""
        self.is_open = True
        self.whole = 0
        """Offset in the stored file up to which all records are complete."""
        self.unlisted: Counter[str] = Counter()
        """Number of records, by name, that were not reported one by one."""
        self._news = RateLimit(MOST_NEWS)
        self._newest: dict[str, tuple[Record, Asked | None]] = {}
        """The last record of each name, if it was not reported."""
        self._report_event = report_event
        self._queue = CommandQueue()
        self._unsent = b""
        self._serial = 0
        self._dumps = 0
        self._depth: int | None = None
        """The depth that was requested."""
        self._heartbeat = Heartbeat(is_watched)
        end.setblocking(False)
        stored.note("accepted", 0, peer=str(place), **asdict(peer))
        self.report_event("connected", peer=str(place), path=stored.path, is_watched=is_watched, **asdict(peer))
        self._report_trouble("")

    # -- reports ------------------------------------------------------------------------------------------------------

    def report_event(self, event: str, can_be_lost: bool = False, **more: object) -> bool:
        """Reports an event of this stream; False: it was dropped."""
        return self._report_event({"event": event, "stream": self.number, "t": time.time(), **more}, can_be_lost)

    def report_progress(self, can_be_lost: bool = True) -> None:
        """Reports the progress."""
        reading = self.reading
        self.report_event(
            "progress",
            can_be_lost=can_be_lost,
            bytes=self.received,
            whole=self.whole,
            layout=reading.layout,
            options=reading.content.options,
            depth=reading.content.depth,
            counts=dict(reading.content.counts),
            unlisted=dict(+self.unlisted),
            waiting=[asked.command.name for asked in self._queue.waiting],
        )

    @property
    def known(self) -> JvmFacts:
        """Current knowledge about the JVM."""
        is_dump_asked = any(asked.command.name == HEAP_DUMP for asked in self._queue.waiting)
        heap, dumps_at_exit = self.peer.heap, self.peer.dumps_at_exit
        options = self.reading.content.options
        return JvmFacts(self.reading.layout, options, self._dumps, is_dump_asked, heap, dumps_at_exit)

    def _report_trouble(self, before: str) -> None:
        if self.stored.trouble != before:
            self.stored.note("trouble", self.received, what=self.stored.trouble)
            self.report_event("trouble", says=self.stored.trouble)

    # -- receiving ----------------------------------------------------------------------------------------------------

    def receive(self) -> bool:
        """Reads the data of one turn; False: the connection has ended."""
        before = self.stored.trouble
        try:
            data = self.socket.recv(BLOCK)
            if not data:
                self._end("closed by the JVM")
                return False
            self._take_bytes(data)
        except BlockingIOError:
            pass
        except OSError as error:
            self._end(f"the connection broke: {(error.strerror or str(error)).lower()}")
            return False
        finally:
            self._report_trouble(before)
        if self._heartbeat.shows_safe_moment(self.reading):
            self._ask_summary()
        self._send_ready()
        return True

    def _take_bytes(self, data: bytes) -> None:
        self.received += len(data)
        is_stored = self.stored.write(data)
        self._heartbeat.received(len(data))
        for record in self.reading.feed(data):
            self._take(record)
        if is_stored:
            self.whole = self.reading.content.whole

    def _take(self, record: Record) -> None:
        self._dumps += record.name in DUMP_RECORDS
        asked = self._queue.take(record.name)
        if asked is not None and not asked.is_heartbeat:
            name = asked.command.name
            self.stored.note("answered", record.end, command=name, record=record.name, start=record.offset)
            self._report_record(record, asked)
        elif self._news.allows(time.monotonic()) and self._report_record(record, asked):
            self._newest.pop(record.name, None)
        else:
            self.unlisted[record.name] += 1
            self._newest[record.name] = record, asked

    def _report_newest(self) -> None:
        """Reports the last record of each name, if not reported yet: it has the current numbers."""
        for record, asked in self._newest.values():
            self.unlisted[record.name] -= self._report_record(record, asked)
        self._newest.clear()

    def _report_record(self, record: Record, asked: Asked | None) -> bool:
        is_heartbeat = asked is not None and asked.is_heartbeat
        return self.report_event(
            "record",
            can_be_lost=asked is None or is_heartbeat,
            command="" if asked is None else asked.command.name,
            is_heartbeat=is_heartbeat,
            record=record.name,
            offset=record.offset,
            end=record.end,
            facts=dict(record.facts),
        )

    def _end(self, how: str) -> None:
        self.is_open = False
        self._queue.clear()
        half = self.reading.content.half
        self.stored.note(how, self.received, **({"half": half} if half else {}))
        self.stored.close()
        self.socket.close()
        self._report_newest()
        self.report_progress(can_be_lost=False)
        self.report_event("ended", bytes=self.received, stored=self.stored.bytes, how=how, half=half)

    # -- commands -----------------------------------------------------------------------------------------------------

    def ask(self, name: str, text: str = "", confirmed: bool = False) -> None:
        """Sends a command now, or when its turn comes up. Raises `ReportError` for one that may not be sent."""
        command = COMMANDS.get(name)
        if command is None:
            raise ReportError(f"there is no command {name!r}")
        if self.has_left or not self.is_open:
            raise ReportError("the commands of this JVM have ended")
        if not is_known_jvm(self.known) and name != LEAVE:
            raise ReportError("no data received yet that identifies a JVM")
        command.bytes(0, text)
        why = danger(command, self.known)
        if why and not confirmed:
            raise ReportError(f"{command.title}: not requested: {why}")
        if name == LEAVE:
            self.leave()
            return
        self._queue.ask(Asked(command, text, command.answer(self.reading.layout)))
        self._send_ready()

    def beat(self) -> None:
        """Makes the agent send its buffer: it does so after each command, and otherwise only when 64 KiB are full."""
        self._report_newest()
        if self.has_left or self._unsent:
            return
        wanted = self._heartbeat.wanted(self.reading)
        if wanted == "summary":
            self._ask_summary()
        elif wanted:
            depth = self.reading.content.depth if self._depth is None else self._depth
            self._put(flush_command(self.reading.layout, depth))

    def watch(self, is_watched: bool) -> None:
        """Sets whether heap summaries are requested all the time, or only when that can't harm."""
        self._heartbeat.is_watched = is_watched

    def _ask_summary(self) -> None:
        command = COMMANDS[SUMMARY]
        asked = Asked(command, answer=command.answer(self.reading.layout), is_heartbeat=True)
        if not self.has_left and not self._queue.is_running(asked.answer):
            self._queue.send(asked)
            self._send(command, asked)

    def leave(self) -> None:
        """Ends the commands: the JVM keeps running, and is read to its end."""
        if self.has_left or not self.is_open:
            return
        self.has_left = True
        self._queue.clear()
        self._put(END)
        self.stored.note("sent", self.received, command="eof", hex=END.hex())
        self.report_event("left")

    def flush(self) -> None:
        """Sends pending commands, as far as the JVM accepts them and unless received data must be read first."""
        while self._unsent:
            try:
                if not self._is_drained():
                    return
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            except BlockingIOError:
                return
            except OSError:
                # Reading will show how it ended.
                self._unsent = b""

    def _is_drained(self) -> bool:
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        return False

    @property
    def has_unsent(self) -> bool:
        """True if commands wait for the JVM to read them."""
        return bool(self._unsent)

    def _send_ready(self) -> None:
        for asked in self._queue.ready():
            self._send(asked.command, asked)
        self.flush()

    def _send(self, command: LiveCommand, asked: Asked) -> None:
        self._serial = (self._serial + 1) & 0xFFFF_FFFF
        data = command.bytes(self._serial, asked.text)
        if command.argument == DEPTH:
            self._depth = int(asked.text or command.default)
        self._put(data)
        if not asked.answer and self.reading.layout == "text":
            # Only answers show that a command is done, and text has none for a heartbeat.
            self._queue.forget(asked)
        if not asked.is_heartbeat:
            self.stored.note("sent", self.received, command=command.name, hex=data.hex())
            self.report_event("sent", command=command.name, text=asked.text, offset=self.received)

    def _put(self, data: bytes) -> None:
        """Sends each command by one write, unless an earlier one was sent partially."""
        self._unsent += data
        self.flush()
