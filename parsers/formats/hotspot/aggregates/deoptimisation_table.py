"""All events that ended compiled code, or may: traps that fired with those that were compiled in, and the events that
made code not entrant, merged by reason, method and place. Made at the end of an index, with numpy.

A *group* is a reason with its action. Its *methods* contain the trap (for other events: are the methods whose code it
was). A *place* is a bytecode of a method. Places have the events that happened there. If several JVMs wrote the log,
each has its own groups, one JVM's behind those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import pair, unique_pairs
from parsers.formats.hotspot.grouped import as_declared
from parsers.formats.hotspot.log.columns import (
    BY_REPLACING,
    COMPILED_IN_AS,
    IS_OSR,
    IS_ZOMBIE,
    NO_WORD,
    NOT_ENTRANT,
    EventKind,
)
from parsers.index.texts import UniqueTexts
from parsers.model.distinct import begins, distinct, ranks_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U16Array, U32Array, U64Array

FIRED, ENDED, ON_STACK, DEPENDENCY, UNLOADED, NOT_COMPILABLE, NEVER, REPLACED = range(8)
"""Types of groups, in display order: reasons of traps that fired; reasons of make_not_entrant; of `deoptimized`; types
of dependency_failed; make_unloaded; make_not_compilable; reasons of traps that only were compiled in; and code that was
replaced by better code, which is normal.
"""

TYPES: dict[int, int] = {
    EventKind.UNCOMMON_TRAP: FIRED,
    EventKind.MAKE_NOT_ENTRANT: ENDED,
    EventKind.DEOPTIMIZED: ON_STACK,
    EventKind.DEPENDENCY_FAILED: DEPENDENCY,
    EventKind.MAKE_UNLOADED: UNLOADED,
    EventKind.MAKE_NOT_COMPILABLE: NOT_COMPILABLE,
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
"""Stored arrays, with dtypes."""
FIRSTS = ("deopt_first", "deopt_method_first", "deopt_place_first")
"""Arrays with the start of the children of each entry, and the end of the last ones."""


def build_table(
    columns: Mapping[str, AnyArray], log_words: list[bytes], words: UniqueTexts, traps: Mapping[str, AnyArray]
) -> dict[str, AnyArray]:
    """Returns the arrays.

    columns    of pass 1, joined
    log_words  the words of pass 1; words: those of task contents, to which reasons of events are added
    traps      the arrays of traps that were compiled in
    """
    runs = distinct(np.concatenate(([0], columns["event_run"], traps["trap_run"]))).tolist()
    return as_declared(_joined([_of_run(run, columns, log_words, words, traps) for run in runs]), ARRAYS)


def _joined(tables: Sequence[dict[str, AnyArray]]) -> dict[str, AnyArray]:
    """Concatenates tables; indexes from the start of one become indexes from the start of all."""
    joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    for name in FIRSTS:
        before, parts = np.uint32(0), []
        for table in tables:
            parts.append(table[name][:-1] + before)
            before += table[name][-1]
        joined[name] = np.append(np.concatenate(parts), before)
    return joined


def _of_run(
    run: int, columns: Mapping[str, AnyArray], log_words: list[bytes], words: UniqueTexts,
    all_traps: Mapping[str, AnyArray],
) -> dict[str, AnyArray]:  # fmt: skip
    numbers = np.flatnonzero(all_traps["trap_run"] == run)
    traps = {name: all_traps[name][numbers] for name in ("trap_reason", "trap_action", "trap_method", "trap_bci")}
    happened = _events(run, columns, log_words, words)
    count = len(numbers)
    groups = np.concatenate((_group(FIRED, traps["trap_reason"], traps["trap_action"]), happened.groups))
    places = np.concatenate((pair(traps["trap_method"], traps["trap_bci"]), happened.places))
    first, place_of = unique_pairs(groups, places)
    groups, places = groups[first], places[first]
    emitted = np.zeros(len(places), np.uint32)
    emitted[place_of[:count]] = all_traps["trap_count"][numbers]
    trap = np.full(len(places), NONE, np.uint32)
    trap[place_of[:count]] = numbers
    fired = np.bincount(place_of[count:], minlength=len(places)).astype(np.uint32)
    for place in np.flatnonzero((fired > 0) & (trap == NONE) & (groups >> np.uint64(32) == FIRED)).tolist():
        other = _compiled_in_as(words, groups, places, place)
        if other is not None:
            trap[place], emitted[place] = trap[other], emitted[other]
    hidden = np.bincount(happened.replaced_words, minlength=len(words.texts))
    order, shown = _order(groups, places, emitted, fired)
    table = _ordered(
        shown,
        groups[order],
        places[order],
        emitted[order],
        fired[order],
        ranks_of(order, np.uint32)[place_of[count:]],
        happened.events,
        columns,
    )
    table["deopt_trap"] = trap[order]
    _append_replaced(table, hidden)
    return {"deopt_run": np.full(len(table["deopt_type"]), run, np.uint8), **table}


def _compiled_in_as(words: UniqueTexts, groups: U64Array, places: U64Array, place: int) -> int | None:
    """Returns the place of a fired trap under the reason with which it was compiled in, if that is another one."""
    group = int(groups[place])
    reason = COMPILED_IN_AS.get(words.texts[group >> 16 & 0xFFFF].decode("utf-8", "replace"))
    number = None if reason is None else words.find(reason.encode())
    if number is None:
        return None
    wanted = np.uint64(group & ~(0xFFFF << 16) | number << 16)
    first, stop = np.searchsorted(groups, [wanted, wanted + np.uint64(1)])
    found = int(first + np.searchsorted(places[first:stop], places[place]))
    return found if found < stop and places[found] == places[place] else None


class _Happened:
    """Events that ended code: the group and the place of each, and its number."""

    def __init__(self, groups: U64Array, places: U64Array, events: U32Array, replaced_words: U32Array) -> None:
        self.groups, self.places, self.events, self.replaced_words = groups, places, events, replaced_words


def _group(type: int, reason: U16Array, action: U16Array) -> U64Array:
    """Packs type, reason and action into one number of 64 bits."""
    return np.uint64(type) << np.uint64(32) | reason.astype(np.uint64) << np.uint64(16) | action.astype(np.uint64)


def _events(run: int, columns: Mapping[str, AnyArray], log_words: list[bytes], words: UniqueTexts) -> _Happened:
    kinds = columns["event_kind"]
    is_one = np.isin(kinds, list(TYPES)) & (columns["event_flags"] & IS_ZOMBIE == 0) & (columns["event_run"] == run)
    events = np.flatnonzero(is_one).astype(np.uint32)
    types = np.array([TYPES.get(kind, 0) for kind in range(256)], np.uint64)[kinds[events]]
    reasons, actions = columns["event_reason"][events], columns["event_action"][events]
    used = distinct(np.concatenate((reasons, actions[types == FIRED])))
    map = np.full(NO_WORD + 1, words.number(b""), np.uint32)
    for word in used[used != NO_WORD].tolist():
        map[word] = words.number(log_words[word])
    reason, action = map[reasons], np.where(types == FIRED, map[actions], np.uint32(words.number(b"")))
    derived = np.array([words.number(why.replace("_", " ").encode()) for why in NOT_ENTRANT], np.uint32)
    is_silent = (types == ENDED) & (reasons == NO_WORD)
    reason[is_silent] = derived[np.minimum(actions[is_silent], len(derived) - 1)]
    method = columns["event_method"][events]
    task = columns["event_task"][events]
    has_task = (method == NONE) & (task != NONE)
    method[has_task] = columns["task_method"][task[has_task]]
    bci = np.where(types == FIRED, columns["event_bci"][events], np.uint32(NONE))
    is_replaced = (types == ENDED) & (actions == BY_REPLACING)
    kept = ~is_replaced
    groups = types[kept] << np.uint64(32) | reason[kept].astype(np.uint64) << np.uint64(16) | action[kept]
    return _Happened(groups, pair(method[kept], bci[kept]), events[kept], reason[is_replaced])


def _order(groups: U64Array, places: U64Array, emitted: U32Array, fired: U32Array) -> tuple[I64Array, U8Array]:
    """Returns the order of places, and the type under which each place in it is shown.

    Groups by type, then by most events, then by most compiled-in traps; their methods in the same way.
    """
    unique, group_of = np.unique(groups, return_inverse=True)
    group_fired, group_emitted = (np.bincount(group_of, counts, len(unique)) for counts in (fired, emitted))
    type = (unique >> np.uint64(32)).astype(np.uint8)
    shown = np.where((type == FIRED) & (group_fired == 0), NEVER, type).astype(np.uint8)
    group_rank = ranks_of(np.lexsort((unique & np.uint64(0xFFFFFFFF), -group_emitted, -group_fired, shown)), np.uint32)
    methods, method_of = unique_pairs(groups, places >> np.uint64(32))
    method_fired, method_emitted = (np.bincount(method_of, counts, len(methods)) for counts in (fired, emitted))
    numbers = places[methods] >> np.uint64(32)
    method_rank = ranks_of(
        np.lexsort((numbers, -method_emitted, -method_fired, group_rank[group_of[methods]])), np.uint32
    )
    bci = places & np.uint64(NONE)
    order = np.lexsort((pair(NONE - emitted, bci), pair(method_rank[method_of], NONE - fired)))
    return order, shown[group_of[order]]


def _ordered(
    shown: U8Array,
    groups: U64Array,
    places: U64Array,
    emitted: U32Array,
    fired: U32Array,
    place_of_event: U32Array,
    events: U32Array,
    columns: Mapping[str, AnyArray],
) -> dict[str, AnyArray]:
    """Returns the arrays without replaced code, from places in their order."""
    by_place = np.lexsort((events, place_of_event))
    event_place, ordered = place_of_event[by_place], events[by_place]
    method = places >> np.uint64(32)
    is_group = begins(groups)
    first_places = np.flatnonzero(begins(groups, method))
    first_methods = np.flatnonzero(is_group[first_places])
    first = np.append(first_methods, len(first_places))
    method_first = np.append(first_places, len(places))
    place_first = np.searchsorted(event_place, np.arange(len(places) + 1))
    # A place has one row, a method begins at a place: sums over the range between two beginnings.
    fired_by_method, emitted_by_method = _sums(fired, first_places), _sums(emitted, first_places)
    group = groups[first_places][first_methods]
    method_of_event = np.searchsorted(first_places, event_place, "right") - 1
    return {
        "deopt_type": shown[first_places][first_methods],
        "deopt_reason": (group >> np.uint64(16)).astype(np.uint16),
        "deopt_action": group.astype(np.uint16),
        "deopt_fired": _sums(fired_by_method, first_methods),
        "deopt_emitted": _sums(emitted_by_method, first_methods),
        "deopt_first": first.astype(np.uint32),
        "deopt_method": method[first_places].astype(np.uint32),
        "deopt_method_fired": fired_by_method,
        "deopt_method_emitted": emitted_by_method,
        "deopt_method_again": _is_recompiled(columns, ordered, method_of_event, len(first_places)).astype(np.uint32),
        "deopt_method_first": method_first.astype(np.uint32),
        "deopt_bci": places.astype(np.uint32),
        "deopt_place_fired": fired,
        "deopt_place_emitted": emitted,
        "deopt_place_again": _is_recompiled(columns, ordered, event_place, len(places)).astype(np.uint32),
        "deopt_place_first": place_first.astype(np.uint32),
        "deopt_event": ordered,
    }


def _append_replaced(table: dict[str, AnyArray], replaced: I64Array) -> None:
    """Appends code that was replaced by better code: a group for each reason, without children."""
    reasons = np.flatnonzero(replaced)
    more = {
        "deopt_type": np.full(len(reasons), REPLACED),
        "deopt_reason": reasons,
        "deopt_action": np.zeros(len(reasons)),
        "deopt_fired": replaced[reasons],
        "deopt_emitted": np.zeros(len(reasons)),
        "deopt_first": np.full(len(reasons), table["deopt_first"][-1]),
    }
    for name, values in more.items():
        table[name] = np.append(table[name], values.astype(table[name].dtype))


def _sums(values: U32Array, firsts: I64Array) -> U32Array:
    """Returns the sum of each range from one beginning to the next."""
    return np.add.reduceat(values, firsts, dtype=np.uint32) if len(firsts) else np.zeros(0, np.uint32)


def _is_recompiled(
    columns: Mapping[str, AnyArray], events: U32Array, entry_of_event: AnyArray, entries: int,
) -> I64Array:  # fmt: skip
    """Returns by entry how many compilations of the methods whose code it ended began later, at the same level."""
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
    is_first = begins(entry, key)
    entry, key, stamp = entry[is_first], key[is_first], stamp[is_first]
    # Tasks of a key are contiguous, in order of time: those after the event are counted.
    timed, wanted = ranked << 32 | begun, key << 32 | stamp
    stop = np.searchsorted(ranked, key, "right")
    start = np.searchsorted(timed, wanted, "right")
    np.add.at(result, entry, np.maximum(stop - start, 0))
    return result


def _keys(columns: Mapping[str, AnyArray]) -> I64Array:
    """Returns by task a number for its method, level, OSR flag and run; small, without gaps."""
    is_osr = (columns["task_flags"] & IS_OSR != 0).astype(np.uint32)
    rest = columns["task_level"].astype(np.uint32) << 16 | is_osr << 8 | columns["task_run"]
    return np.unique(pair(columns["task_method"], rest), return_inverse=True)[1].astype(np.int64)
