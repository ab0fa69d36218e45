"""Thread dumps of HotSpot as text, as `jstack` and `jcmd Thread.print` write them, and Flight Recorder stores.

A thread begins with a line `"name" #id …`, its stack with `java.lang.Thread.State`. Lines below frames name monitors:
`- locked <address> (a class)`, `- waiting to lock <…>`, `- waiting on <…>`, `- parking to wait for  <…>`. Owners of
locks of java.util.concurrent are known only from the list of deadlocks at the end of the text, or from
`Locked ownable synchronizers`. Seen: JDK 8, 17, 25.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.model.lookup import places_by
from parsers.profile.threads.wait_graph import WaitGraph

HEADER = re.compile(r'"(?P<name>.*)"(?: #(?P<id>\d+))?(?: \[\d+\])?(?: daemon)? (?P<facts>.*)')
STATE = re.compile(r"\s+java\.lang\.Thread\.State: (?P<state>[A-Z_]+)(?: \((?P<more>.*)\))?")
LOCK = re.compile(
    r"\s+- (?P<verb>locked|waiting to lock|waiting on|waiting to re-lock in wait\(\)|parking to wait for|eliminated)?"
    r" *<(?P<address>0x[0-9a-f]+)>(?: \(a (?P<holder>.*)\))?"
)
DEADLOCK = "Found one Java-level deadlock:"
WAITING = re.compile(
    r"\s+waiting (?:to lock monitor|for ownable synchronizer|to re-lock) .*?"
    r"(?:object )?(?P<address>0x[0-9a-f]+),? \(?a (?P<holder>[^)]*)\)?,"
)
HELD = re.compile(r'\s+which is held by "(?P<name>.*)"')
ENTERING = ("waiting to lock", "waiting to re-lock in wait()")
SYNCHRONIZERS = "Locked ownable synchronizers:"


@dataclass(frozen=True, slots=True)
class Lock:
    """A line about a monitor or lock."""

    verb: str
    """Empty: an owned lock of java.util.concurrent."""
    address: str
    holder: str
    """Its class."""


@dataclass(frozen=True)
class DumpedThread:
    """A thread in a dump."""

    name: str
    id: int | None
    """The id of Java; None for threads of the JVM."""
    state: str
    """`java.lang.Thread.State`; empty for threads of the JVM."""
    remark: str
    """The text in brackets after the state, such as "on object monitor"."""
    facts: str
    """The rest of the first line."""
    lines: tuple[str, ...]
    """The lines below, without blanks around them."""
    locks: tuple[Lock, ...]

    @property
    def blocker(self) -> Lock | None:
        """The monitor or lock that the thread waits to get."""
        return next((lock for lock in self.locks if lock.verb in (*ENTERING, "parking to wait for")), None)

    @property
    def owned(self) -> Iterator[Lock]:
        """The locks that the thread has: not those that it gave up to wait for a notification."""
        given_up = {lock.address for lock in self.locks if lock.verb in ("waiting on", *ENTERING)}
        return (lock for lock in self.locks if lock.verb in ("", "locked") and lock.address not in given_up)


class ThreadDump:
    """One dump. A thread is its index in `threads`; a wait is the number of its thread."""

    owns = "owns"

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        end = next((place for place, line in enumerate(lines) if line.startswith(DEADLOCK)), len(lines))
        self.threads: Sequence[DumpedThread] = tuple(_threads(lines[:end]))
        self._listed = tuple(_listed(lines[end:]))
        """Waits of listed deadlocks: names of thread and owner, the lock."""

    @cached_property
    def _blockers(self) -> dict[int, Lock]:
        found = {number: lock for number, each in enumerate(self.threads) if (lock := each.blocker) is not None}
        for name, _, lock in self._listed:
            for number in self._named(name):
                found.setdefault(number, lock)
        return found

    def _named(self, name: str) -> list[int]:
        return self._numbers.get(name, [])

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        return places_by(each.name for each in self.threads)

    @cached_property
    def graph(self) -> WaitGraph:
        """Threads that wait for owners of locks."""
        owners = {lock.address: number for number, each in enumerate(self.threads) for lock in each.owned}
        for _, owner, lock in self._listed:
            if lock.address not in owners and self._named(owner):
                owners[lock.address] = self._named(owner)[0]
        return WaitGraph((number, owners.get(lock.address), number) for number, lock in self._blockers.items())

    def thread_text(self, thread: int) -> str:
        """Returns the name of a thread."""
        return self.threads[thread].name

    def monitor_text(self, wait: int) -> str:
        """Returns class and address of the lock that a thread waits for."""
        lock = self._blockers[wait]
        return f"{lock.holder} <{lock.address}>" if lock.holder else f"<{lock.address}>"


def _threads(lines: Sequence[str]) -> Iterator[DumpedThread]:
    starts = [place for place, line in enumerate(lines) if line.startswith('"')]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=False):
        header = HEADER.fullmatch(lines[start] if lines[start][-1:] != '"' else f"{lines[start]} ")
        if header is None:
            continue
        below = lines[start + 1 : stop]
        # A thread ends at the first empty line, but for the list of its locks, which follows one.
        end = next((place for place, line in enumerate(below) if not line.strip()), len(below))
        if any(SYNCHRONIZERS in line for line in below[end : end + 2]):
            end = next((place for place in range(end + 1, len(below)) if not below[place].strip()), len(below))
        body = [line for line in below[:end] if line.strip()]
        state = STATE.fullmatch(body[0].rstrip()) if body else None
        locks = (LOCK.match(line) for line in body)
        yield DumpedThread(
            header["name"],
            None if header["id"] is None else int(header["id"]),
            "" if state is None else state["state"],
            "" if state is None else state["more"] or "",
            header["facts"].strip(),
            tuple(line.strip() for line in body),
            tuple(Lock(each["verb"] or "", each["address"], each["holder"] or "") for each in locks if each),
        )


def _listed(lines: Sequence[str]) -> Iterator[tuple[str, str, Lock]]:
    """Yields the waits in the list of deadlocks: names of thread and owner, and the lock."""
    name, lock = "", None
    for line in lines:
        if line.startswith('"') and line.rstrip().endswith('":'):
            name, lock = line.strip()[1:-2], None
        elif (waiting := WAITING.match(line)) is not None:
            lock = Lock("", waiting["address"], waiting["holder"])
        elif lock is not None and name and (held := HELD.match(line)) is not None:
            yield name, held["name"], lock
