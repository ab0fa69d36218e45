"""Waits of a recording: each WAIT with the WAITED that ends it, by monitor and thread.

A thread has one wait at a time, so its next line ends the wait. Monitors are named by their class alone. The
agent of JDK 1.2 to 1.4 prints sleeping as a wait without a monitor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import SLEEP, WAIT, WAITED
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.model.arrays import I64Array, U32Array

NO_END = -1
"""Used instead of milliseconds: the wait had not ended, or its end is not in the file."""


@dataclass(frozen=True, slots=True)
class MonitorWaits:
    """Arrays of equal length, ordered by monitor, thread and file; and groups of them."""

    row: U32Array
    """uint32[n]: the line with the most data, WAITED if there is one."""
    start: U32Array
    """uint32[n]: the WAIT line; NONE if it isn't in the file."""
    millis: I64Array
    """int64[n]: duration of the wait; NO_END."""
    timeout: I64Array
    """int64[n]: requested timeout; 0: unlimited, NO_END if its start isn't in the file."""
    first: I64Array
    """int64[groups + 1]: where the waits of each thread for each monitor begin."""
    monitor: U32Array
    """uint32[groups]: a word; NONE for sleeps."""
    thread: U32Array
    """uint32[groups]"""
    sums: I64Array
    """int64[groups]: milliseconds."""

    def __len__(self) -> int:
        return len(self.row)


def pair_waits(recording: ProfileRecording) -> MonitorWaits:
    """Returns all waits. Lines that are cut belong to no thread and are not paired."""
    kinds, threads, monitors, millis = (
        np.asarray(recording.column(f"wait_{name}")) for name in ("kind", "thread", "monitor", "millis")
    )
    rows = np.flatnonzero((kinds == WAIT) | (kinds == WAITED) | (kinds == SLEEP))
    rows = rows[np.argsort(threads[rows], kind="stable")]
    following = np.append(rows[1:], 0) if len(rows) else rows
    is_pair = (
        (kinds[rows] == WAIT)
        & (kinds[following] == WAITED)
        & (threads[rows] == threads[following])
        & (monitors[rows] == monitors[following])
        & (threads[rows] != NONE)
    )
    if len(is_pair):
        is_pair[-1] = False
    is_end_of_pair = np.append(False, is_pair[:-1]) if len(is_pair) else is_pair
    starts, ends, is_paired = rows[~is_end_of_pair], following[~is_end_of_pair], is_pair[~is_end_of_pair]
    ordered_rows = np.where(is_paired, ends, starts)
    has_start, has_end = kinds[starts] != WAITED, is_paired | (kinds[starts] != WAIT)
    order = np.lexsort((ordered_rows, threads[ordered_rows], monitors[ordered_rows]))
    ordered_rows, starts, has_start, has_end = ordered_rows[order], starts[order], has_start[order], has_end[order]
    changes = np.flatnonzero((np.diff(monitors[ordered_rows]) != 0) | (np.diff(threads[ordered_rows]) != 0)) + 1
    firsts = np.concatenate(([0], changes)) if len(ordered_rows) else np.empty(0, np.int64)
    waited = np.where(has_end, millis[ordered_rows], NO_END)
    return MonitorWaits(
        row=ordered_rows.astype(np.uint32),
        start=np.where(has_start, starts, NONE).astype(np.uint32),
        millis=waited,
        timeout=np.where(has_start, millis[starts], NO_END),
        first=np.append(firsts, len(ordered_rows)).astype(np.int64),
        monitor=monitors[ordered_rows][firsts],
        thread=threads[ordered_rows][firsts],
        sums=np.add.reduceat(np.maximum(waited, 0), firsts) if len(ordered_rows) else np.empty(0, np.int64),
    )
