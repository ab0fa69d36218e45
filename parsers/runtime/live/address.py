"""Address on which JVMs are accepted: `7777`, `host:7777` or `[::1]:7777`."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from parsers.model.report import ReportError

LOCAL = "127.0.0.1"
"""Reachable from this machine only: every client may fill the disk, and there is no password."""
MOST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parses a typed address; without a host only this machine is accepted. Raises `ReportError`."""
        host, has_host, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            raise ReportError(f"{text}: an IPv6 address is written in brackets: [{host}]:{port}")
        if has_host and not host:
            host = LOCAL
        if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= MOST_PORT):
            raise ReportError(f"{text}: is no [HOST:]PORT, as 7777 or 0.0.0.0:7777 (port 0: any that is free)")
        return cls(host or LOCAL, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def listen(self) -> socket.socket:
        """A listening socket. Raises `OSError`."""
        # Agents of JDK 5 to 8 connect to IPv4 addresses only, so IPv4 is preferred for a name that has both.
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = min(found, key=lambda each: each[0] != socket.AF_INET)
        listener = socket.socket(family, kind | socket.SOCK_CLOEXEC, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(128)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
        return listener


def address_of(place: tuple[object, ...]) -> Address:
    """The address of a socket name or peer name."""
    host, port = place[0], place[1]
    assert isinstance(host, str) and isinstance(port, int)
    return Address(host.removeprefix("::ffff:"), port)
