"""Which methods were compiled, how often, and all that happened to the code of each. Made at the end of an index.

`method_*`: classes, their methods, the compilations of each; by name, compilations in the order of time. `story_*`:
methods that were compiled most often first; below each its tasks and events in the order of time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parsers.hotspot.columns import (
    DEOPTIMIZED,
    IS_NATIVE,
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
    "class_first": "u4",  # by class and one more: its first method
    "class_method": "u4",
    "class_method_first": "u4",  # by method of a class and one more: its first compilation
    "class_task": "u4",
    "story_method": "u4",
    "story_first": "u4",  # by method and one more: what happened first
    "story_item": "u4",  # twice the number of an event, or twice that of a task and one
}
"""What an index keeps, with types."""

SHOWN = (TASK_QUEUED, NMETHOD, UNCOMMON_TRAP, DEOPTIMIZED, MAKE_NOT_ENTRANT, MAKE_UNLOADED, MAKE_NOT_COMPILABLE)
"""Events of stories."""


def build_methods(columns: Mapping[str, Any], methods: Sequence[bytes], holder_bytes: Any) -> dict[str, Any]:
    """The arrays of classes. methods: texts by number; holder_bytes: how long the class in each is, -1: all of it"""

    def class_of(number: int) -> bytes:
        length = int(holder_bytes[number])
        return methods[number] if length < 0 else methods[number][:length]

    compiled = columns["task_method"]
    numbers = np.unique(compiled[compiled != NONE]).tolist()
    by_class = {number: class_of(number) for number in numbers}
    numbers.sort(key=lambda number: (by_class[number], methods[number]))
    rank = np.full(len(methods) + 1, NONE, np.uint32)
    rank[numbers] = np.arange(len(numbers), dtype=np.uint32)
    ranks = rank[np.minimum(compiled, len(methods))]
    order = np.lexsort((columns["task_begun"], ranks))
    order = order[: int(np.count_nonzero(ranks != NONE))]
    classes = [by_class[number] for number in numbers]
    first = [place for place in range(len(classes)) if not place or classes[place] != classes[place - 1]]
    return {
        "class_first": np.array([*first, len(numbers)], np.uint32),
        "class_method": np.array(numbers, np.uint32),
        "class_method_first": np.searchsorted(ranks[order], np.arange(len(numbers) + 1)).astype(np.uint32),
        "class_task": order.astype(np.uint32),
    }


def build_stories(columns: Mapping[str, Any], methods: int) -> dict[str, Any]:
    """The arrays of stories. methods: how many there are"""
    kinds = columns["event_kind"]
    is_shown = np.isin(kinds, SHOWN) & (columns["event_flags"] & (IS_ZOMBIE | IS_NATIVE) == 0)
    events = np.flatnonzero(is_shown).astype(np.uint32)
    task = columns["event_task"][events]
    task_method = np.append(columns["task_method"], np.uint32(NONE))
    method = np.where(
        task != NONE, task_method[np.minimum(task, len(task_method) - 1)], columns["event_method"][events]
    )
    tasks = np.arange(len(columns["task_method"]), dtype=np.uint32)
    items = np.concatenate((events * 2, tasks * 2 + 1))
    methods_of = np.concatenate((method, columns["task_method"]))
    times = np.concatenate((columns["event_stamp"][events], columns["task_begun"]))
    queued = columns["task_queued"].astype(np.int64)
    # A task comes behind the event that queued it, where their times are the same.
    places = np.concatenate((events.astype(np.int64) * 2, np.where(queued != NONE, queued * 2 + 1, 0)))
    counts = np.bincount(columns["task_method"][columns["task_method"] != NONE], minlength=methods)
    compiled = np.flatnonzero(counts)
    ranked = compiled[np.lexsort((compiled, -counts[compiled]))]
    rank = np.full(methods + 1, NONE, np.uint32)
    rank[ranked] = np.arange(len(ranked), dtype=np.uint32)
    ranks = rank[np.minimum(methods_of, methods)]
    known = ranks != NONE
    items, ranks, times, places = items[known], ranks[known], times[known], places[known]
    order = np.lexsort((items, places, pair(ranks, times)))
    return {
        "story_method": ranked.astype(np.uint32),
        "story_first": np.searchsorted(ranks[order], np.arange(len(ranked) + 1)).astype(np.uint32),
        "story_item": items[order],
    }
