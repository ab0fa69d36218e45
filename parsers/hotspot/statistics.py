"""What is known of the insides of all tasks: merged tables of decisions, traps and phases, and counts.

The insides are read by `statistics_plain` or by `statistics_kernel`, perhaps by several threads; each gives a `Found`
with numbers of its own for words and methods. `merge` makes one `Statistics` of them, in which a method that pass 1
knows has the number it has there, others go on behind those in the order of their texts, and words are sorted too: the
result doesn't depend on who read what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsers.hotspot.columns import NONE

FAILED, INLINED, INTRINSIC = range(3)
"""What became of a call: kinds of sites."""

ELEMENT, FRAGMENT_ELEMENT, SUCCESS, FAIL, INTRINSICS, TRAP, FAILURE, THROWN_AWAY, DEPENDENCY = range(9)
CATEGORIES = 9
"""What is counted by word: elements of tasks, those of tasks in fragments, and (outside of fragments) the reasons of
inline_success, inline_fail, of traps that were compiled in, of failures of a task and of an attempt; ids of intrinsics;
types of dependencies that failed while a task ran."""

TRAPS_WITH_METHOD, MOST_PARSES, MOST_DEPTH, UNKNOWN_IDS = range(4)
SCALARS = 4
"""Counts without words: traps of the type flow, the deepest inlining, the deepest element, ids that were used before
they were defined."""

ELEMENTS = (
    b"",
    b"task",
    b"parse",
    b"phase",
    b"phase_done",
    b"bc",
    b"type",
    b"klass",
    b"method",
    b"call",
    b"inline_success",
    b"inline_fail",
    b"intrinsic",
    b"uncommon_trap",
    b"failure",
    b"late_inline",
    b"jvms",
    b"code_cache",
    b"dependency_failed",
    b"unknown",
)
"""Elements that are looked into; their numbers as words are their places here."""

(
    _,
    TASK,
    PARSE,
    PHASE,
    PHASE_DONE,
    BC,
    TYPE,
    KLASS,
    METHOD,
    CALL,
    INLINE_SUCCESS,
    INLINE_FAIL,
    INTRINSIC_ELEMENT,
    UNCOMMON_TRAP,
    FAILURE_ELEMENT,
    LATE_INLINE,
    JVMS,
    CODE_CACHE,
    DEPENDENCY_FAILED,
    UNKNOWN,
) = range(len(ELEMENTS))

MOST_IDS = 1 << 17
"""Ids of a task from this one on are unknown: real ones stay below ten thousand."""

LONGEST_METHOD = 1 << 16
"""Bytes of a method's text that are kept."""

MOST_PATHS = 1024
"""Phases that are told apart; real compilers have some twenty."""


class TaskHead(NamedTuple):
    """What pass 1 knows of a task."""

    number: int
    method: bytes
    """Its text as the log has it."""
    level: int
    file: int
    is_fragment: bool


class TaskFacts(NamedTuple):
    """What is kept of each task."""

    free: int
    """free_code_cache when it ended, in KiB; NONE if it doesn't say."""
    inlined: int
    """Calls that were inlined, in its installed code."""
    failed: int
    """Calls that were not."""


@dataclass
class Counts:
    """What was counted in the tasks of one file."""

    words: Any
    """int64[CATEGORIES, words]"""
    scalars: Any
    """int64[SCALARS]"""


@dataclass
class Found:
    """What one reader found; words and methods by its own numbers."""

    words: Sequence[bytes]
    methods: Sequence[bytes]
    method_bytes: Any
    """uint32 by method: bytes of its bytecode, NONE where nothing told them."""
    sites: Any
    """uint32[n, 5]: kind, reason, caller, bci, callee."""
    site_counts: Any
    """uint32[n]: decisions that are in installed code."""
    site_hot: Any
    """uint32[n]: the highest count that a compiler knew of the call."""
    site_places: Any
    """uint32[m, 2]: site and task, each pair once."""
    traps: Any
    """uint32[n, 4]: reason, action, method, bci."""
    trap_counts: Any
    trap_places: Any
    paths: Any
    """uint32[p, 2]: path of the phase around it (itself, if none is), and its name."""
    phases: Any
    """uint32[n, 2]: path and level."""
    phase_times: Any
    """int64[n, 4]: how often, milliseconds in all, the longest one, its task."""
    counts: Mapping[int, Counts]
    """By file."""


@dataclass
class Statistics:
    """The merged tables. Methods below `known` are those of pass 1."""

    words: list[bytes]
    known: int
    methods: list[bytes]
    """Texts of the methods that only stand inside tasks; the first one has the number `known`."""
    arrays: dict[str, Any]
    """By the names in `ARRAYS`."""
    counts: dict[int, Counts]
    """By file; by the words of this table."""


