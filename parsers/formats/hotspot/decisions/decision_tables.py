"""Merged tables of the contents of all tasks: decisions, traps and phases, and counts.

The contents are read by `tables_plain` or by `tables_kernel`, perhaps by several threads; each returns a `ReaderResult`
with numbers of its own for words and methods. `merge` makes one `MergedDecisions` of them. Methods that pass 1 knows
keep its numbers; others follow in the order of their texts. Words are sorted too, so the result doesn't depend on which
thread read which tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.hotspot.log.columns import NO_WORD, NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array, U64Array

FAILED, INLINED, INTRINSIC = range(3)
"""Outcomes of a call: kinds of sites."""

ELEMENT, FRAGMENT_ELEMENT, SUCCESS, FAIL, INTRINSICS, TRAP, FAILURE, THROWN_AWAY, DEPENDENCY = range(9)
CATEGORIES = 9
"""Kinds of counts by word: elements of tasks, those of tasks in fragments, and (outside of fragments) the reasons of
inline_success, inline_fail, of traps that were compiled in, of failures of a task and of an attempt; ids of intrinsics;
types of dependencies that failed while a task ran.
"""

TRAPS_WITH_METHOD, MOST_PARSES, MOST_DEPTH, UNKNOWN_IDS = range(4)
SCALARS = 4
"""Counts without words: traps of the type flow, the deepest inlining, the deepest element, ids that were used before
they were defined.
"""

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
"""Elements that are read; their numbers as words are their indexes here."""

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

DECISIONS, HIGHEST, LAST_TASK = range(3)
SITE_FACTS = 3
"""Numbers of a site or trap while tasks are read: decisions in installed code, the highest execution count that a
compiler had for the call, the last task that contains it.
"""

MOST_IDS = 1 << 17
"""Ids of a task from this one on are unknown: real ones stay below ten thousand."""

LONGEST_METHOD = 1 << 16
"""Maximum bytes of a method's text."""

MOST_WORDS = NO_WORD
"""Maximum words; real logs have some hundred. Any more count as the empty word, the first of ELEMENTS."""

MOST_PATHS = 1024
"""Maximum phases that are distinguished; real compilers have some twenty."""


class TaskHead(NamedTuple):
    """Data of a task from pass 1."""

    number: int
    method: bytes | None
    """Its text as the log has it; None if it is missing."""
    level: int
    file: int
    is_fragment: bool


class TaskFacts(NamedTuple):
    """Stored values of each task."""

    free: int
    """free_code_cache at its end, in KiB; NONE if missing."""
    inlined: int
    """Inlined calls in its installed code."""
    failed: int
    """Calls that were not inlined."""


@dataclass
class TaskCounts:
    """Counts of the tasks of one file."""

    words: I64Array
    """int64[CATEGORIES, words]"""
    scalars: I64Array
    """int64[SCALARS]"""


@dataclass
class ReaderResult:
    """The result of one reader; words and methods by its own numbers."""

    words: Sequence[bytes]
    methods: Sequence[bytes]
    """Texts of methods unknown to pass 1, whose own methods have the lower numbers."""
    method_bytes: U32Array
    """uint32 by method: bytes of its bytecode, NONE if unknown."""
    method_holder: U32Array
    """uint32 by method: bytes of its text that are its class, NONE if unknown."""
    sites: U32Array
    """uint32[n, 5]: kind, reason, caller, bci, callee."""
    site_facts: U32Array
    """uint32[n, SITE_FACTS]"""
    site_places: U32Array
    """uint32[m, 2]: site and task, each pair once."""
    traps: U32Array
    """uint32[n, 4]: reason, action, method, bci."""
    trap_facts: U32Array
    """uint32[n, SITE_FACTS]"""
    trap_places: U32Array
    paths: I64Array
    """int64[p, 2]: path of the parent phase (itself, if there is none), and its name."""
    phases: U32Array
    """uint32[n, 2]: path and level."""
    phase_times: I64Array
    """int64[n, 4]: number, milliseconds in all, the longest one, its task."""
    counts: Mapping[int, TaskCounts]
    """By file."""
    run: int = 0
    """Number of the JVM of these tasks, if several wrote one log."""


