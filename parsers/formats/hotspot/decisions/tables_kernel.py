"""Reads the contents of tasks with a kernel, gigabytes of them. Twin: `tables_plain`.

A task counts when it was read to its end: until then all its values are in records. If a table may be too small, the
kernel stops before that task, or in it, reports the table (`WANTED`), and is called again for the same task with a
larger one. Words, methods and paths that were added by then do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import (
    DEPENDENCY,
    ELEMENT,
    FAIL,
    FAILED,
    FAILURE,
    FRAGMENT_ELEMENT,
    INLINED,
    INTRINSIC,
    INTRINSICS,
    LONGEST_METHOD,
    MOST_DEPTH,
    MOST_IDS,
    MOST_PARSES,
    MOST_PATHS,
    MOST_WORDS,
    SUCCESS,
    THROWN_AWAY,
    TRAP,
    TRAP_SITE,
    TRAPS_WITH_METHOD,
    UNKNOWN_IDS,
    Attribute,
    Element,
)
from parsers.formats.hotspot.decisions.method_text import IS_KLASS, IS_METHOD, IS_TYPE, compose, kind_of
from parsers.formats.hotspot.decisions.tag import (
    LESS,
    LF,
    OPENS,
    SLASH,
    digits,
    name_end,
    read_tag,
)
from parsers.formats.hotspot.log.columns import NO_LEVEL
from parsers.formats.hotspot.log.read.tag_kernel import is_blank, milliseconds_at
from parsers.kernels.decorators import apart, int64, kernel, part, uint32, uint64
from parsers.kernels.id_table import free_slot
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import find, hash64
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.index.kernel_texts import TextSlots
    from parsers.model.arrays import I64Array, RecordArray, U8Array, U32Array

WORDS, METHODS, SITES, PLACES, PATHS, SERIAL, WANTED = range(7)
"""Counts: entries in use of each table, tasks that were begun, and which table is full."""
(
    FULL_WORDS,
    FULL_WORD_BYTES,
    FULL_METHODS,
    FULL_METHOD_BYTES,
    FULL_SITES,
    FULL_PLACES,
    FULL_RECORDS,
    FULL_FRAMES,
    FULL_COUNTS,
) = range(1, 10)
"""Values of `WANTED`: the table that is too small."""

FRAME = np.dtype(
    [
        (name, "i8")
        for name in ("name", "parse", "parses", "path", "method", "call", "bci", "profile_count", "stamp", "has_jvms")
    ],
    align=True,
)
"""An open element; see `tables_plain.OpenElement`."""
NOTE = np.dtype([("category", "u4"), ("word", "u4")], align=True)
"""A word to be counted."""
TAKEN = np.dtype([("path", "i8"), ("time", "i8")], align=True)
"""A phase that ended: its path, and its milliseconds."""

DEPTH, PARSES, OF_FLOW, LOST, CALLS, PHASES, NOTES, TOP, FREE_CACHE, METHOD_OF_TASK, IS_FRAGMENT = range(11)
TASK_FACTS = 11
"""Values of the current task."""
LEVELS = 8
"""Number of levels in `times`; the last one is for unknown levels."""
MOST_LEVEL = 7


class ThreadTables(NamedTuple):
    """Tables of one thread; all but those of fixed length grow."""

    facts: I64Array
    """int64[16]"""
    words: TextSlots
    methods: TextSlots
    method_code: U32Array
    """uint32 by method: bytes of its bytecode."""
    method_holder: U32Array
    """uint32 by method: bytes of its text that are its class; the minimum, if tasks differ."""
    site_slots: U32Array
    """uint32[2^k]: number of a site + 1; 0: free."""
    sites: RecordArray
    """SITE[n]"""
    places: RecordArray
    """PLACE[m]"""
    paths: RecordArray
    """PATH[MOST_PATHS]"""
    times: RecordArray
    """TIMES[MOST_PATHS, LEVELS]"""


class ThreadBuffers(NamedTuple):
    """Working memory of a thread."""

    ids: RecordArray
    """DEFINITION[MOST_IDS]"""
    frames: RecordArray
    """FRAME[f]"""
    task: I64Array
    """int64[TASK_FACTS]"""
    text: U8Array
    """uint8[LONGEST_METHOD + 128]"""
    attributes: RecordArray
    """SPAN[Attribute]"""
    calls: RecordArray
    """SITE[r]: a decision or a trap each; without `count` and `task`."""
    phases: RecordArray
    """TAKEN[r]"""
    notes: RecordArray
    """NOTE[r]"""


@apart
def word_at(facts: I64Array, words: TextSlots, data: U8Array, start: int, length: int) -> int:
    """Returns the number of the word at a position; of the empty word if there are too many. Twin: `UniqueTexts`."""
    count = facts[WORDS]
    number = number_of(
        words.slots,
        words.starts,
        words.blob,
        count,
        data,
        start,
        length,
        hash64(data, start, length),
        MOST_WORDS,
    )
    if number < count:
        return number
    if count >= MOST_WORDS:
        return 0
    facts[WORDS] = count + 1
    return number


@apart
def word_of(facts: I64Array, words: TextSlots, data: U8Array, places: RecordArray, has: int, attribute: int) -> int:
    """Returns the number of an attribute's value as a word; of the empty word if it isn't there."""
    if not has >> attribute & 1:
        return 0
    return word_at(facts, words, data, places[attribute].start, places[attribute].length)


@apart
def value_of(data: U8Array, places: RecordArray, has: int, attribute: int, otherwise: int) -> int:
    """Returns an attribute's number."""
    if not has >> attribute & 1:
        return otherwise
    start = places[attribute].start
    value: int = digits(data, start, start + places[attribute].length)[0]
    return value


