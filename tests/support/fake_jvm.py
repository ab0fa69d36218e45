"""JVMs as a receiver sees them: recorded streams that are sent again, and ones whose bytes a test makes."""

from __future__ import annotations

import json
import lzma
import os
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from select import POLLHUP, POLLIN, poll
from typing import Any

from parsers.runtime.live.address import Address
from parsers.runtime.live.client import Listening, LiveEvent
from parsers.runtime.live.stream.live_stream import LiveStream

CORPUS = Path(__file__).parent.parent / "corpus" / "hprof" / "socket"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
PATIENCE = 60_000
"""Milliseconds after which a test has failed that waits for something."""
HEADER = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 4, 1_700_000_000_000)


def record(tag: int, body: bytes) -> bytes:
    """A record of a binary stream."""
    return struct.pack(">BII", tag, 0, len(body)) + body


def settings(options: int) -> bytes:
    """CONTROL_SETTINGS, the first record."""
    return record(0x0E, struct.pack(">IH", options, 4))


def summary(live: int) -> bytes:
    """HEAP_SUMMARY."""
    return record(0x07, struct.pack(">IIQQ", live, 1, live, 1))


@dataclass(frozen=True)
class Recorded:
    """A recorded stream: its bytes, and what happened when."""

    name: str

    @property
    def bytes(self) -> bytes:
        return lzma.decompress((CORPUS / f"{self.name}.xz").read_bytes())

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (CORPUS / f"{self.name}.log").read_text("utf-8").splitlines()]

    def pieces(self) -> Iterator[bytes]:
        """The bytes as recorded."""
        data, at = self.bytes, 0
        for event in self.events:
            if event["event"] == "received":
                yield data[at : at + event["bytes"]]
                at += event["bytes"]


class FakeJvm:
    """One connection to a receiver. Keeps the received bytes."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.peer = "{}:{}".format(*self.socket.getsockname()[:2])
        self.asked = bytearray()
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, data: bytes) -> FakeJvm:
        self.socket.sendall(data)
        return self

    def play(self, pieces: Iterator[bytes] | Sequence[bytes]) -> FakeJvm:
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def wait_for(self, *commands: bytes) -> None:
        """Until these were sent to it, in this order; serial numbers may be any."""
        wanted = b"".join(without_serial(command) for command in commands)
        with self._news:
            assert self._news.wait_for(lambda: wanted in self.commands(), PATIENCE / 1000), (wanted, self.commands())

    def commands(self) -> bytes:
        """Bytes sent to the JVM, without serial numbers."""
        found, data = b"", bytes(self.asked)
        while data:
            size = 1 if data[0] == 0xFF else 9 + struct.unpack(">I", data[5:9].ljust(4, b"\0"))[0]
            found, data = found + without_serial(data[:size]), data[size:]
        return found

    def end(self) -> None:
        """Closes as a JVM does at its end, when all that was sent to it is read."""
        self.socket.shutdown(socket.SHUT_WR)
        self._reader.join()
        self.socket.close()

    def abort(self) -> None:
        """Is killed: its system resets the connection."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.shutdown(socket.SHUT_RD)
        self._reader.join()
        self.socket.close()

    def _read(self) -> None:
        while True:
            try:
                data = self.socket.recv(1 << 16)
            except OSError:
                return
            if not data:
                return
            with self._news:
                self.asked += data
                self._news.notify_all()


def without_serial(command: bytes) -> bytes:
    """A command but for its serial number."""
    return command[:1] + command[5:]


def until(listening: Listening, reached: Callable[[], object]) -> list[LiveEvent]:
    """Follows a receiver until a state is reached; what has happened."""
    events = listening.follow()
    while not reached():
        assert listening.is_alive, listening.says
        news = poll()
        news.register(listening.fileno(), POLLIN | POLLHUP)  # type: ignore[arg-type]
        assert news.poll(PATIENCE), [stream.counts for stream in listening.streams]
        events += listening.follow()
    return events


def stream_of(listening: Listening, jvm: FakeJvm) -> LiveStream:
    """The stream of a JVM, once it is there."""
    until(listening, lambda: any(stream.peer == jvm.peer for stream in listening.streams))
    return next(stream for stream in listening.streams if stream.peer == jvm.peer)


@contextmanager
def receiver(folder: Path, *options: str) -> Iterator[Listening]:
    """A receiver at a free port, by default one that asks nothing by itself."""
    listening = Listening.start(Address("127.0.0.1", 0), str(folder), *(options or ("--heartbeat", "0")))
    try:
        yield listening
    finally:
        listening.close()
        # It would go on for JVMs that a failed test left.
        with suppress(ProcessLookupError):
            os.kill(listening.process, signal.SIGKILL)