@dataclass
class MergedDecisions:
    """The merged tables. Methods below `known` are those of pass 1."""

    words: list[bytes]
    known: int
    methods: list[bytes]
    """Texts of the methods that occur only inside tasks; the first one has the number `known`."""
    arrays: dict[str, Any]
    """By the names in `ARRAYS`."""
    counts: dict[tuple[int, int], TaskCounts]
    """By file and run; by the words of this table."""


ARRAYS = {
    "code_bytes": "u4",  # by method: bytes of its bytecode, NONE where no task contains them
    "holder_bytes": "u4",  # by method: bytes of its text that are its class
    "site_kind": "u1",  # FAILED, INLINED, INTRINSIC
    "site_run": "u1",
    "site_reason": "u2",
    "site_caller": "u4",  # method; NONE if it is not in the log
    "site_bci": "u4",
    "site_callee": "u4",
    "site_count": "u4",  # decisions in installed code
    "site_hot": "u4",
    "site_first": "u4",  # one more: start of the tasks of each site in `site_task`
    "site_task": "u4",
    "trap_run": "u1",
    "trap_reason": "u2",
    "trap_action": "u2",
    "trap_method": "u4",
    "trap_bci": "u4",
    "trap_count": "u4",
    "trap_first": "u4",
    "trap_task": "u4",
    "phase_parent": "u2",  # by path: the path of the parent, itself if there is none
    "phase_name": "u2",
    "time_path": "u2",
    "time_level": "u1",
    "time_count": "u4",
    "time_total": "u8",  # milliseconds
    "time_longest": "u4",
    "time_task": "u4",  # the longest one
}
"""Stored arrays with dtypes. Sites are ordered by kind, run and reason (the hottest first), then the hottest first;
traps by run, reason and action (most first), method, bci; phases by level and path.
"""


def merge(parts: Sequence[ReaderResult], known: int) -> MergedDecisions:
    """Merges the tables of several readers. known: how many methods pass 1 has"""
    used = {part.words[word] for part in parts for word in _used_words(part)}
    if len(used) >= MOST_WORDS:
        used.add(b"")
    ordered = sorted(used)
    words, further = ordered[:MOST_WORDS], ordered[MOST_WORDS:]
    methods = sorted({part.methods[method - known] for part in parts for method in _used_methods(part, known)})
    number_of_word = dict.fromkeys(further, 0) | {word: number for number, word in enumerate(words)}
    number_of_method = {text: number for number, text in enumerate(methods, known)}
    word_maps = [_numbers(part.words, number_of_word, 0) for part in parts]
    method_maps = [_numbers(part.methods, number_of_method, known) for part in parts]
    arrays: dict[str, Any] = {
        name: np.full(known + len(methods), NONE, np.uint32) for name in ("code_bytes", "holder_bytes")
    }
    for part, method_map in zip(parts, method_maps, strict=True):
        _fill(arrays["code_bytes"], part.method_bytes, method_map, np.maximum)
        _fill(arrays["holder_bytes"], part.method_holder, method_map, np.minimum)
    arrays |= _merge_sites(parts, word_maps, method_maps)
    arrays |= _merge_traps(parts, word_maps, method_maps)
    arrays |= _merge_phases(parts, word_maps)
    return MergedDecisions(words, known, methods, arrays, _merge_counts(parts, word_maps, len(words)))


def _fill(merged: U32Array, values: U32Array, method_map: U32Array, either: Any) -> None:
    """Adds what a part knows of methods; `either` combines values that are known twice."""
    is_known = (values != NONE) & (method_map[:-1] != NONE)
    places, known = method_map[:-1][is_known], values[is_known]
    before = merged[places]
    merged[places] = np.where(before == NONE, known, either(before, known))


def _used_words(part: ReaderResult) -> list[int]:
    """Returns the words that were counted or are part of a key."""
    used = np.zeros(len(part.words), bool)
    for numbers in (part.sites[:, 1], part.traps[:, 0], part.traps[:, 1], part.paths[:, 1]):
        used[numbers] = True
    for counts in part.counts.values():
        used[: counts.words.shape[1]] |= counts.words.any(axis=0)
    found: list[int] = np.flatnonzero(used).tolist()
    return found