@apart
def note(task: I64Array, notes: RecordArray, category: int, word: int) -> None:
    """Records a word, to be counted when the task is kept."""
    count = task[NOTES]
    notes[count].category = uint32(category)
    notes[count].word = uint32(word)
    task[NOTES] = count + 1


@apart
def method_of(tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, has: int, attribute: int) -> int:
    """Returns the number of the method in an attribute; NONE if none or unknown, -1: a table is full."""
    if not has >> attribute & 1:
        return NONE
    id = value_of(data, buffers.attributes, has, attribute, 0)
    serial = tables.facts[SERIAL]
    if kind_of(buffers.ids, id, serial) != IS_METHOD:
        buffers.task[LOST] += 1
        return NONE
    if buffers.ids[id].number < 0:
        count = tables.facts[METHODS]
        if int64(tables.methods.starts[count]) + LONGEST_METHOD + 256 > len(tables.methods.blob):
            tables.facts[WANTED] = FULL_METHOD_BYTES
            return -1
        if count + 2 >= len(tables.methods.starts) or 2 * count >= len(tables.methods.slots):
            tables.facts[WANTED] = FULL_METHODS
            return -1
        length, holder = compose(buffers.text, data, buffers.ids, id, serial)
        number = number_of(
            tables.methods.slots,
            tables.methods.starts,
            tables.methods.blob,
            count,
            buffers.text,
            0,
            length,
            hash64(buffers.text, 0, length),
        )
        if number == count:
            tables.facts[METHODS] = count + 1
            tables.method_code[number] = NONE
            tables.method_holder[number] = NONE
        tables.method_holder[number] = uint32(min(int64(tables.method_holder[number]), holder))
        code = buffers.ids[id].code
        if code >= 0:
            known = int64(tables.method_code[number])
            tables.method_code[number] = uint32(code if known == NONE else max(code, known))
        buffers.ids[id].number = number
    method: int = buffers.ids[id].number
    return method


@apart
def define(ids: RecordArray, places: RecordArray, data: U8Array, has: int, kind: int, serial: int) -> None:
    """Defines an id."""
    if not has >> Attribute.ID & 1:
        return
    id = value_of(data, places, has, Attribute.ID, 0)
    if id >= MOST_IDS:
        return
    ids[id].task = serial
    ids[id].kind = kind
    ids[id].number = -1
    ids[id].name_at = places[Attribute.NAME].start if has >> Attribute.NAME & 1 else -1
    ids[id].name_length = places[Attribute.NAME].length
    if kind == IS_METHOD:
        ids[id].holder = value_of(data, places, has, Attribute.HOLDER, 0)
        ids[id].result = value_of(data, places, has, Attribute.RETURN, -1)
        ids[id].code = value_of(data, places, has, Attribute.BYTES, -1)
        ids[id].arguments_at = places[Attribute.ARGUMENTS].start if has >> Attribute.ARGUMENTS & 1 else -1
        ids[id].arguments_length = places[Attribute.ARGUMENTS].length


