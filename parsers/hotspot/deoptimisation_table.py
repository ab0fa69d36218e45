"""Everything that ended compiled code, or may: traps that fired beside those that were compiled in, and the events that
made code not entrant, merged by reason, method and place. Made at the end of an index, with numpy.

A *group* is a reason with its action, its *methods* are those the trap is in (of other events those whose code it was),
a *place* is a bytecode of a method. Places have the events that happened there. Where several JVMs wrote the log, each
has its own groups, one JVM's behind those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parsers.hotspot.columns import (
    BY_REPLACING,
    DEOPTIMIZED,
    DEPENDENCY_FAILED,
    IS_OSR,
    IS_ZOMBIE,
    MAKE_NOT_COMPILABLE,
    MAKE_NOT_ENTRANT,
    MAKE_UNLOADED,
    NO_WORD,
    NONE,
    NOT_ENTRANT,
    UNCOMMON_TRAP,
)
from parsers.hotspot.statistics import pair, unique_pairs

FIRED, ENDED, ON_STACK, DEPENDENCY, UNLOADED, NOT_COMPILABLE, NEVER, REPLACED = range(8)
"""Types of groups, in the order in which they are shown: reasons of traps that fired; reasons of make_not_entrant; of
`deoptimized`; types of dependency_failed; make_unloaded; make_not_compilable; reasons of traps that only were compiled
in; and code that was replaced by better code, which is no news."""

TYPES = {
    UNCOMMON_TRAP: FIRED,
    MAKE_NOT_ENTRANT: ENDED,
    DEOPTIMIZED: ON_STACK,
    DEPENDENCY_FAILED: DEPENDENCY,
    MAKE_UNLOADED: UNLOADED,
    MAKE_NOT_COMPILABLE: NOT_COMPILABLE,
}

ARRAYS = {
    "deopt_run": "u1",  # by group
    "deopt_type": "u1",
    "deopt_reason": "u2",
    "deopt_action": "u2",
    "deopt_fired": "u4",
    "deopt_emitted": "u4",
    "deopt_first": "u4",  # by group and one more: its first method
    "deopt_method": "u4",
    "deopt_method_fired": "u4",
    "deopt_method_emitted": "u4",
    "deopt_method_again": "u4",  # compilations at the same level since
    "deopt_method_first": "u4",  # its first place
    "deopt_bci": "u4",
    "deopt_place_fired": "u4",
    "deopt_place_emitted": "u4",
    "deopt_place_again": "u4",
    "deopt_trap": "u4",  # number among the traps that were compiled in; NONE: in none that the log has
    "deopt_place_first": "u4",  # its first event
    "deopt_event": "u4",
}
"""What an index keeps, with types."""
FIRSTS = ("deopt_first", "deopt_method_first", "deopt_place_first")
"""Those that say where the entries of the next table begin, and where the last ones end."""


class Words:
    """Words by number, which more can be added to."""

    def __init__(self, texts: list[bytes]) -> None:
        self.texts = texts
        self._numbers = {text: number for number, text in enumerate(texts)}

    def number(self, text: bytes) -> int:
        """The number of a word."""
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found


def build_table(
    columns: Mapping[str, Any], log_words: list[bytes], words: Words, traps: Mapping[str, Any]
) -> dict[str, Any]:
    """The arrays.

    columns    of pass 1, joined
    log_words  the words of pass 1; words: those of the insides, to which reasons of events are added
    traps      the arrays of traps that were compiled in
    """
    runs = np.unique(np.concatenate(([0], columns["event_run"], traps["trap_run"]))).tolist()
    return _joined([_of_run(run, columns, log_words, words, traps) for run in runs])


def _joined(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Tables one behind the other: what counts from the start of one counts from the start of all."""
    joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    for name in FIRSTS:
        before, parts = np.uint32(0), []
        for table in tables:
            parts.append(table[name][:-1] + before)
            before += table[name][-1]
        joined[name] = np.append(np.concatenate(parts), before)
    return joined


