"""Rings among threads that wait for each other, of whatever format.

A thread that waits to enter a monitor waits for its owner. A ring of such waits is a deadlock; a thread outside of it
that leads into it is its victim. A chain that ends in a thread that waits for nobody is only long.
"""

from __future__ import annotations

from collections.abc import Mapping

from parsers.value import value_class


@value_class
class Ring:
    """A deadlock."""

    threads: tuple[int, ...]
    """Each waits for the next one, the last one for the first."""
    blocks: tuple[int, ...]
    """What each of them waits in, by number."""
    victims: tuple[int, ...]


def rings(waits: Mapping[int, tuple[int, int]]) -> list[Ring]:
    """All deadlocks, each beginning with its smallest thread, in the order of those.

    waits  by waiting thread: the thread that it waits for, and the number of what it waits in
    """
    ring_of: dict[int, tuple[int, ...] | None] = {}
    """By thread: the ring it is in or leads into; None for neither."""
    found: list[tuple[int, ...]] = []
    for start in waits:
        way: dict[int, int] = {}
        at = start
        while at in waits and at not in ring_of and at not in way:
            way[at] = len(way)
            at = waits[at][0]
        ring: tuple[int, ...] | None
        if at in way:
            ring = tuple(way)[way[at] :]
            found.append(ring)
        else:
            ring = ring_of.get(at)
        ring_of.update(dict.fromkeys(way, ring))
    return sorted((_ring(each, waits, ring_of) for each in found), key=lambda ring: ring.threads)


def _ring(
    threads: tuple[int, ...],
    waits: Mapping[int, tuple[int, int]],
    ring_of: Mapping[int, tuple[int, ...] | None],
) -> Ring:
    first = threads.index(min(threads))
    ordered = threads[first:] + threads[:first]
    members = frozenset(threads)
    victims = tuple(thread for thread, ring in ring_of.items() if ring == threads and thread not in members)
    return Ring(ordered, tuple(waits[thread][1] for thread in ordered), tuple(sorted(victims)))
