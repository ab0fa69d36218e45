"""Which methods were compiled, how often, and all that happened to the code of each. Made at the end of an index.

`class_*`: classes, their methods, what was compiled of each; by name, compilations in the order of time. Native
wrappers are there, and methods that only were queued: of these there are events in place of compilations. `story_*`:
methods that were compiled most often first; below each its tasks and events in the order of time. Where several JVMs
wrote the log each has its own, one JVM's behind those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parsers.hotspot.columns import (
    DEOPTIMIZED,
    IS_ZOMBIE,
    MAKE_NOT_COMPILABLE,
    MAKE_NOT_ENTRANT,
    MAKE_UNLOADED,
    NMETHOD,
    NONE,
    TASK_QUEUED,
    UNCOMMON_TRAP,
)
from parsers.hotspot.statistics import pair

ARRAYS = {
    "class_run": "u1",  # by class
    "class_first": "u4",  # by class and one more: its first method
    "class_method": "u4",
    "class_method_first": "u4",  # by method of a class and one more: its first compilation
    "class_item": "u4",  # twice the number of an event, or twice that of a task and one
    "story_run": "u1",  # by method
    "story_method": "u4",
    "story_first": "u4",  # by method and one more: what happened first
    "story_item": "u4",
}
"""What an index keeps, with types."""

SHOWN = (TASK_QUEUED, NMETHOD, UNCOMMON_TRAP, DEOPTIMIZED, MAKE_NOT_ENTRANT, MAKE_UNLOADED, MAKE_NOT_COMPILABLE)
"""Events of stories."""


class Items:
    """Events and all tasks: of each its method, its run and its time; those of no known method are left out."""

    def __init__(self, columns: Mapping[str, Any], events: Any) -> None:
        tasks = np.arange(len(columns["task_method"]), dtype=np.uint32)
        task_of_event = columns["event_task"][events]
        task_method = np.append(columns["task_method"], np.uint32(NONE))
        own = columns["event_method"][events]
        method_of_event = np.where(
            task_of_event != NONE, task_method[np.minimum(task_of_event, len(task_method) - 1)], own
        )
        numbers = np.concatenate((events.astype(np.uint32) * 2, tasks * 2 + 1))
        methods = np.concatenate((method_of_event, columns["task_method"]))
        known = methods != NONE
        self.numbers = numbers[known]
        self.methods = methods[known]
        self.runs = np.concatenate((columns["event_run"][events], columns["task_run"]))[known]
        self.times = np.concatenate((columns["event_stamp"][events], columns["task_begun"]))[known]
        queued = columns["task_queued"]
        # A task comes behind the event that queued it, where their times are the same.
        behind = np.where(queued != NONE, queued * np.uint32(2) + np.uint32(1), np.uint32(0))
        places = np.concatenate((events.astype(np.uint32) * 2, behind))
        self._places = places[known]

    def ordered(self, rank: Any) -> Any:
        """The order by a rank of each, then by time."""
        return np.lexsort((self.numbers, self._places, pair(rank, self.times)))


def build_methods(columns: Mapping[str, Any], methods: Sequence[bytes], holder_bytes: Any) -> dict[str, Any]:
    """The arrays of classes. methods: texts by number; holder_bytes: how long the class in each is, -1: all of it"""

    def class_of(number: int) -> bytes:
        length = int(holder_bytes[number])
        return methods[number] if length < 0 else methods[number][:length]

    # Native wrappers have code and no task, what only was queued has no task; so has all where the tasks are missing.
    kinds = columns["event_kind"]
    is_alone = ((kinds == NMETHOD) | (kinds == TASK_QUEUED)) & (columns["event_task"] == NONE)
    items = Items(columns, np.flatnonzero(is_alone))
    keys, key_of = np.unique(pair(items.runs, items.methods), return_inverse=True)
    runs, numbers = (keys >> np.uint64(32)).tolist(), (keys & np.uint64(NONE)).tolist()
    by_class = [(run, class_of(number)) for run, number in zip(runs, numbers, strict=True)]
    ranked = sorted(range(len(keys)), key=lambda key: (by_class[key], methods[numbers[key]]))
    rank = np.empty(len(keys), np.uint32)
    rank[ranked] = np.arange(len(ranked), dtype=np.uint32)
    ranks = rank[key_of]
    order = items.ordered(ranks)
    classes = [by_class[key] for key in ranked]
    first = [place for place in range(len(classes)) if not place or classes[place] != classes[place - 1]]
    return {
        "class_run": np.array([classes[place][0] for place in first], np.uint8),
        "class_first": np.array([*first, len(classes)], np.uint32),
        "class_method": np.array([numbers[key] for key in ranked], np.uint32),
        "class_method_first": np.searchsorted(ranks[order], np.arange(len(classes) + 1)).astype(np.uint32),
        "class_item": items.numbers[order],
    }


def build_stories(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of stories."""
    is_shown = np.isin(columns["event_kind"], SHOWN) & (columns["event_flags"] & IS_ZOMBIE == 0)
    items = Items(columns, np.flatnonzero(is_shown))
    keys, key_of = np.unique(pair(items.runs, items.methods), return_inverse=True)
    compiled = np.bincount(key_of, items.numbers & 1, len(keys))
    happened = np.bincount(key_of, minlength=len(keys))
    ranked = np.lexsort((np.arange(len(keys)), -happened * (compiled == 0), -compiled, keys >> np.uint64(32)))
    rank = np.empty(len(keys), np.uint32)
    rank[ranked] = np.arange(len(keys), dtype=np.uint32)
    ranks = rank[key_of]
    order = items.ordered(ranks)
    return {
        "story_run": (keys[ranked] >> np.uint64(32)).astype(np.uint8),
        "story_method": (keys[ranked] & np.uint64(NONE)).astype(np.uint32),
        "story_first": np.searchsorted(ranks[order], np.arange(len(keys) + 1)).astype(np.uint32),
        "story_item": items.numbers[order],
    }