@apart
def path_of(facts: I64Array, paths: RecordArray, above: int, name: int) -> int:
    """Returns the number of a phase by its parent path; `above` if there are too many."""
    count: int = facts[PATHS]
    for path in range(count):
        if paths[path].name == name and paths[path].above == above:
            return path
    if count >= MOST_PATHS:
        return above
    paths[count].above = above
    paths[count].name = name
    facts[PATHS] = count + 1
    return count


@apart
def record(
    task: I64Array, calls: RecordArray, kind: int, reason: int, method: int, bci: int, other: int, profile_count: int
) -> None:
    """Records a decision or a trap."""
    call = calls[task[CALLS]]
    call.kind = uint32(kind)
    call.reason = uint32(reason)
    call.caller = uint32(method)
    call.bci = uint32(bci)
    call.callee = uint32(other)
    call.profile_count = uint32(profile_count)
    task[CALLS] += 1


@apart
def set_bytecode(frames: RecordArray, place: int, method: int, bci: int) -> None:
    """Sets method and bytecode of what follows in an element; its call is unknown yet."""
    frames[place].method = method
    frames[place].bci = bci
    frames[place].call = NONE
    frames[place].profile_count = 0


@apart
def decide(tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, element: int, has: int, frame: int) -> None:
    """Records the decision of a call."""
    parse = buffers.frames[buffers.frames[frame].parse]
    kind, category, attribute = INLINED, SUCCESS, Attribute.REASON
    if element == Element.INLINE_FAIL:
        kind, category = FAILED, FAIL
    elif element == Element.INTRINSIC:
        kind, category, attribute = INTRINSIC, INTRINSICS, Attribute.ID
    reason = word_of(tables.facts, tables.words, data, buffers.attributes, has, attribute)
    if not buffers.task[IS_FRAGMENT]:
        note(buffers.task, buffers.notes, category, reason)
    record(buffers.task, buffers.calls, kind, reason, parse.method, parse.bci, parse.call, parse.profile_count)


@apart
def trap(tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, has: int, frame: int) -> bool:
    """Records a trap that was compiled in. Returns False if a table is full."""
    if has >> Attribute.THREAD & 1:
        return True
    reason = word_of(tables.facts, tables.words, data, buffers.attributes, has, Attribute.REASON)
    if not buffers.task[IS_FRAGMENT]:
        note(buffers.task, buffers.notes, TRAP, reason)
    action = word_of(tables.facts, tables.words, data, buffers.attributes, has, Attribute.ACTION)
    bci = value_of(data, buffers.attributes, has, Attribute.BCI, NONE)
    parse = buffers.frames[frame].parse
    if parse and buffers.frames[parse].bci == NONE and bci != NONE:
        # JDK 8 checks a receiver in the parse that is inlined, before its first bytecode: part of the code that calls.
        around = buffers.frames[parse - 1].parse
        parse = around if buffers.frames[around].bci == bci else parse
    method = buffers.frames[parse].method
    if has >> Attribute.METHOD & 1:
        method = method_of(tables, buffers, data, has, Attribute.METHOD)
        if method < 0:
            return False
        buffers.task[OF_FLOW] += 1
    record(buffers.task, buffers.calls, TRAP_SITE, reason, method, bci, action, 0)
    return True


@apart
def fail(tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, has: int) -> None:
    """Records the failure of a task or an attempt."""
    category = THROWN_AWAY if has >> Attribute.PHASE & 1 else FAILURE
    word = word_of(tables.facts, tables.words, data, buffers.attributes, has, Attribute.REASON)
    if not buffers.task[IS_FRAGMENT]:
        note(buffers.task, buffers.notes, category, word)
    if category == THROWN_AWAY:
        buffers.task[CALLS] = 0
        set_bytecode(buffers.frames, 0, buffers.task[METHOD_OF_TASK], NONE)


