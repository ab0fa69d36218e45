"""Threads that wait for each other at one moment, and their deadlocks, for any format.

A thread that waits to enter a monitor waits for its owner. Waiting to be notified is no such wait, as no owner blocks
it. A cycle of waits is a deadlock; a thread outside that leads into it is its victim. A chain that ends in a thread
that doesn't wait is no deadlock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

from parsers.model.value import value_class

NO_RING = -1


class WaitNames(Protocol):
    """Texts of a format for the threads and waits of a graph."""

    @property
    def owns(self) -> str:
        """The verb between owner and monitor, such as "owns"."""
        ...

    def thread_text(self, thread: int) -> str:
        """Returns the name of a thread."""
        ...

    def monitor_text(self, wait: int) -> str:
        """Returns the name of the monitor of a wait."""
        ...


@value_class
class Ring:
    """A deadlock."""

    threads: tuple[int, ...]
    """Each thread waits for the next one, the last one for the first."""
    waits: tuple[int, ...]
    """By thread: the number of its wait."""
    victims: tuple[int, ...]


class WaitGraph:
    """The waits of threads for monitors at one moment."""

    def __init__(self, waits: Iterable[tuple[int, int | None, int]]) -> None:
        """waits: thread, owner of the monitor (None: unknown or none), and a number by which the format knows the wait

        A thread enters one monitor at a time, so its first wait counts. Its own monitor doesn't block it.
        """
        self.waits: dict[int, tuple[int, int]] = {}
        """By waiting thread: the owner that it waits for, and the number of the wait."""
        for thread, owner, number in waits:
            if owner is not None and owner != thread:
                self.waits.setdefault(thread, (owner, number))

    @cached_property
    def rings(self) -> list[Ring]:
        """All deadlocks, each beginning with its smallest thread, in the order of those."""
        number_of: dict[int, int] = {}
        """By thread: the number of the cycle it is in or leads into; NO_RING for neither."""
        found: list[tuple[int, ...]] = []
        for start in self.waits:
            chain: dict[int, int] = {}
            at = start
            while at in self.waits and at not in number_of and at not in chain:
                chain[at] = len(chain)
                at = self.waits[at][0]
            ring = number_of.get(at, NO_RING)
            if at in chain:
                ring = len(found)
                found.append(tuple(chain)[chain[at] :])
            number_of.update(dict.fromkeys(chain, ring))
        victims: list[list[int]] = [[] for _ in found]
        members = {thread for ring in found for thread in ring}
        for thread, ring in number_of.items():
            if ring != NO_RING and thread not in members:
                victims[ring].append(thread)
        made = (self._ring(threads, those) for threads, those in zip(found, victims, strict=True))
        return sorted(made, key=lambda ring: ring.threads)

    def _ring(self, threads: tuple[int, ...], victims: Sequence[int]) -> Ring:
        first = threads.index(min(threads))
        ordered = threads[first:] + threads[:first]
        return Ring(ordered, tuple(self.waits[thread][1] for thread in ordered), tuple(sorted(victims)))

    @cached_property
    def ring_of(self) -> dict[int, Ring]:
        """The deadlock of each thread that is in one or waits behind one."""
        return {thread: ring for ring in self.rings for thread in (*ring.threads, *ring.victims)}

    @cached_property
    def deadlocked(self) -> frozenset[int]:
        """The threads in deadlocks, without victims."""
        return frozenset(thread for ring in self.rings for thread in ring.threads)

    def wait_text(self, names: WaitNames, thread: int) -> str:
        """Returns the monitor that a waiting thread waits for, and its owner."""
        owner, wait = self.waits[thread]
        return monitor_with_owner(names, wait, owner)


def monitor_with_owner(names: WaitNames, wait: int, owner: int) -> str:
    """Returns the monitor of a wait, and its owner."""
    return f"{names.monitor_text(wait)}, which {names.thread_text(owner)} {names.owns}"
