"""The process of this machine at the other end of a connection, and the options of its agent.

A JVM's stream contains neither its program nor its options; for processes of the same user the system has them. They
are hints for users and for warnings, and may be missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.runtime.live.address import Address
from parsers.runtime.live.process.java_process import MOST_WORDS, main_of

CONNECTIONS = "/proc/net/tcp"
"""The connections of IPv4, the only ones that agents of JDK 5 to 8 use. Source: proc(5)."""
AGENT = re.compile(r"-agentlib:hprof=(\S*)|-Xrunhprof:(\S*)")
BY_ENVIRONMENT = (b"JAVA_TOOL_OPTIONS=", b"_JAVA_OPTIONS=")
NAME = b"hprof"


@dataclass(frozen=True, slots=True)
class Peer:
    """Knowledge about a JVM from its process."""

    process: int = 0
    """Its process id; 0: unknown."""
    program: str = ""
    """Main class or jar; empty: unknown."""
    heap: str | None = None
    """The agent's option: sites, dump, all; empty: none of them; None: unknown."""
    dumps_at_exit: bool = True
    """True if the agent writes all its data again at the exit."""


def find_peer(theirs: Address, ours: Address, connections: str = CONNECTIONS) -> Peer:
    """The process at the other end, if it can be found."""
    try:
        with open(connections, encoding="ascii") as file:
            inode = _inode(file.read().splitlines()[1:], theirs, ours)
    except (OSError, ValueError):
        return Peer()
    return next((peer for peer in _candidates() if _has_socket(peer.process, inode)), Peer()) if inode else Peer()


def agent_options(text: str) -> dict[str, str]:
    """The options of the agent in the words of a `java` command line."""
    found = AGENT.search(text)
    if found is None:
        return {}
    words = (found[1] or found[2] or "").split(",")
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def peer_of(process: int, words: Sequence[str], environment: Sequence[str] = ()) -> Peer:
    """Knowledge about a JVM from its command line, and from the environment variables that add to it."""
    options = agent_options(" ".join([*environment, *words]))
    if not options:
        return Peer(process, main_of(list(words)))
    # Without any option the agent assumes heap=all. Source: `hprof_init.c` of JDK 8.
    others = "cpu" in options or options.get("monitor") == "y"
    heap = options.get("heap", "" if others else "all")
    return Peer(process, main_of(list(words)), heap, options.get("doe") != "n")


def _inode(lines: Sequence[str], theirs: Address, ours: Address) -> int:
    """The inode of the socket at the other end of a connection; 0: there is none."""
    wanted = [_written(theirs), _written(ours)]
    return next((int(each[9]) for each in map(str.split, lines) if each[1:3] == wanted), 0)


def _written(address: Address) -> str:
    """An address in the table's notation: bytes in native order, hexadecimal."""
    numbers = bytes(int(number) for number in address.host.split("."))
    return f"{int.from_bytes(numbers, 'little'):08X}:{address.port:04X}"


def _candidates() -> Iterator[Peer]:
    """The processes of this user that were started with the agent."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            words = _read(f"/proc/{name}/cmdline")
            environment = [word for word in _read(f"/proc/{name}/environ") if word.startswith(BY_ENVIRONMENT)]
        except OSError:
            continue
        if not any(NAME in word for word in (*words, *environment)):
            continue
        texts = [[word.decode("utf-8", "replace") for word in each] for each in (words, environment)]
        if agent_options(" ".join([*texts[1], *texts[0]])):
            yield peer_of(int(name), *texts)


def _read(path: str) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read(MOST_WORDS).split(b"\0")[:-1]


def _has_socket(process: int, inode: int) -> bool:
    try:
        with os.scandir(f"/proc/{process}/fd") as entries:
            return any(os.readlink(entry.path) == f"socket:[{inode}]" for entry in entries)
    except OSError:
        return False