@apart
def read_element(
    tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, element: int, has: int, frame: int, opened: int
) -> bool:
    """Handles an element; False: a table is full. frame: around it; opened: its own, -1 if it has no content."""
    frames = buffers.frames
    parse = frames[frame].parse
    if element == Element.BC:
        set_bytecode(frames, parse, frames[parse].method, value_of(data, buffers.attributes, has, Attribute.BCI, NONE))
    elif element == Element.METHOD:
        define(buffers.ids, buffers.attributes, data, has, IS_METHOD, tables.facts[SERIAL])
    elif element == Element.KLASS:
        define(buffers.ids, buffers.attributes, data, has, IS_KLASS, tables.facts[SERIAL])
    elif element == Element.TYPE:
        define(buffers.ids, buffers.attributes, data, has, IS_TYPE, tables.facts[SERIAL])
    elif element == Element.CALL:
        method = method_of(tables, buffers, data, has, Attribute.METHOD)
        frames[parse].call = method
        frames[parse].profile_count = value_of(data, buffers.attributes, has, Attribute.COUNT, 0)
        return method >= 0
    elif element in (Element.INLINE_SUCCESS, Element.INLINE_FAIL, Element.INTRINSIC):
        decide(tables, buffers, data, element, has, frame)
    elif element == Element.UNCOMMON_TRAP:
        return trap(tables, buffers, data, has, frame)
    elif element == Element.PARSE:
        if opened >= 0:
            frames[opened].parse = opened
            frames[opened].parses += 1
            buffers.task[PARSES] = max(buffers.task[PARSES], frames[opened].parses)
            method = method_of(tables, buffers, data, has, Attribute.METHOD)
            frames[opened].method = method
            return method >= 0
    elif element == Element.PHASE:
        if opened >= 0:
            name = word_of(tables.facts, tables.words, data, buffers.attributes, has, Attribute.NAME)
            frames[opened].path = path_of(tables.facts, tables.paths, frames[frame].path, name)
            frames[opened].stamp = stamp_of(data, buffers.attributes, has)
    elif element == Element.PHASE_DONE:
        if frames[frame].name == Element.PHASE and has >> Attribute.STAMP & 1 and frames[frame].path >= 0:
            taken = buffers.phases[buffers.task[PHASES]]
            taken.path = frames[frame].path
            taken.time = max(stamp_of(data, buffers.attributes, has) - frames[frame].stamp, 0)
            buffers.task[PHASES] += 1
    elif element == Element.JVMS:
        if frames[frame].name == Element.LATE_INLINE and not frames[frame].has_jvms:
            frames[frame].has_jvms = 1
            method = method_of(tables, buffers, data, has, Attribute.METHOD)
            set_bytecode(buffers.frames, 0, method, value_of(data, buffers.attributes, has, Attribute.BCI, NONE))
            return method >= 0
    elif element == Element.FAILURE:
        fail(tables, buffers, data, has)
    elif element == Element.CODE_CACHE:
        if has >> Attribute.FREE_CODE_CACHE & 1:
            buffers.task[FREE_CACHE] = value_of(data, buffers.attributes, has, Attribute.FREE_CODE_CACHE, 0) // 1024
    elif element == Element.DEPENDENCY_FAILED:
        word = word_of(tables.facts, tables.words, data, buffers.attributes, has, Attribute.TYPE)
        if not buffers.task[IS_FRAGMENT]:
            note(buffers.task, buffers.notes, DEPENDENCY, word)
    return True


@apart
def stamp_of(data: U8Array, places: RecordArray, has: int) -> int:
    """Returns the stamp of a tag in milliseconds; 0 if there is none."""
    if not has >> Attribute.STAMP & 1:
        return 0
    place = places[Attribute.STAMP]
    stamp = int64(milliseconds_at(data, place.start, place.start + place.length))
    return 0 if stamp == NONE else stamp


@part
def open_frame(buffers: ThreadBuffers, element: int) -> int:
    """Opens an element below the last one. Returns -1 if the table is full."""
    frames = buffers.frames
    top: int = buffers.task[TOP] + 1
    if top >= len(frames):
        return -1
    buffers.task[TOP] = top
    frames[top].name = element
    frames[top].parse = frames[top - 1].parse
    frames[top].parses = frames[top - 1].parses
    frames[top].path = frames[top - 1].path
    frames[top].stamp = frames[top].has_jvms = 0
    set_bytecode(frames, top, NONE, NONE)
    return top


@part
def close_frame(buffers: ThreadBuffers, element: int) -> None:
    """Closes an element, with all that are open in it; nothing if none of that name is open."""
    place = buffers.task[TOP]
    while place > 0:
        if buffers.frames[place].name == element:
            buffers.task[TOP] = place - 1
            return
        place -= 1


