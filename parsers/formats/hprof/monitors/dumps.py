"""Monitor dumps of a recording: their threads, their monitors without repeated ones, their deadlocks.

A deadlock is a cycle of threads, each waiting to enter a monitor that the next one owns.

The agent of JDK 8 loses waiting threads: in each of the three recorded dumps with contention one thread has the status
MW and is in no list. It waits for a monitor that another thread owns, so for one of those that are printed. In
all three that monitor was printed again, as the agent took the thread for its owner. `concluded` draws that conclusion
if only one monitor is possible.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import IS_UNOWNED, MONITOR_DUMP
from parsers.formats.hprof.monitors.kinds import monitor_label
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.none import NONE
from parsers.profile.threads.wait_graph import WaitGraph

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording

STATES = {
    "ZO": "ended",
    "NS": "not started",
    "SL": "sleeping",
    "MW": "waiting to enter a monitor",
    "CW": "waiting to be notified, for a thread's end, or parked",
    "R": "runnable",
    "UN": "of unknown state",
}
"""Meanings of the last part of a status; the display order is that of `SHOWN_FIRST`."""
MARKS = {"S": "suspended", "intr": "interrupted", "native": "in native code"}
"""Meanings of the parts before it, each with a `|`."""
SHOWN_FIRST = ("MW", "CW", "SL", "R", "NS", "UN", "ZO")


def status_words(status: str) -> tuple[str, str]:
    """Returns the state of a status such as `S|native|CW`, and its description."""
    *marks, state = status.split("|")
    words = [STATES.get(state, state), *(MARKS.get(mark, mark) for mark in marks)]
    return state, ", ".join(words)


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


@dataclass(frozen=True)
class MonitorDump:
    """One monitor dump."""

    number: int
    offset: int
    snapshot: int
    threads: range
    """Rows of DUMPED."""
    blocks: tuple[MonitorBlock, ...]
    offsets: tuple[int, ...]
    """Offset at which each block is printed first."""
    repeats: tuple[int, ...]
    """Number of repetitions of each block."""
    lost: Mapping[int, int]
    """Threads that wait to enter a monitor but are in no list, and the block that this must be."""
    thread_text: Callable[[int], str]
    """Name of a thread."""
    owns: str = "owns"

    @cached_property
    def graph(self) -> WaitGraph:
        """Threads that wait for owners, by the numbers of blocks."""
        return wait_graph(self.blocks, self.lost)

    def monitor_text(self, wait: int) -> str:
        """Returns the name of the monitor of a block."""
        return monitor_label(self.blocks[wait].name)


class MonitorDumps(LazySequence[MonitorDump]):
    """All monitor dumps, in file order. Each is made when it is asked for."""

    def __init__(self, recording: ProfileRecording, thread_text: Callable[[int], str]) -> None:
        """thread_text: name of a thread"""
        self._recording, self._thread_text = recording, thread_text
        self._sections = recording.sections(MONITOR_DUMP)
        self._dump_of = lru_cache(None)(self._dump)

    def __len__(self) -> int:
        return len(self._sections)

    def item(self, index: int) -> MonitorDump:
        """Returns one dump."""
        return self._dump_of(index)

    @cached_property
    def with_waits(self) -> list[int]:
        """Numbers of the dumps with a thread that waits to enter a monitor, by a list or by its status."""
        rows, of = self._recording.rows_of(self._sections)
        listed = of[np.asarray(self._recording.column("monitor_entering"))[rows] > 0]
        rows, of = self._recording.rows_of(self._sections, "more", "more_rows")
        statuses = np.asarray(self._recording.column("dumped_status"))[rows]
        waiting = [word for word in np.unique(statuses).tolist() if self._state(word) == "MW"]
        found: list[int] = np.union1d(listed, of[np.isin(statuses, waiting)]).tolist()
        return found

    def _state(self, word: int) -> str:
        return state_of_status(self._recording.word(word))

    def _dump(self, number: int) -> MonitorDump:
        recording, section = self._recording, self._sections[number]
        column = recording.column
        blocks: dict[MonitorBlock, list[int]] = {}
        for row in recording.section_range(section):
            blocks.setdefault(_block(recording, row), []).append(column("monitor_offset")[row])
        first = column("section_more")[section]
        threads = range(first, first + column("section_more_rows")[section])
        repeats = tuple(len(offsets) - 1 for offsets in blocks.values())
        waiting = [column("dumped_thread")[row] for row in threads if state_of(recording, row) == "MW"]
        return MonitorDump(
            number=number,
            offset=column("section_offset")[section],
            snapshot=column("section_snapshot")[section],
            threads=threads,
            blocks=tuple(blocks),
            offsets=tuple(offsets[0] for offsets in blocks.values()),
            repeats=repeats,
            lost=concluded(tuple(blocks), repeats, waiting),
            thread_text=self._thread_text,
        )


def _block(recording: ProfileRecording, row: int) -> MonitorBlock:
    column = recording.column
    first, owner, flags = column("monitor_first")[row], column("monitor_owner")[row], column("monitor_flags")[row]
    middle = first + column("monitor_entering")[row]
    end = middle + column("monitor_notified")[row]
    waiters = column("waiter")
    return MonitorBlock(
        name=recording.word(column("monitor_name")[row]),
        owner=None if owner == NONE or flags & IS_UNOWNED else owner,
        entries=column("monitor_entries")[row],
        entering=tuple(waiters[first:middle]),
        notified=tuple(waiters[middle:end]),
        flags=flags,
    )


def state_of(recording: ProfileRecording, row: int) -> str:
    """Returns the state of a row of DUMPED: the last part of its status."""
    return state_of_status(recording.word(recording.column("dumped_status")[row]))


def state_of_status(status: bytes) -> str:
    """Returns the last part of a status."""
    return status.rpartition(b"|")[2].decode("utf-8", "replace")


def by_state(recording: ProfileRecording, dump: MonitorDump) -> list[tuple[str, array[int]]]:
    """Returns the rows of a dump's threads by their state, waiting threads first."""
    found: dict[str, array[int]] = {}
    for row in dump.threads:
        found.setdefault(state_of(recording, row), array("I")).append(row)
    order = {state: place for place, state in enumerate(SHOWN_FIRST)}
    return sorted(found.items(), key=lambda each: order.get(each[0], len(order)))
