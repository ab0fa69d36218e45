"""Merged tables of the contents of all tasks: decisions, traps and phases, and counts.

The contents are read by `tables_plain` or by `tables_kernel`, perhaps by several threads; each returns a `ReaderResult`
with numbers of its own for words and methods. `merge` makes one `MergedDecisions` of them. Methods that pass 1 knows
keep its numbers; others follow in the order of their texts. Words are sorted too, so the result doesn't depend on which
thread read which tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.grouped import as_declared
from parsers.formats.hotspot.log.columns import NO_WORD
from parsers.model.distinct import begins, distinct, ranks_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, RecordArray, U32Array, U64Array

FAILED, INLINED, INTRINSIC, TRAP_SITE = range(4)
"""Kinds of sites: outcomes of a call, and traps."""

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

Element = IntEnum(
    "Element",
    "TASK PARSE PHASE PHASE_DONE BC TYPE KLASS METHOD CALL INLINE_SUCCESS INLINE_FAIL INTRINSIC UNCOMMON_TRAP FAILURE"
    " LATE_INLINE JVMS CODE_CACHE DEPENDENCY_FAILED UNKNOWN",
)
"""Elements that are read, by their numbers as words; 0 is the empty word."""
ELEMENTS = (b"", *(element.name.lower().encode() for element in Element))
"""Their names by number."""

SITE = np.dtype(
    [
        ("kind", "u4"),
        ("reason", "u4"),  # a word
        ("caller", "u4"),  # a method; NONE if it is unknown
        ("bci", "u4"),
        ("callee", "u4"),  # a method, NONE if it is unknown; the action of a trap, a word
        ("count", "u4"),  # decisions in installed code
        ("profile_count", "u4"),  # the highest count that the profile of the caller had for the call
        ("task", "u4"),  # the last task that contains it
    ],
    align=True,
)
"""A call site with one outcome, or a trap that was compiled in. The first five fields identify it."""
PLACE = np.dtype([("site", "u4"), ("task", "u4")], align=True)
"""A site, and a task that contains it."""
PATH = np.dtype([("above", "i8"), ("name", "i8")], align=True)
"""A phase by the phases around it: the path of its parent (-1: none), and its name, a word."""
TIMES = np.dtype([(name, "i8") for name in ("path", "level", "count", "total", "longest", "task")], align=True)
"""Times of a phase in tasks of one level: their number, milliseconds in all, the longest one, its task."""

Attribute = IntEnum(
    "Attribute",
    "ID BCI NAME TYPE BYTES COUNT PHASE STAMP HOLDER RETURN METHOD REASON ACTION THREAD ARGUMENTS FREE_CODE_CACHE",
    start=0,
)
"""Attributes that are read."""

MOST_IDS = 1 << 17
"""Ids of a task from this one on are unknown: real ones stay below ten thousand."""

LONGEST_METHOD = 1 << 16
"""Maximum bytes of a method's text."""

MOST_WORDS = NO_WORD
"""Maximum words; real logs have some hundred. Any more count as the empty word, the first of ELEMENTS."""

MOST_PATHS = 1024
"""Maximum phases that are distinguished; real compilers have some twenty."""


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
    sites: RecordArray
    """SITE[n]"""
    places: RecordArray
    """PLACE[m], each pair once."""
    paths: RecordArray
    """PATH[p]; parents precede their children."""
    times: RecordArray
    """TIMES[t]"""
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
    arrays: dict[str, AnyArray]
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
    "site_profile_count": "u4",
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
    arrays: dict[str, AnyArray] = {
        name: np.full(known + len(methods), NONE, np.uint32) for name in ("code_bytes", "holder_bytes")
    }
    for part, method_map in zip(parts, method_maps, strict=True):
        _fill(arrays["code_bytes"], part.method_bytes, method_map, np.maximum)
        _fill(arrays["holder_bytes"], part.method_holder, method_map, np.minimum)
    arrays |= _merge_sites(parts, word_maps, method_maps)
    arrays |= _merge_phases(parts, word_maps)
    return MergedDecisions(
        words, known, methods, as_declared(arrays, ARRAYS), _merge_counts(parts, word_maps, len(words))
    )