@part
def begin(buffers: ThreadBuffers, method: int, is_fragment: bool) -> None:
    """Begins a task."""
    task, frames = buffers.task, buffers.frames
    task[:] = 0
    task[DEPTH] = 1
    task[FREE_CACHE] = NONE
    task[METHOD_OF_TASK] = method
    task[IS_FRAGMENT] = is_fragment
    root = frames[0]
    root.name = root.parse = root.parses = root.stamp = root.has_jvms = 0
    root.path = -1
    set_bytecode(buffers.frames, 0, method, NONE)


@apart
def read_task(tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, start: int, stop: int) -> bool:
    """Reads all tags of data[start:stop]. Returns False if a table is full."""
    task = buffers.task
    at = start
    category = FRAGMENT_ELEMENT if task[IS_FRAGMENT] else ELEMENT
    while True:
        at = find(data, at, stop, LESS)
        if at < 0:
            return True
        place = at
        at += 1
        is_end = at < stop and data[at] == SLASH
        name = at + 1 if is_end else at
        if name >= stop or not (97 <= data[name] <= 122 or 65 <= data[name] <= 90):
            continue
        end = name_end(data, name, stop)
        if end >= stop or not (is_blank(data[end]) or data[end] == SLASH or data[end] == 62):
            continue
        if is_full(tables, buffers):
            return False
        element = word_at(tables.facts, tables.words, data, name, end - name)
        is_read = element <= Element.DEPENDENCY_FAILED
        at, has, how = read_tag(data, end, stop, is_read and not is_end, buffers.attributes)
        if is_end:
            close_frame(buffers, element)
            continue
        note(buffers.task, buffers.notes, category, element)
        frame, opened = task[TOP], -1
        if place > start:
            if how == OPENS:
                opened = open_frame(buffers, element)
                if opened < 0:
                    tables.facts[WANTED] = FULL_FRAMES
                    return False
            task[DEPTH] = max(task[DEPTH], task[TOP] + (1 if how == OPENS else 2))
        if is_read and not read_element(tables, buffers, data, element, has, frame, opened):
            return False
        if element == Element.DEPENDENCY_FAILED:
            at = find(data, at, stop, LF)
            if at < 0:
                return True


@part
def mixed(value: int, field: int) -> int:
    """Adds a field to a hash of 64 bits."""
    value = (value ^ uint64(field)) * uint64(0xFF51AFD7ED558CCD)
    return value ^ value >> uint64(32)


@apart
def hash_of_site(sites: RecordArray, row: int) -> int:
    """Returns a hash of 64 bits for the fields that identify a site."""
    site = sites[row]
    value = mixed(mixed(uint64(0x9E3779B97F4A7C15), site.kind), site.reason)
    return mixed(mixed(mixed(value, site.caller), site.bci), site.callee)


@apart
def site_of(facts: I64Array, sites: RecordArray, slots: U32Array, calls: RecordArray, place: int) -> int:
    """Returns the number of the site of a decision; a new one if it is its first."""
    mask = uint64(len(slots) - 1)
    slot = hash_of_site(calls, place) & mask
    call = calls[place]
    count: int = facts[SITES]
    while slots[slot] != 0:
        known: int = int64(slots[slot]) - 1
        site = sites[known]
        if (
            site.kind == call.kind
            and site.reason == call.reason
            and site.caller == call.caller
            and site.bci == call.bci
            and site.callee == call.callee
        ):
            return known
        slot = (slot + uint64(1)) & mask
    slots[slot] = uint32(count + 1)
    sites[count] = call
    sites[count].count = uint32(0)
    sites[count].task = uint32(NONE)
    facts[SITES] = count + 1
    return count


@apart
def store_task(tables: ThreadTables, buffers: ThreadBuffers, number: int, level: int) -> None:
    """Adds the records of a task to the tables."""
    facts = tables.facts
    for place in range(buffers.task[CALLS]):
        row = site_of(facts, tables.sites, tables.site_slots, buffers.calls, place)
        site = tables.sites[row]
        site.count += uint32(1)
        site.profile_count = max(site.profile_count, buffers.calls[place].profile_count)
        if int64(site.task) != number:
            site.task = uint32(number)
            tables.places[facts[PLACES]].site = uint32(row)
            tables.places[facts[PLACES]].task = uint32(number)
            facts[PLACES] += 1
    for place in range(buffers.task[PHASES]):
        path, time = buffers.phases[place].path, buffers.phases[place].time
        times = tables.times[path, min(level, MOST_LEVEL)]
        if times.count == 0 or time > times.longest:
            times.longest = time
            times.task = number
        times.path = path
        times.level = level if level < MOST_LEVEL else NO_LEVEL
        times.count += 1
        times.total += time


