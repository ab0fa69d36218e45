"""The methods that were compiled, how often, and the history of the code of each. Made at the end of an index.

`class_*`: classes by name, their methods, the compilations of each in order of time. Native wrappers are included, and
methods that were only queued: these have events instead of compilations. `story_*`: methods that were compiled most
often first; below each its tasks and events in order of time. If several JVMs wrote the log each has its own, one JVM's
behind those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.log.columns import IS_ZOMBIE, EventKind
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

ARRAYS = {
    "class_run": "u1",  # by class
    "class_first": "u4",  # by class and one more: its first method
    "class_method": "u4",
    "class_method_first": "u4",  # by method of a class and one more: its first compilation
    "class_item": "u4",  # twice the number of an event, or twice that of a task and one
    "story_run": "u1",  # by method
    "story_method": "u4",
    "story_first": "u4",  # by method and one more: its first event or task
    "story_item": "u4",
}
"""Stored arrays, with dtypes."""

SHOWN = (
    *(EventKind.TASK_QUEUED, EventKind.NMETHOD, EventKind.UNCOMMON_TRAP, EventKind.DEOPTIMIZED),
    *(EventKind.MAKE_NOT_ENTRANT, EventKind.MAKE_UNLOADED, EventKind.MAKE_NOT_COMPILABLE),
)
"""Events of stories."""


class Items:
    """Events and all tasks: their methods with runs, and times. Those of unknown methods are omitted."""

    def __init__(self, columns: Mapping[str, AnyArray], events: I64Array, methods: int) -> None:
        """methods: number of methods"""
        tasks = np.arange(len(columns["task_method"]), dtype=np.uint32)
        task_of_event = columns["event_task"][events]
        task_method = np.append(columns["task_method"], np.uint32(NONE))
        own = columns["event_method"][events]
        method_of_event = np.where(
            task_of_event != NONE, task_method[np.minimum(task_of_event, len(task_method) - 1)], own
        )
        numbers = np.concatenate((events.astype(np.uint32) * 2, tasks * 2 + 1))
        method = np.concatenate((method_of_event, columns["task_method"]))
        known = method < methods
        runs = np.concatenate((columns["event_run"][events], columns["task_run"]))
        self.methods = methods
        self.numbers = numbers[known]
        self.keys = runs[known].astype(np.uint32) * np.uint32(methods) + method[known]
        """Run and method in one number."""
        times = np.concatenate((columns["event_stamp"][events], columns["task_begun"]))[known]
        queued = columns["task_queued"]
        # A task is ordered after the event that queued it if their times are the same.
        behind = np.where(queued != NONE, queued * np.uint32(2) + np.uint32(1), np.uint32(0))
        places = np.concatenate((events.astype(np.uint32) * 2, behind))[known]
        self._by_time = np.lexsort((self.numbers, places, times))

    def found(self) -> I64Array:
        """Returns all keys, ascending."""
        return np.flatnonzero(np.bincount(self.keys))

    def ordered(self, keys: I64Array) -> tuple[U32Array, U32Array]:
        """Returns all numbers by the index of their key in `keys`, then by time; and the range of each key."""
        rank = np.zeros(int(keys.max(initial=0)) + 1, np.uint32)
        rank[keys] = np.arange(len(keys), dtype=np.uint32)
        ranks = rank[self.keys]
        order = self._by_time
        # Sorting by 16 bits is a radix sort.
        for half in (ranks, ranks >> np.uint32(16)) if len(keys) > 0xFFFF else (ranks,):
            order = order[np.argsort(half.astype(np.uint16)[order], kind="stable")]
        counts = np.bincount(ranks, minlength=len(keys))
        return self.numbers[order], np.append(0, np.cumsum(counts)).astype(np.uint32)


def build_methods(
    columns: Mapping[str, AnyArray], methods: Sequence[bytes], holder_bytes: AnyArray,
) -> dict[str, AnyArray]:  # fmt: skip
    """Returns the arrays of classes. methods: texts by number; holder_bytes: length of the class in each, -1: all"""
    # Native wrappers and methods that were only queued have no task; no method has one if all tasks are missing.
    kinds = columns["event_kind"]
    is_alone = ((kinds == EventKind.NMETHOD) | (kinds == EventKind.TASK_QUEUED)) & (columns["event_task"] == NONE)
    items = Items(columns, np.flatnonzero(is_alone), len(methods))
    keys = items.found()
    runs, numbers = (each.tolist() for each in np.divmod(keys, max(len(methods), 1)))
    lengths = holder_bytes.tolist()
    texts = [methods[number] for number in numbers]
    classes = [
        text if (end := lengths[number]) < 0 else text[:end] for number, text in zip(numbers, texts, strict=True)
    ]
    # Mostly the texts alone are in this order, and comparing these is faster.
    ranked = sorted(range(len(keys)), key=texts.__getitem__)
    ranked.sort(key=classes.__getitem__)
    ranked.sort(key=runs.__getitem__)
    by_class = [(runs[place], classes[place]) for place in ranked]
    first = [place for place in range(len(ranked)) if not place or by_class[place] != by_class[place - 1]]
    numbers_of_items, firsts = items.ordered(keys[ranked])
    return {
        "class_run": np.array([by_class[place][0] for place in first], np.uint8),
        "class_first": np.array([*first, len(ranked)], np.uint32),
        "class_method": np.array([numbers[place] for place in ranked], np.uint32),
        "class_method_first": firsts,
        "class_item": numbers_of_items,
    }


def build_stories(columns: Mapping[str, AnyArray], methods: int) -> dict[str, AnyArray]:
    """Returns the arrays of stories. methods: number of methods"""
    is_shown = np.isin(columns["event_kind"], SHOWN) & (columns["event_flags"] & IS_ZOMBIE == 0)
    items = Items(columns, np.flatnonzero(is_shown), methods)
    keys = items.found()
    compiled = np.bincount(items.keys, items.numbers & 1)[keys]
    happened = np.bincount(items.keys)[keys] * (compiled == 0)
    runs, numbers = np.divmod(keys, max(methods, 1))
    ranked = np.lexsort((numbers, -happened, -compiled, runs))
    numbers_of_items, firsts = items.ordered(keys[ranked])
    return {
        "story_run": runs[ranked].astype(np.uint8),
        "story_method": numbers[ranked].astype(np.uint32),
        "story_first": firsts,
        "story_item": numbers_of_items,
    }