def _used_methods(part: ReaderResult, known: int) -> list[int]:
    """Returns the methods that are part of a key and unknown to pass 1."""
    used = np.zeros(known + len(part.methods) + 1, bool)
    for numbers in (part.sites[:, 2], part.sites[:, 4], part.traps[:, 2]):
        used[np.minimum(numbers, len(used) - 1)] = True
    found: list[int] = (np.flatnonzero(used[known:-1]) + known).tolist()
    return found


def _numbers(texts: Sequence[bytes], numbers: Mapping[bytes, int], known: int) -> U32Array:
    """Maps numbers to merged ones: the same below `known`, NONE for unused ones; one more NONE maps NONE to itself."""
    rest = [*(numbers.get(text, NONE) for text in texts), NONE]
    return np.concatenate((np.arange(known, dtype=np.uint32), np.array(rest, np.uint32)))


def _merge_sites(parts: Sequence[ReaderResult], word_maps: Sequence[Any], method_maps: Sequence[Any]) -> dict[str, Any]:
    sites = [
        (
            part.sites[:, 0] << 8 | np.uint32(part.run),
            words[part.sites[:, 1]],
            *(_mapped(methods, part.sites[:, [2, 4]])),
            part.sites[:, 3],
        )
        for part, words, methods in zip(parts, word_maps, method_maps, strict=True)
    ]
    kind, reason, caller, callee, bci = (np.concatenate(column) for column in zip(*sites, strict=True))
    del sites  # Frees memory early: there may be millions of rows.
    unique, group = unique_pairs(pair(kind << 16 | reason, bci), pair(caller, callee))
    kind, reason, caller, callee, bci = (column[unique] for column in (kind, reason, caller, callee, bci))
    facts = np.concatenate([part.site_facts for part in parts])
    count = _added(group, facts[:, DECISIONS], len(unique))
    hot = np.zeros(len(unique), np.uint32)
    np.maximum.at(hot, group, facts[:, HIGHEST])
    rank = _rank(kind << 16 | reason, kind, hot, count)
    order = np.lexsort((pair(bci, callee), pair(NONE - count, caller), pair(rank, NONE - hot)))
    del rank
    first, tasks = _places([part.site_places for part in parts], [len(part.sites) for part in parts], group, order)
    return {
        "site_kind": (kind[order] >> 8).astype(np.uint8),
        "site_run": (kind[order] & 0xFF).astype(np.uint8),
        "site_reason": reason[order].astype(np.uint16),
        "site_caller": caller[order],
        "site_bci": bci[order],
        "site_callee": callee[order],
        "site_count": count[order],
        "site_hot": hot[order],
        "site_first": first,
        "site_task": tasks,
    }


def _merge_traps(parts: Sequence[ReaderResult], word_maps: Sequence[Any], method_maps: Sequence[Any]) -> dict[str, Any]:
    traps = [
        (
            np.full(len(part.traps), part.run, np.uint32),
            words[part.traps[:, 0]] << 16 | words[part.traps[:, 1]],
            *_mapped(methods, part.traps[:, [2]]),
            part.traps[:, 3],
        )
        for part, words, methods in zip(parts, word_maps, method_maps, strict=True)
    ]
    run, reason, method, bci = (np.concatenate(column) for column in zip(*traps, strict=True))
    unique, group = unique_pairs(pair(run, reason), pair(method, bci))
    run, reason, method, bci = (column[unique] for column in (run, reason, method, bci))
    count = _added(group, np.concatenate([part.trap_facts[:, DECISIONS] for part in parts]), len(unique))
    order = np.lexsort((pair(method, bci), _rank(pair(run, reason), run, count)))
    first, tasks = _places([part.trap_places for part in parts], [len(part.traps) for part in parts], group, order)
    return {
        "trap_run": run[order].astype(np.uint8),
        "trap_reason": (reason[order] >> 16).astype(np.uint16),
        "trap_action": (reason[order] & 0xFFFF).astype(np.uint16),
        "trap_method": method[order],
        "trap_bci": bci[order],
        "trap_count": count[order],
        "trap_first": first,
        "trap_task": tasks,
    }