@part
def is_full(tables: ThreadTables, buffers: ThreadBuffers) -> bool:
    """True if a tag could add more than the tables have space for."""
    facts, words = tables.facts, tables.facts[WORDS] + 4
    if words >= len(tables.words.starts) or 2 * words >= len(tables.words.slots):
        facts[WANTED] = FULL_WORDS
        return True
    records = buffers.task[NOTES] + 4
    if (
        records >= len(buffers.notes)
        or buffers.task[CALLS] >= len(buffers.calls)
        or buffers.task[PHASES] >= len(buffers.phases)
    ):
        facts[WANTED] = FULL_RECORDS
        return True
    return False


@part
def has_capacity(tables: ThreadTables, buffers: ThreadBuffers) -> bool:
    """True if the tables have space for the records of a task."""
    facts, calls = tables.facts, buffers.task[CALLS]
    if 2 * (facts[SITES] + calls) >= len(tables.site_slots) or facts[SITES] + calls >= len(tables.sites):
        facts[WANTED] = FULL_SITES
    elif facts[PLACES] + calls >= len(tables.places):
        facts[WANTED] = FULL_PLACES
    else:
        return True
    return False


@kernel
def read_tasks(
    tables: ThreadTables, buffers: ThreadBuffers, data: U8Array, starts: I64Array, ends: I64Array, methods: U32Array,
    levels: U8Array, fragments: U8Array, first: int, counts: I64Array, scalars: I64Array, free: U32Array,
    inlined: U32Array, failed: U32Array,
) -> int:  # fmt: skip
    """Reads some tasks; returns how many were read before a table was full.

    data       uint8: the bytes of the tasks; 128 bytes after the last one are readable
    starts, ends, methods, levels, fragments   int64, int64, uint32, uint8, uint8 by task: where it is in `data`, its
               method's number, its level, 1 if it is in a fragment
    first      number of the first one of them
    counts     int64[CATEGORIES, words], scalars int64[SCALARS]: added to
    free, inlined, failed   uint32 by task: filled
    """
    facts = tables.facts
    for task in range(len(starts)):
        start, stop = starts[task], ends[task]
        if int64(tables.words.starts[facts[WORDS]]) + stop - start + 256 > len(tables.words.blob):
            facts[WANTED] = FULL_WORD_BYTES
            return task
        facts[SERIAL] += 1
        is_fragment = fragments[task] != 0
        begin(buffers, int64(methods[task]), is_fragment)
        if not read_task(tables, buffers, data, start, stop) or not has_capacity(tables, buffers):
            return task
        if facts[WORDS] > counts.shape[1]:
            facts[WANTED] = FULL_COUNTS
            return task
        for place in range(buffers.task[NOTES]):
            counts[buffers.notes[place].category, buffers.notes[place].word] += 1
        if not is_fragment:
            store_task(tables, buffers, first + task, int64(levels[task]))
            scalars[TRAPS_WITH_METHOD] += buffers.task[OF_FLOW]
            scalars[UNKNOWN_IDS] += buffers.task[LOST]
            scalars[MOST_PARSES] = max(scalars[MOST_PARSES], buffers.task[PARSES])
            scalars[MOST_DEPTH] = max(scalars[MOST_DEPTH], buffers.task[DEPTH])
        calls = buffers.calls
        free[task] = uint32(buffers.task[FREE_CACHE])
        inlined[task] = failed[task] = uint32(0)
        for place in range(buffers.task[CALLS]):
            inlined[task] += uint32(calls[place].kind == INLINED)
            failed[task] += uint32(calls[place].kind == FAILED)
    return len(starts)


@kernel
def fill_sites(slots: U32Array, sites: RecordArray, count: int) -> None:
    """Adds sites to an empty hash table that is large enough."""
    for site in range(count):
        slots[free_slot(slots, hash_of_site(sites, site) & uint64(len(slots) - 1))] = uint32(site + 1)