def _of_run(
    run: int, columns: Mapping[str, Any], log_words: list[bytes], words: Words, all_traps: Mapping[str, Any]
) -> dict[str, Any]:
    numbers = np.flatnonzero(all_traps["trap_run"] == run)
    traps = {name: all_traps[name][numbers] for name in ("trap_reason", "trap_action", "trap_method", "trap_bci")}
    happened = _events(run, columns, log_words, words)
    compiled_in = np.stack(
        [
            np.full(len(traps["trap_bci"]), FIRED),
            *(traps[name].astype(np.int64) for name in ("trap_reason", "trap_action", "trap_method", "trap_bci")),
        ],
        axis=1,
    )
    keys = np.concatenate((compiled_in, happened.keys))
    first, place_of = unique_pairs(*_packed(keys))
    places = keys[first]
    emitted = np.zeros(len(places), np.int64)
    emitted[place_of[: len(compiled_in)]] = all_traps["trap_count"][numbers]
    trap = np.full(len(places), NONE, np.int64)
    trap[place_of[: len(compiled_in)]] = numbers
    place_of_event = place_of[len(compiled_in) :]
    fired = np.bincount(place_of_event, minlength=len(places))
    hidden = np.bincount(happened.replaced_words, minlength=len(words.texts))
    table = _ordered(places, emitted, fired, trap, place_of_event, happened.events, hidden, columns)
    return {"deopt_run": np.full(len(table["deopt_type"]), run, np.uint8), **table}


class _Happened:
    """Events that ended code: type, reason, action, method, bci of each, and which it is."""

    def __init__(self, keys: Any, events: Any, replaced_words: Any) -> None:
        self.keys, self.events, self.replaced_words = keys, events, replaced_words


def _events(run: int, columns: Mapping[str, Any], log_words: list[bytes], words: Words) -> _Happened:
    kinds = columns["event_kind"]
    is_one = np.isin(kinds, list(TYPES)) & (columns["event_flags"] & IS_ZOMBIE == 0) & (columns["event_run"] == run)
    events = np.flatnonzero(is_one)
    types = np.array([TYPES.get(kind, 0) for kind in range(256)])[kinds[events]]
    reasons, actions = columns["event_reason"][events], columns["event_action"][events]
    used = np.unique(np.concatenate((reasons, actions[types == FIRED])))
    map = np.full(NO_WORD + 1, words.number(b""), np.int64)
    for word in used[used != NO_WORD].tolist():
        map[word] = words.number(log_words[word])
    reason, action = map[reasons], np.where(types == FIRED, map[actions], words.number(b""))
    derived = np.array([words.number(why.replace("_", " ").encode()) for why in NOT_ENTRANT])
    is_silent = (types == ENDED) & (reasons == NO_WORD)
    reason[is_silent] = derived[np.minimum(actions[is_silent], len(derived) - 1)]
    method = columns["event_method"][events].astype(np.int64)
    task = columns["event_task"][events]
    has_task = (method == NONE) & (task != NONE)
    method[has_task] = columns["task_method"][task[has_task]]
    bci = np.where(types == FIRED, columns["event_bci"][events], NONE)
    is_replaced = (types == ENDED) & (actions == BY_REPLACING)
    keys = np.stack((types, reason, action, method, bci), axis=1)
    return _Happened(keys[~is_replaced], events[~is_replaced], reason[is_replaced])