ARRAYS = {
    "code_bytes": "u4",  # by method: bytes of its bytecode, NONE where no task tells them
    "site_kind": "u1",  # FAILED, INLINED, INTRINSIC
    "site_reason": "u2",
    "site_caller": "u4",  # method; NONE where the log doesn't say
    "site_bci": "u4",
    "site_callee": "u4",
    "site_count": "u4",  # decisions in installed code
    "site_hot": "u4",
    "site_first": "u4",  # one more: where the tasks of each site begin in `site_task`
    "site_task": "u4",
    "trap_reason": "u2",
    "trap_action": "u2",
    "trap_method": "u4",
    "trap_bci": "u4",
    "trap_count": "u4",
    "trap_first": "u4",
    "trap_task": "u4",
    "phase_parent": "u2",  # by path: the path around it, itself where there is none
    "phase_name": "u2",
    "time_path": "u2",
    "time_level": "u1",
    "time_count": "u4",
    "time_total": "u8",  # milliseconds
    "time_longest": "u4",
    "time_task": "u4",  # the one that took longest
}
"""What an index keeps, with types. Sites come by kind, then by reason (most decisions first), then the hottest first;
traps by reason and action (most first), method, bci; phases by level and path."""


def merge(parts: Sequence[Found], known: Mapping[bytes, int]) -> Statistics:
    """One table of what several readers found.

    known: numbers of methods by text, from 0 on without gaps
    """
    words = sorted({word for part in parts for word in part.words})
    methods = sorted({text for part in parts for text in part.methods if text not in known})
    number_of_word = {word: number for number, word in enumerate(words)}
    number_of_method = {text: number for number, text in enumerate(methods, len(known))}
    word_maps = [_numbers([number_of_word[word] for word in part.words]) for part in parts]
    method_maps = [
        _numbers([known[text] if text in known else number_of_method[text] for text in part.methods]) for part in parts
    ]
    arrays: dict[str, Any] = {"code_bytes": np.full(len(known) + len(methods), NONE, np.uint32)}
    for part, method_map in zip(parts, method_maps, strict=True):
        known_bytes = part.method_bytes != NONE
        places = method_map[: len(part.methods)][known_bytes]
        values = part.method_bytes[known_bytes]
        before = arrays["code_bytes"][places]
        arrays["code_bytes"][places] = np.where(before == NONE, values, np.maximum(before, values))
    arrays |= _merge_sites(parts, word_maps, method_maps)
    arrays |= _merge_traps(parts, word_maps, method_maps)
    arrays |= _merge_phases(parts, words, word_maps)
    return Statistics(words, len(known), methods, arrays, _merge_counts(parts, word_maps, len(words)))


def _numbers(numbers: list[int]) -> Any:
    """A map of numbers whose last entry stands for NONE."""
    return np.array([*numbers, NONE], np.uint32)


def _mapped(map: Any, numbers: Any) -> Any:
    return map[np.minimum(numbers, len(map) - 1)]


def _merge_sites(parts: Sequence[Found], word_maps: Sequence[Any], method_maps: Sequence[Any]) -> dict[str, Any]:
    keys = np.concatenate([part.sites for part in parts])
    at = 0
    for part, words, methods in zip(parts, word_maps, method_maps, strict=True):
        rows = keys[at : at + len(part.sites)]
        rows[:, 1] = _mapped(words, rows[:, 1])
        rows[:, 2] = _mapped(methods, rows[:, 2])
        rows[:, 4] = _mapped(methods, rows[:, 4])
        at += len(rows)
    unique, group = _unique(keys)
    count, hot = np.zeros(len(unique), np.int64), np.zeros(len(unique), np.int64)
    np.add.at(count, group, np.concatenate([part.site_counts for part in parts]))
    np.maximum.at(hot, group, np.concatenate([part.site_hot for part in parts]))
    kind, reason, caller, bci, callee = unique.T
    most = _sums(reason.astype(np.int64) * 3 + kind, count)
    order = np.lexsort((callee, bci, caller, -count, -hot, reason, -most, kind))
    first, tasks = _places(parts, "site_places", group, order)
    return {
        "site_kind": kind[order].astype(np.uint8),
        "site_reason": reason[order].astype(np.uint16),
        "site_caller": caller[order],
        "site_bci": bci[order],
        "site_callee": callee[order],
        "site_count": count[order].astype(np.uint32),
        "site_hot": hot[order].astype(np.uint32),
        "site_first": first,
        "site_task": tasks,
    }


