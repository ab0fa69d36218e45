"""Which process of this machine is at the other end of a connection, and what its agent was started with.

Nothing that a JVM sends tells its program or its options; of those that run here as the same user the system does. All
of it is a help for people and for guards, and may be missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.runtime.live.address import Address
from parsers.runtime.live.process.java_process import MOST_WORDS, main_of

CONNECTIONS = "/proc/net/tcp"
"""The connections of IPv4, which agents of JDK 5 to 8 use only. Source: proc(5)."""
AGENT = re.compile(r"-agentlib:hprof=(\S*)|-Xrunhprof:(\S*)")
BY_ENVIRONMENT = (b"JAVA_TOOL_OPTIONS=", b"_JAVA_OPTIONS=")
NAME = b"hprof"


@dataclass(frozen=True, slots=True)
class Peer:
    """What is known of a JVM by its process."""

    process: int = 0
    """Its number; 0: not known."""
    program: str = ""
    """Main class or jar; empty: not known."""
    heap: str | None = None
    """The agent's option: sites, dump, all; empty: none of them; None: not known."""
    dumps_at_exit: bool = True
    """Whether the agent writes all it has once more at the exit."""


def find_peer(theirs: Address, ours: Address, connections: str = CONNECTIONS) -> Peer:
    """The process at the other end, if it is to be found."""
    try:
        with open(connections, encoding="ascii") as file:
            inode = _inode(file.read().splitlines()[1:], theirs, ours)
    except (OSError, ValueError):
        return Peer()
    return next((peer for peer in _candidates() if _has_socket(peer.process, inode)), Peer()) if inode else Peer()


def agent_options(text: str) -> dict[str, str]:
    """The options of the agent in a text of words as `java` takes them."""
    found = AGENT.search(text)
    if found is None:
        return {}
    words = (found[1] or found[2] or "").split(",")
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def peer_of(process: int, words: Sequence[str], environment: Sequence[str] = ()) -> Peer:
    """What a command line, and the variables that add to it, tell of a JVM."""
    options = agent_options(" ".join([*environment, *words]))
    if not options:
        return Peer(process, main_of(list(words)))
    # Without any option the agent does as with heap=all. Source: `hprof_init.c` of JDK 8.
    others = "cpu" in options or options.get("monitor") == "y"
    heap = options.get("heap", "" if others else "all")
    return Peer(process, main_of(list(words)), heap, options.get("doe") != "n")


def _inode(lines: Sequence[str], theirs: Address, ours: Address) -> int:
    """The number of the socket of a connection as the other end has it; 0: there is none."""
    wanted = [_written(theirs), _written(ours)]
    return next((int(each[9]) for each in map(str.split, lines) if each[1:3] == wanted), 0)


def _written(address: Address) -> str:
    """An address as the table has it: bytes of the machine's order, hexadecimal."""
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
