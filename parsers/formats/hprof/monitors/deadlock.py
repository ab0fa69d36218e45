"""The wait-for relation of a monitor dump.

Source: format page of HPROF text, section 5.7.

The agent of JDK 8 loses waiting threads: in each of the three recorded dumps with contention one thread has the status
MW and is in no list. It waits for a monitor that another thread owns, so for one of those that are printed. In
all three that monitor was printed again, as the agent took the thread for its owner. `concluded` draws that conclusion
if only one monitor is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.profile.threads.wait_graph import WaitGraph


@dataclass(frozen=True, slots=True)
class MonitorBlock:
    """A monitor of a dump. Blocks that are equal in all but their offset are one: the agent prints some again."""

    name: bytes
    owner: int | None
    """Id of a thread; None for a monitor without an owner."""
    entries: int
    entering: tuple[int, ...]
    notified: tuple[int, ...]
    flags: int = 0


def concluded(blocks: Sequence[MonitorBlock], repeats: Sequence[int], waiting: Iterable[int]) -> dict[int, int]:
    """Returns the block that each unlisted thread must be waiting to enter.

    repeats  by block: how often it was printed again
    waiting  threads that wait to enter a monitor, by their status
    """
    listed = {thread for block in blocks for thread in block.entering}
    found = {}
    for thread in waiting:
        if thread in listed:
            continue
        others = [number for number, block in enumerate(blocks) if block.owner not in (None, thread)]
        if len(others) > 1:
            others = [number for number in others if repeats[number]]
        if len(others) == 1:
            found[thread] = others[0]
    return found


def wait_graph(blocks: Sequence[MonitorBlock], lost: Mapping[int, int] | None = None) -> WaitGraph:
    """Returns the waits of a dump, by the numbers of blocks. `lost` is of `concluded`."""
    listed = ((thread, block.owner, number) for number, block in enumerate(blocks) for thread in block.entering)
    return WaitGraph([*listed, *((thread, blocks[number].owner, number) for thread, number in (lost or {}).items())])