def _fill(merged: U32Array, values: U32Array, method_map: U32Array, either: np.ufunc) -> None:
    """Adds what a part knows of methods; `either` combines values that are known twice."""
    is_known = (values != NONE) & (method_map[:-1] != NONE)
    places, known = method_map[:-1][is_known], values[is_known]
    before = merged[places]
    merged[places] = np.where(before == NONE, known, either(before, known))


def _used_words(part: ReaderResult) -> list[int]:
    """Returns the words that were counted or are part of a key."""
    used = np.zeros(len(part.words), bool)
    sites = part.sites
    for numbers in (sites["reason"], sites["callee"][sites["kind"] == TRAP_SITE], part.paths["name"]):
        used[numbers] = True
    for counts in part.counts.values():
        used[: counts.words.shape[1]] |= counts.words.any(axis=0)
    found: list[int] = np.flatnonzero(used).tolist()
    return found


def _used_methods(part: ReaderResult, known: int) -> list[int]:
    """Returns the methods that are part of a key and unknown to pass 1."""
    used = np.zeros(known + len(part.methods) + 1, bool)
    sites = part.sites
    for numbers in (sites["caller"], sites["callee"][sites["kind"] != TRAP_SITE]):
        used[np.minimum(numbers, len(used) - 1)] = True
    found: list[int] = (np.flatnonzero(used[known:-1]) + known).tolist()
    return found


def _numbers(texts: Sequence[bytes], numbers: Mapping[bytes, int], known: int) -> U32Array:
    """Maps numbers to merged ones: the same below `known`, NONE for unused ones; one more NONE maps NONE to itself."""
    rest = [*(numbers.get(text, NONE) for text in texts), NONE]
    return np.concatenate((np.arange(known, dtype=np.uint32), np.array(rest, np.uint32)))


def _merge_sites(
    parts: Sequence[ReaderResult], word_maps: Sequence[U32Array], method_maps: Sequence[U32Array],
) -> dict[str, AnyArray]:  # fmt: skip
    keys = [
        _site_keys(part, words, methods) for part, words, methods in zip(parts, word_maps, method_maps, strict=True)
    ]
    kind, reason, caller, callee, bci = (np.concatenate(column) for column in zip(*keys, strict=True))
    del keys  # Frees memory early: there may be millions of rows.
    unique, group = unique_pairs(pair(kind << 16 | reason, bci), pair(caller, callee))
    kind, reason, caller, callee, bci = (column[unique] for column in (kind, reason, caller, callee, bci))
    count = _added(group, np.concatenate([part.sites["count"] for part in parts]), len(unique))
    profile_count = np.zeros(len(unique), np.uint32)
    np.maximum.at(profile_count, group, np.concatenate([part.sites["profile_count"] for part in parts]))
    traps = np.flatnonzero(kind >> 8 == TRAP_SITE)
    sites = np.flatnonzero(kind >> 8 != TRAP_SITE)
    reason_and_action = reason[traps] << 16 | callee[traps]
    trap_rank = _rank(pair(kind[traps], reason_and_action), kind[traps], count[traps])
    traps = traps[np.lexsort((pair(caller[traps], bci[traps]), trap_rank))]
    rank = _rank((kind << 16 | reason)[sites], kind[sites], profile_count[sites], count[sites])
    order = (pair(bci, callee)[sites], pair(NONE - count, caller)[sites], pair(rank, NONE - profile_count[sites]))
    del rank
    sites = sites[np.lexsort(order)]
    del order
    site_first, site_task = _tasks_of(parts, group, sites, len(unique))
    trap_first, trap_task = _tasks_of(parts, group, traps, len(unique))
    return {
        "site_kind": (kind[sites] >> 8).astype(np.uint8),
        "site_run": (kind[sites] & 0xFF).astype(np.uint8),
        "site_reason": reason[sites].astype(np.uint16),
        "site_caller": caller[sites],
        "site_bci": bci[sites],
        "site_callee": callee[sites],
        "site_count": count[sites],
        "site_profile_count": profile_count[sites],
        "site_first": site_first,
        "site_task": site_task,
        "trap_run": (kind[traps] & 0xFF).astype(np.uint8),
        "trap_reason": reason[traps].astype(np.uint16),
        "trap_action": callee[traps].astype(np.uint16),
        "trap_method": caller[traps],
        "trap_bci": bci[traps],
        "trap_count": count[traps],
        "trap_first": trap_first,
        "trap_task": trap_task,
    }