def _mapped(map: U32Array, numbers: U32Array) -> U32Array:
    """Maps columns of numbers to merged ones; NONE stays."""
    return map[np.minimum(numbers, len(map) - 1)].T


def pair(upper: AnyArray, lower: AnyArray) -> U64Array:
    """Combines two columns of 32 bits to one of 64."""
    return upper.astype(np.uint64) << np.uint64(32) | lower


def unique_pairs(first: U64Array, second: U64Array) -> tuple[Any, Any]:
    """Returns the first index of each unique pair, and by row the number of its pair. Two columns of 64 bits."""
    order = np.lexsort((second, first))
    is_new = np.zeros(len(order), bool)
    is_new[:1] = True
    for column in (first, second):
        ranked = column[order]
        is_new[1:] |= ranked[1:] != ranked[:-1]
    group = np.empty(len(order), np.uint32)
    group[order] = np.cumsum(is_new, dtype=np.uint32) - np.uint32(1)
    return order[is_new], group


def _added(group: U32Array, values: U32Array, groups: int) -> U32Array:
    """Returns sums of values by group."""
    return np.bincount(group, values, groups).astype(np.uint32)


def _rank(words: AnyArray, kinds: U32Array, *counts: Any) -> U32Array:
    """Returns by row the rank of its word: by kind, then the highest sums of counts first, then by number."""
    unique, first, group = np.unique(words, return_index=True, return_inverse=True)
    sums = [-np.bincount(group, each, len(unique)) for each in reversed(counts)]
    rank = np.empty(len(unique), np.uint32)
    rank[np.lexsort((unique, *sums, kinds[first]))] = np.arange(len(unique))
    return rank[group]


def _places(pairs: Sequence[Any], lengths: Sequence[int], group: U32Array, order: I64Array) -> tuple[Any, Any]:
    """Returns the tasks of each entry in order: where they begin, and all of them.

    pairs    of each part entry and task; lengths: how many entries each part has
    group    by entry of all parts together its merged one; order: of those
    """
    rank = np.empty(len(order), np.uint64)
    rank[order] = np.arange(len(order))
    starts = np.cumsum([0, *lengths[:-1]])
    places, filled = np.empty(sum(map(len, pairs)), np.uint64), 0
    for part, start in zip(pairs, starts, strict=True):
        places[filled : filled + len(part)] = pair(rank[group[part[:, 0] + start]], part[:, 1])
        filled += len(part)
    places.sort()
    if len(places):
        places = places[np.concatenate(([True], places[1:] != places[:-1]))]
    counts = np.bincount((places >> np.uint64(32)).astype(np.int64), minlength=len(order))
    first = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    return first, (places & np.uint64(NONE)).astype(np.uint32)


def _merge_phases(parts: Sequence[ReaderResult], word_maps: Sequence[Any]) -> dict[str, Any]:
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


def _merge_counts(
    parts: Sequence[ReaderResult], word_maps: Sequence[Any], words: int
) -> dict[tuple[int, int], TaskCounts]:
    merged: dict[tuple[int, int], TaskCounts] = {}
    for part, word_map in zip(parts, word_maps, strict=True):
        for file, counts in part.counts.items():
            none = TaskCounts(np.zeros((CATEGORIES, words), np.int64), np.zeros(SCALARS, np.int64))
            sums = merged.setdefault((file, part.run), none)
            is_used = word_map[: counts.words.shape[1]] != NONE
            np.add.at(sums.words.T, word_map[:-1][is_used], counts.words.T[is_used])
            for scalar in (TRAPS_WITH_METHOD, UNKNOWN_IDS):
                sums.scalars[scalar] += counts.scalars[scalar]
            for scalar in (MOST_PARSES, MOST_DEPTH):
                sums.scalars[scalar] = max(sums.scalars[scalar], counts.scalars[scalar])
    return dict(sorted(merged.items()))