def _merge_traps(parts: Sequence[Found], word_maps: Sequence[Any], method_maps: Sequence[Any]) -> dict[str, Any]:
    keys = np.concatenate([part.traps for part in parts])
    at = 0
    for part, words, methods in zip(parts, word_maps, method_maps, strict=True):
        rows = keys[at : at + len(part.traps)]
        rows[:, 0] = _mapped(words, rows[:, 0])
        rows[:, 1] = _mapped(words, rows[:, 1])
        rows[:, 2] = _mapped(methods, rows[:, 2])
        at += len(rows)
    unique, group = _unique(keys)
    count = np.zeros(len(unique), np.int64)
    np.add.at(count, group, np.concatenate([part.trap_counts for part in parts]))
    reason, action, method, bci = unique.T
    most = _sums(reason.astype(np.int64) << 16 | action, count)
    order = np.lexsort((bci, method, action, reason, -most))
    first, tasks = _places(parts, "trap_places", group, order)
    return {
        "trap_reason": reason[order].astype(np.uint16),
        "trap_action": action[order].astype(np.uint16),
        "trap_method": method[order],
        "trap_bci": bci[order],
        "trap_count": count[order].astype(np.uint32),
        "trap_first": first,
        "trap_task": tasks,
    }


def _unique(keys: Any) -> tuple[Any, Any]:
    """The different rows, and by row which of them it is."""
    if not len(keys):
        return keys, np.zeros(0, np.int64)
    order = np.lexsort(keys.T[::-1])
    ranked = keys[order]
    is_first = np.ones(len(keys), bool)
    is_first[1:] = np.any(ranked[1:] != ranked[:-1], axis=1)
    group = np.empty(len(keys), np.int64)
    group[order] = np.cumsum(is_first) - 1
    return ranked[is_first], group


def _sums(groups: Any, values: Any) -> Any:
    """By entry the sum of the values of its group."""
    _, group = np.unique(groups, return_inverse=True)
    sums = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    np.add.at(sums, group, values)
    return sums[group]


def _places(parts: Sequence[Found], name: str, group: Any, order: Any) -> tuple[Any, Any]:
    """Tasks of each entry in its order: where they begin, and all of them."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    pairs, at = [], 0
    for part in parts:
        places = getattr(part, name)
        pairs.append(rank[group[places[:, 0].astype(np.int64) + at]] << 32 | places[:, 1])
        at += len(part.sites if name == "site_places" else part.traps)
    all_pairs = np.unique(np.concatenate(pairs))
    first = np.searchsorted(all_pairs >> 32, np.arange(len(order) + 1)).astype(np.uint32)
    return first, (all_pairs & NONE).astype(np.uint32)


def _merge_phases(parts: Sequence[Found], words: Sequence[bytes], word_maps: Sequence[Any]) -> dict[str, Any]:
    by_path: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for part, word_map in zip(parts, word_maps, strict=True):
        paths: list[tuple[int, ...]] = []
        for above, name in part.paths.tolist():
            paths.append((*(paths[above] if above >= 0 else ()), int(word_map[name])))
            by_path.setdefault(paths[-1], {})
        for (path, level), (count, total, longest, task) in zip(
            part.phases.tolist(), part.phase_times.tolist(), strict=True
        ):
            times = by_path[paths[path]].setdefault(level, [0, 0, -1, 0])
            times[0] += count
            times[1] += total
            if (longest, -task) > (times[2], -times[3]):
                times[2:] = longest, task
    ranked = sorted(by_path)
    numbers = {path: number for number, path in enumerate(ranked)}
    cells = sorted((level, numbers[path], *times) for path in ranked for level, times in by_path[path].items())
    level, path, count, total, longest, task = np.array(cells, np.int64).reshape(-1, 6).T
    return {
        "phase_parent": np.array([numbers[path[:-1]] if path[1:] else numbers[path] for path in ranked], np.uint16),
        "phase_name": np.array([path[-1] for path in ranked], np.uint16),
        "time_path": path.astype(np.uint16),
        "time_level": level.astype(np.uint8),
        "time_count": count.astype(np.uint32),
        "time_total": total.astype(np.uint64),
        "time_longest": longest.astype(np.uint32),
        "time_task": task.astype(np.uint32),
    }


def _merge_counts(parts: Sequence[Found], word_maps: Sequence[Any], words: int) -> dict[int, Counts]:
    merged: dict[int, Counts] = {}
    for part, word_map in zip(parts, word_maps, strict=True):
        for file, counts in part.counts.items():
            sums = merged.setdefault(file, Counts(np.zeros((CATEGORIES, words), np.int64), np.zeros(SCALARS, np.int64)))
            sums.words[:, word_map[: counts.words.shape[1]]] += counts.words
            for scalar in (TRAPS_WITH_METHOD, UNKNOWN_IDS):
                sums.scalars[scalar] += counts.scalars[scalar]
            for scalar in (MOST_PARSES, MOST_DEPTH):
                sums.scalars[scalar] = max(sums.scalars[scalar], counts.scalars[scalar])
    return merged