def _site_keys(part: ReaderResult, words: U32Array, methods: U32Array) -> tuple[AnyArray, ...]:
    """Returns merged keys by site: kind and run, reason, caller, callee or action, bci."""
    sites, is_trap = part.sites, part.sites["kind"] == TRAP_SITE
    callee = _mapped(methods, sites["callee"])
    callee[is_trap] = words[sites["callee"][is_trap]]
    kind = sites["kind"] << 8 | np.uint32(part.run)
    return kind, words[sites["reason"]], _mapped(methods, sites["caller"]), callee, sites["bci"]


def _mapped(map: U32Array, numbers: U32Array) -> U32Array:
    """Maps numbers to merged ones; NONE stays, as a map ends with it."""
    return map[np.minimum(numbers, len(map) - 1)]


def pair(upper: AnyArray, lower: AnyArray) -> U64Array:
    """Combines two columns of 32 bits to one of 64."""
    return upper.astype(np.uint64) << np.uint64(32) | lower


def unique_pairs(first: U64Array, second: U64Array) -> tuple[I64Array, U32Array]:
    """Returns the first index of each unique pair, and by row the number of its pair. Two columns of 64 bits."""
    order = np.lexsort((second, first))
    is_new = begins(first[order], second[order])
    group = np.empty(len(order), np.uint32)
    group[order] = np.cumsum(is_new, dtype=np.uint32) - np.uint32(1)
    return order[is_new], group


def _added(group: U32Array, values: U32Array, groups: int) -> U32Array:
    """Returns sums of values by group."""
    return np.bincount(group, values, groups).astype(np.uint32)


def _rank(words: AnyArray, kinds: U32Array, *counts: U32Array) -> U32Array:
    """Returns by row the rank of its word: by kind, then the highest sums of counts first, then by number."""
    unique, first, group = np.unique(words, return_index=True, return_inverse=True)
    sums = [-np.bincount(group, each, len(unique)) for each in reversed(counts)]
    found: U32Array = ranks_of(np.lexsort((unique, *sums, kinds[first])), np.uint32)[group]
    return found


def _tasks_of(
    parts: Sequence[ReaderResult], group: U32Array, order: I64Array, groups: int
) -> tuple[U32Array, U32Array]:
    """Returns the tasks of some merged sites in order: where those of each begin, and all of them.

    group    by site of all parts together its merged one; groups: number of these
    """
    rank = np.full(groups, NONE, np.uint32)
    rank[order] = np.arange(len(order))
    starts = np.cumsum([0, *(len(part.sites) for part in parts[:-1])])
    ranks = [rank[group[part.places["site"] + start]] for part, start in zip(parts, starts, strict=True)]
    pairs = [pair(ranks, part.places["task"])[ranks != NONE] for part, ranks in zip(parts, ranks, strict=True)]
    places = distinct(np.concatenate(pairs))
    counts = np.bincount((places >> np.uint64(32)).astype(np.int64), minlength=len(order))
    first = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    return first, (places & np.uint64(NONE)).astype(np.uint32)


def _merge_phases(parts: Sequence[ReaderResult], word_maps: Sequence[U32Array]) -> dict[str, AnyArray]:
    by_path: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for part, word_map in zip(parts, word_maps, strict=True):
        paths: list[tuple[int, ...]] = []
        for above, name in part.paths.tolist():
            paths.append((*(paths[above] if above >= 0 else ()), int(word_map[name])))
            by_path.setdefault(paths[-1], {})
        for path, level, count, total, longest, task in part.times.tolist():
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
    parts: Sequence[ReaderResult], word_maps: Sequence[U32Array], words: int
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
