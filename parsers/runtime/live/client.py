"""The client of the receiver of JVMs: starts it and follows its reports. For one thread; only the start waits."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.io.channel import Channel
from parsers.model.report import ReportError
from parsers.runtime.live.address import Address
from parsers.runtime.live.process.peer import Peer
from parsers.runtime.live.stream.live_stream import LiveStream

PATIENCE = 20.0
"""Seconds that the receiver may take to start: Python on a busy machine."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One event."""

    kind: str
    """connected, progress, record, sent, left, ended, refused, trouble; gone: the receiver has ended."""
    stream: LiveStream | None
    """Its stream; None: the receiver."""
    text: str = ""
    """A message; empty if the facts are enough."""
    facts: Mapping[str, Any] = field(default_factory=dict)


class Listening:
    """A running receiver."""

    def __init__(self, receiver: subprocess.Popen[bytes], channel: Channel, address: Address, folder: str) -> None:
        self.address = address
        """With the actual port."""
        self.folder = folder
        self.streams: list[LiveStream] = []
        """In the order of connection; ended ones stay."""
        self.says = ""
        """The last problem of the receiver."""
        self._receiver = receiver
        self._channel = channel
        self._by_number: dict[int, LiveStream] = {}
        self._is_leaving = False

    @classmethod
    def start(cls, address: Address, folder: str, *options: str) -> Listening:
        """Starts a receiver that stores into a folder; `options` are its own. Raises `ReportError`."""
        folder = os.path.abspath(folder)
        ours, others = socket.socketpair()
        command = [sys.executable, "-P", "-m", "parsers.runtime.live.receiver", "--channel", str(others.fileno())]
        try:
            receiver = subprocess.Popen(
                [*command, "--into", folder, *options, "--", str(address)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[others.fileno()],
                # Neither keys nor a closed terminal end it.
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise ReportError(f"the receiver can't be started: {error.strerror}") from error
        finally:
            others.close()
        return cls._begin(receiver, ours, folder)

    @classmethod
    def _begin(cls, receiver: subprocess.Popen[bytes], ours: socket.socket, folder: str) -> Listening:
        """Waits for the receiver's first message."""
        ours.settimeout(PATIENCE)
        word = b""
        try:
            while not word.endswith(b"\n"):
                data = ours.recv(1)
                if not data:
                    break
                word += data
        except TimeoutError:
            receiver.kill()
        channel = Channel(ours, ours)
        if not word.endswith(b"\n"):
            channel.close()
            raise ReportError(f"the receiver has not begun{_ended(receiver.wait())}")
        first = json.loads(word)
        if first["event"] != "listening":
            channel.close()
            receiver.wait()
            raise ReportError(str(first["says"]))
        return cls(receiver, channel, Address.parse(first["address"]), folder)

    @property
    def is_alive(self) -> bool:
        """True if the receiver is running."""
        return self._channel.is_open

    @property
    def open_streams(self) -> list[LiveStream]:
        """The JVMs that are connected."""
        return [stream for stream in self.streams if stream.is_open]

    @property
    def process(self) -> int:
        """The process id of the receiver."""
        return self._receiver.pid

    def parting_words(self) -> str:
        """Message about connected JVMs when this is closed; empty: none are connected."""
        count = len(self.open_streams)
        if not count:
            return ""
        them, ends = ("1 JVM is", "it ends") if count == 1 else (f"{count:,} JVMs are", "they end")
        return f"{them} connected: no more requests; data is stored in the background until {ends}"

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when `follow` has news; None once the receiver has ended."""
        return self._channel.source.fileno() if self._channel.is_open else None

    def follow(self) -> list[LiveEvent]:
        """Reads the reports received since; returns the events. Never waits."""
        if not self._channel.is_open:
            return []
        self._channel.flush()
        events = [self._take(message) for message in self._channel.take()]
        if not self._channel.is_open:
            events += self._receiver_ended()
        return events

    def leave(self, stream: LiveStream | None = None) -> None:
        """Ends the commands of a JVM, or of all; then no more are accepted, and the receiver ends with the last."""
        self._is_leaving = self._is_leaving or stream is None
        self._channel.send({"leave": True} | ({} if stream is None else {"stream": stream.number}))

    def close(self) -> None:
        """Disconnects: the receiver ends all commands, and itself once the last JVM has ended."""
        if self._channel.is_open:
            self._channel.set_blocking(True)
            self._channel.flush()
            self._channel.close()
        # Reaps the receiver if it has ended already; otherwise the system does so later.
        self._receiver.poll()

    def _take(self, message: dict[str, Any]) -> LiveEvent:
        kind, number = message["event"], message.get("stream")
        stream = self._by_number.get(number) if number is not None else None
        if kind == "connected":
            stream = LiveStream(
                message["stream"],
                message["peer"],
                message["path"],
                message["t"],
                self._channel.send,
                Peer(*(message[name] for name in ("process", "program", "heap", "dumps_at_exit"))),
                message["is_watched"],
            )
            self.streams.append(stream)
            self._by_number[stream.number] = stream
        elif stream is not None:
            stream.take(message)
        elif kind == "trouble":
            self.says = message["says"]
        return LiveEvent(kind, stream, message.get("says", ""), message)

    def _receiver_ended(self) -> list[LiveEvent]:
        """The receiver has ended: normally, or it was killed, and with it the connected JVMs."""
        self._channel.close()
        how = _ended(self._receiver.wait())
        events = []
        for stream in self.open_streams:
            stream.end("the receiver ended before it")
            events.append(LiveEvent("ended", stream))
        if how or not self._is_leaving:
            self.says = f"the receiver has ended{how}"
        return [*events, LiveEvent("gone", None, self.says)]


def _ended(status: int) -> str:
    """Description of the end of a process; empty if it was normal."""
    if status < 0:
        return f": by {signal.Signals(-status).name}"
    return f" with status {status}" if status else ""
