"""Deadlocks among threads that wait for each other, for any format.

A thread that waits to enter a monitor waits for its owner. A cycle of such waits is a deadlock; a thread outside that
leads into it is its victim. A chain that ends in a thread that doesn't wait is no deadlock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parsers.model.value import value_class

NO_RING = -1


@value_class
class Ring:
    """A deadlock."""

    threads: tuple[int, ...]
    """Each thread waits for the next one, the last one for the first."""
    blocks: tuple[int, ...]
    """By thread: the number of the monitor block in which it waits."""
    victims: tuple[int, ...]


def rings(waits: Mapping[int, tuple[int, int]]) -> list[Ring]:
    """Returns all deadlocks, each beginning with its smallest thread, in the order of those.

    waits  by waiting thread: the thread that it waits for, and the number of the monitor block
    """
    ring_of: dict[int, int] = {}
    """By thread: the number of the cycle it is in or leads into; NO_RING for neither."""
    found: list[tuple[int, ...]] = []
    for start in waits:
        chain: dict[int, int] = {}
        at = start
        while at in waits and at not in ring_of and at not in chain:
            chain[at] = len(chain)
            at = waits[at][0]
        ring = ring_of.get(at, NO_RING)
        if at in chain:
            ring = len(found)
            found.append(tuple(chain)[chain[at] :])
        ring_of.update(dict.fromkeys(chain, ring))
    victims: list[list[int]] = [[] for _ in found]
    members = {thread for ring in found for thread in ring}
    for thread, ring in ring_of.items():
        if ring != NO_RING and thread not in members:
            victims[ring].append(thread)
    made = (_ring(threads, waits, those) for threads, those in zip(found, victims, strict=True))
    return sorted(made, key=lambda ring: ring.threads)


def _ring(threads: tuple[int, ...], waits: Mapping[int, tuple[int, int]], victims: Sequence[int]) -> Ring:
    first = threads.index(min(threads))
    ordered = threads[first:] + threads[:first]
    return Ring(ordered, tuple(waits[thread][1] for thread in ordered), tuple(sorted(victims)))