def _ordered(
    places: Any,
    emitted: Any,
    fired: Any,
    trap: Any,
    place_of_event: Any,
    events: Any,
    replaced: Any,
    columns: Mapping[str, Any],
) -> dict[str, Any]:
    type, reason, action, method, bci = places.T
    upper, lower = _packed(places)
    group_of = np.unique(upper, return_inverse=True)[1]
    method_of = unique_pairs(upper, lower >> np.uint64(32))[1]
    group_fired, group_emitted = np.bincount(group_of, fired), np.bincount(group_of, emitted)
    method_fired, method_emitted = np.bincount(method_of, fired), np.bincount(method_of, emitted)
    shown = np.where((type == FIRED) & (group_fired[group_of] == 0), NEVER, type)
    order = np.lexsort(
        (
            bci,
            -emitted,
            -fired,
            method,
            -method_emitted[method_of],
            -method_fired[method_of],
            action,
            reason,
            -group_emitted[group_of],
            -group_fired[group_of],
            shown,
        )
    )
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_place = np.lexsort((events, rank[place_of_event]))
    event_place = rank[place_of_event][by_place]
    ordered = events[by_place]
    methods = _starts(method_of[order])
    groups = _starts(group_of[order])
    again_by_place = _compiled_again(columns, ordered, event_place, len(order))
    method_of_event = np.searchsorted(methods, event_place, "right") - 1
    again_by_method = _compiled_again(columns, ordered, method_of_event, len(methods))
    words = np.flatnonzero(replaced)
    more = len(words)
    first_of_group = np.searchsorted(methods, groups)
    return {
        "deopt_type": np.append(shown[order][groups], np.full(more, REPLACED)).astype(np.uint8),
        "deopt_reason": np.append(reason[order][groups], words).astype(np.uint16),
        "deopt_action": np.append(action[order][groups], np.zeros(more)).astype(np.uint16),
        "deopt_fired": np.append(group_fired[group_of[order][groups]], replaced[words]).astype(np.uint32),
        "deopt_emitted": np.append(group_emitted[group_of[order][groups]], np.zeros(more)).astype(np.uint32),
        "deopt_first": np.append(first_of_group, np.full(more + 1, len(methods))).astype(np.uint32),
        "deopt_method": method[order][methods].astype(np.uint32),
        "deopt_method_fired": method_fired[method_of[order][methods]].astype(np.uint32),
        "deopt_method_emitted": method_emitted[method_of[order][methods]].astype(np.uint32),
        "deopt_method_again": again_by_method.astype(np.uint32),
        "deopt_method_first": np.append(methods, len(order)).astype(np.uint32),
        "deopt_bci": bci[order].astype(np.uint32),
        "deopt_place_fired": fired[order].astype(np.uint32),
        "deopt_place_emitted": emitted[order].astype(np.uint32),
        "deopt_place_again": again_by_place.astype(np.uint32),
        "deopt_trap": trap[order].astype(np.uint32),
        "deopt_place_first": np.searchsorted(event_place, np.arange(len(order) + 1)).astype(np.uint32),
        "deopt_event": ordered.astype(np.uint32),
    }


def _packed(keys: Any) -> tuple[Any, Any]:
    """The five columns of keys in two."""
    type, reason, action, method, bci = keys.T
    return (type << 32 | reason << 16 | action).astype(np.uint64), pair(method, bci.astype(np.uint64))


def _starts(groups: Any) -> Any:
    """Where runs of equal numbers begin."""
    return np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))) if len(groups) else np.zeros(0, np.int64)


def _compiled_again(columns: Mapping[str, Any], events: Any, entry_of_event: Any, entries: int) -> Any:
    """By entry how many compilations of the methods whose code it ended began since, at the same level."""
    result = np.zeros(entries, np.int64)
    tasks = columns["event_task"][events]
    has_task = tasks != NONE
    if not has_task.any():
        return result
    keys = _keys(columns)
    order = np.lexsort((columns["task_begun"], keys))
    ranked, begun = keys[order], columns["task_begun"][order].astype(np.int64)
    key = keys[tasks[has_task]]
    entry, stamp = entry_of_event[has_task], columns["event_stamp"][events[has_task]].astype(np.int64)
    by_entry = np.lexsort((stamp, key, entry))
    entry, key, stamp = entry[by_entry], key[by_entry], stamp[by_entry]
    is_first = np.ones(len(entry), bool)
    is_first[1:] = (entry[1:] != entry[:-1]) | (key[1:] != key[:-1])
    entry, key, stamp = entry[is_first], key[is_first], stamp[is_first]
    # Tasks of a key stand together, in order of time: those behind the event are counted.
    timed, wanted = ranked << 32 | begun, key << 32 | stamp
    stop = np.searchsorted(ranked, key, "right")
    start = np.searchsorted(timed, wanted, "right")
    np.add.at(result, entry, np.maximum(stop - start, 0))
    return result


def _keys(columns: Mapping[str, Any]) -> Any:
    """By task a number for its method, level, whether it is of a loop, and its run; small, without gaps."""
    is_osr = (columns["task_flags"] & IS_OSR != 0).astype(np.uint32)
    rest = columns["task_level"].astype(np.uint32) << 16 | is_osr << 8 | columns["task_run"]
    return np.unique(pair(columns["task_method"], rest), return_inverse=True)[1].astype(np.int64)
