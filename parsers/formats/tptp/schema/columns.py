"""Columns of the tables of a recording: a row for each thread, class, method, object, state, call …

Rows are in file order and contiguous per session (a recording has one or several), see "session". Texts are numbers of
unique `word`s: bytes as in the file, converted to UTF-8, entities resolved. Moments and durations are integer
nanoseconds (moments since 1970). Offsets are bytes of the decompressed recording, of the `<` of an element. An id of
the file is a number if it is written in digits; any other is -1 minus the number of its word.

An id may be reused after its object, thread or class has ended. So tables refer to rows, never to ids. An id without a
definition at its first use has a row in the table of its kind, else in "unknown".
"""

from __future__ import annotations

from parsers.index.bitpacked.columns import Packing
from parsers.model.none import NONE

NOWHERE = 0xFFFF_FFFF_FFFF_FFFF
"""No offset."""
NEVER = -(1 << 63)
"""No moment, no duration, no id, in columns of type i8."""

SESSION_ENDS = ("closed", "no end tag", "cut inside an element")
CLOSED, NO_END_TAG, IS_CUT = range(3)

IS_ARRAY, IS_DEFINED_ONLY, IS_RECORDED_ARRAY = 1, 2, 4
"""Bits of `object_flags`: an array; known by objDef alone; the file states whether it is an array."""

STATE_KINDS = ("waiting for lock", "waiting for object", "sleeping")
FOR_LOCK, FOR_OBJECT, SLEEPING = range(3)

NO_ENTRY, NO_EXIT, IS_RUNNING, IS_NEGATIVE, IS_NEGATIVE_BASE = 1, 2, 4, 8, 16
"""Bits of `call_flags`: exit without entry; ended by the exit of a caller; open at the end; ends before it begins; took
less time than its callees.
"""

ENTITY_BITS = 30
OBJECT_ENTITY, CLASS_ENTITY, THREAD_ENTITY, UNKNOWN_ENTITY = (kind << ENTITY_BITS for kind in range(4))
"""Kinds of entities. An entity is a row of "object", "class", "thread" or "unknown", its kind in the upper two bits."""

BLOCK = 64 << 10
"""Bytes of a block of "counted"."""
IS_UNKNOWN_ELEMENT = 1

KEPT_FINDINGS = 1000

TABLES: dict[str, dict[str, str]] = {
    # Other facts of a session are in the facts of the index: its agents, encoding, counts of elements …
    # For each table X there is `session_first_X` (u4, one entry more than sessions): the session's first row.
    "session": {
        "session_offset": "u8",  # start of the session
        "session_end": "u8",  # after its last complete element
        "session_member": "u4",  # a word: the member of the zip; NONE
        "session_first_moment": "i8",  # of the first element with a time
        "session_earliest": "i8",
        "session_latest": "i8",
        "session_state": "u1",  # index in SESSION_ENDS
    },
    # A row for each threadStart, and for each thread id without one.
    "thread": {
        "thread_id": "i8",
        "thread_object": "i8",  # id of its object; NEVER if there is none
        "thread_start": "i8",
        "thread_end": "i8",  # NEVER: it had not ended
        "thread_offset": "u8",  # NOWHERE: it has no threadStart
        "thread_blocked": "i8",  # durations of completed states
        "thread_waited": "i8",
        "thread_slept": "i8",
        "thread_longest_block": "i8",
        "thread_overhead": "i8",  # sum of the agent's overhead in its calls
        "thread_name": "u4",
        "thread_group": "u4",
        "thread_parent": "u4",  # the parent *group*
        "thread_blocks": "u4",  # completed ones
        "thread_waits": "u4",
        "thread_sleeps": "u4",
        "thread_calls": "u4",
        "thread_allocations": "u4",
        "thread_first_state": "u4",  # its first row in `state_of_thread`; one entry more than threads
        "thread_first_call": "u4",  # its first row in `call_of_thread`; one entry more
    },
    # A row for each classDef, and for each class id without one. Several may have one name.
    "class": {
        "class_id": "i8",
        "class_offset": "u8",  # NOWHERE: not defined
        "class_time": "i8",
        "class_unloaded": "i8",
        "class_name": "u4",  # a word, as Java writes it: dots, `int[]`; NONE where it is not defined
        "class_source": "u4",
    },
    # A row for each methodDef, and for each method id without one.
    "method": {
        "method_id": "i8",
        "method_offset": "u8",
        "method_base": "i8",
        "method_cumulative": "i8",
        "method_overhead": "i8",
        "method_calls": "u4",  # entries, also of those still running
        "method_returned": "u4",
        "method_count": "u4",  # sum of methodCount elements, where only these were recorded
        "method_class": "u4",  # row of classes; NONE
        "method_name": "u4",  # a word, `<init>` for `-init-`; NONE where it is not defined
        "method_signature": "u4",
        "method_first_line": "u4",  # NONE: native, or unknown
        "method_last_line": "u4",
    },
    # A row for each objAlloc, and for each objDef of an id that is no live object.
    "object": {
        "object_id": "i8",  # the first one it had
        "object_offset": "u8",
        "object_time": "i8",  # of its allocation; NEVER: known by objDef alone
        "object_freed": "i8",  # NEVER: it was not
        "object_size": "u4",
        "object_class": "u4",  # row of classes
        "object_thread": "u4",  # row of threads that allocated it; NONE
        "object_call": "u4",  # row of calls on top of that thread's stack; NONE
        "object_collection": "u4",  # collections (gcFinish) of its session before it
        "object_freed_collection": "u4",  # the same before it was freed; NONE: it was not
        "object_freed_dump": "u4",  # number of rows of dumps when it was freed; NONE: it was not
        "object_flags": "u1",
    },
    # Ids assigned to objects by objMove.
    "move": {"move_object": "u4", "move_id": "i8", "move_time": "i8", "move_offset": "u8"},
    # States of threads that don't run. Rows in file order of their beginnings.
    "state": {
        "state_start": "i8",
        "state_end": "i8",  # NEVER: it lasts until the data end, or the thread ends
        "state_offset": "u8",  # of the element that begins it
        "state_end_offset": "u8",  # NOWHERE
        "state_timeout": "i8",  # monWait: the argument in ms; NEVER
        "state_waited": "i8",  # monWaited: ms really waited; NEVER
        "state_thread": "u4",
        "state_monitor": "u4",  # an entity; NONE for sleeping
        "state_owner": "u4",  # row of threads that owns the lock; NONE if unknown
        "state_class": "u4",  # row of classes of the monitor; NONE
        "state_kind": "u1",  # index in STATE_KINDS
    },
    # Rows of states by thread, then in file order.
    "state_of_thread": {"state_of_thread": "u4"},
    # Monitors that threads waited for, in the order of their first waits.
    "monitor": {
        "monitor_entity": "u4",
        "monitor_blocked": "i8",  # durations of completed waits for its lock
        "monitor_longest": "i8",  # the longest of them
        "monitor_waited": "i8",  # durations of completed waits for the object
        "monitor_contended": "u4",  # completed waits for its lock
        "monitor_waits": "u4",
        "monitor_threads": "u4",  # different threads of its states, completed or not
        "monitor_first_state": "u4",  # its first row in `state_of_monitor`; one entry more than monitors
    },
    # Rows of states by monitor, then in file order.
    "state_of_monitor": {"state_of_monitor": "u4"},
    # A row for each methodEntry, and for each methodExit without one.
    "call": {
        "call_start": "i8",  # NEVER: no methodEntry
        "call_end": "i8",  # NEVER: no methodExit
        "call_base": "i8",
        "call_overhead": "i8",
        "call_ticket": "i8",
        "call_offset": "u8",  # of its methodEntry; of its methodExit where there is none
        "call_thread": "u4",
        "call_method": "u4",
        "call_parent": "u4",  # the calling row; NONE
        "call_node": "u4",  # row of call paths
        "call_depth": "u2",  # `stackDepth`, else the number of calls above
        "call_flags": "u1",
    },
    # Rows of calls by thread, then in file order.
    "call_of_thread": {"call_of_thread": "u4"},
    # Distinct call paths of each thread; parents precede their children.
    "node": {
        "node_base": "i8",
        "node_cumulative": "i8",
        "node_overhead": "i8",
        "node_calls": "u4",
        "node_parent": "u4",  # NONE: outermost call seen
        "node_method": "u4",
        "node_thread": "u4",
        "node_is_outermost": "u1",  # 1 if its method is not among its own callers
    },
    "collection": {
        "collection_start": "i8",  # NEVER: gcFinish without gcStart
        "collection_finish": "i8",  # NEVER: gcStart without gcFinish
        "collection_offset": "u8",
        "collection_used_objects": "i8",  # as in the file; NEVER if missing
        "collection_used_bytes": "i8",
        "collection_total_bytes": "i8",
        "collection_frees": "i8",  # between gcStart and gcFinish
        "collection_freed_bytes": "i8",
        "collection_late_frees": "i8",  # after its gcFinish and before the next gcStart
        "collection_live": "i8",  # alive at gcFinish, counted
        "collection_live_bytes": "i8",
    },
    "dump": {
        "dump_id": "i8",
        "dump_time": "i8",
        "dump_offset": "u8",
        "dump_end": "u8",  # after its last gcRoot or objectReference
        "dump_name": "u4",
        "dump_objects": "u4",  # number of rows of objects when it began
        "dump_first_edge": "u4",  # one entry more than there are dumps
        "dump_first_root": "u4",  # one entry more
    },
    # objectReference elements, by dump, then in file order: entities. An index has the graph built from them instead.
    "edge": {"edge_source": "u4", "edge_target": "u4"},
    # gcRoot elements, by dump, then in file order. root_type: a word
    "root": {"root_entity": "u4", "root_type": "u4", "root_offset": "u8"},
    # Ids of objects that were never defined, with the offset of their first use; one row for each undefined id.
    "unknown": {"unknown_id": "i8", "unknown_offset": "u8"},
    # Pauses: from a traceEnd to the next traceStart.
    "pause": {"pause_start": "i8", "pause_end": "i8"},
    # Names of elements as spelled, in the order of their first occurrences, with the offset of the first one.
    "element": {"element_name": "u4", "element_first": "u8", "element_flags": "u1"},
    # Number of elements of a name beginning in a block (offset // BLOCK); blocks ascending, no zero counts. A
    # block with a session start has rows for both sessions.
    "counted": {
        "counted_block": "u4",
        "counted_element": "u4",  # row of elements
        "counted": "u4",
    },
    # Findings: the first KEPT_FINDINGS of a kind; facts["finding_counts"] has the number of all.
    "finding": {
        "finding_offset": "u8",
        "finding_value": "i8",
        "finding_kind": "u1",  # a FindingKind
    },
}
"""All tables by name, with the numpy types of their columns. The length of a table is that of its first column."""
OF_SESSIONS = (
    "thread",
    "class",
    "method",
    "object",
    "move",
    "state",
    "monitor",
    "call",
    "node",
    "collection",
    "dump",
    "unknown",
    "pause",
    "counted",
)
"""Tables that have a `session_first_X`."""
COLUMNS: dict[str, str] = {
    **{name: type for columns in TABLES.values() for name, type in columns.items()},
    **{f"session_first_{table}": "u4" for table in OF_SESSIONS},
}
"""All columns by name, with their numpy types."""
TEXTS: dict[str, str] = {"word_starts": "u8", "word_bytes": "u1"}

PACKED: dict[str, Packing] = {
    "object_id": Packing("u2", "i8", True),
    "object_offset": Packing("u2", "u8", True),
    "object_time": Packing("u4", "i8", True, none=NEVER),
    "object_freed": Packing("u4", "i8", True, none=NEVER),
    "object_size": Packing("u2", "u4"),
    "object_class": Packing("u2", "u4", none=NONE),
    "object_thread": Packing("u2", "u4", none=NONE),
    "object_call": Packing("u2", "u4", True, none=NONE),
    "object_collection": Packing("u1", "u4", True),
    "object_freed_collection": Packing("u1", "u4", True, none=NONE),
    "object_freed_dump": Packing("u1", "u4", True, none=NONE),
    "state_start": Packing("u4", "i8", True, none=NEVER),
    "state_end": Packing("u4", "i8", True, none=NEVER),
    "state_offset": Packing("u2", "u8", True),
    "state_end_offset": Packing("u4", "u8", True, none=NOWHERE),
    "state_timeout": Packing("u2", "i8", none=NEVER),
    "state_waited": Packing("u2", "i8", none=NEVER),
    "state_thread": Packing("u2", "u4"),
    "state_owner": Packing("u2", "u4", none=NONE),
    "state_class": Packing("u2", "u4", none=NONE),
    "state_of_thread": Packing("u2", "u4", True),
    "state_of_monitor": Packing("u2", "u4", True),
    "call_start": Packing("u4", "i8", True, none=NEVER),
    "call_end": Packing("u4", "i8", True, none=NEVER),
    "call_base": Packing("u4", "i8"),
    "call_overhead": Packing("u2", "i8"),
    "call_ticket": Packing("u2", "i8", True, none=NEVER),
    "call_offset": Packing("u2", "u8", True),
    "call_thread": Packing("u2", "u4"),
    "call_method": Packing("u2", "u4"),
    "call_parent": Packing("u2", "u4", True, none=NONE),
    "call_node": Packing("u2", "u4", True, none=NONE),
    "call_of_thread": Packing("u2", "u4", True),
    "node_base": Packing("u4", "i8"),
    "node_cumulative": Packing("u4", "i8"),
    "node_overhead": Packing("u4", "i8"),
    "node_calls": Packing("u1", "u4"),
    "node_method": Packing("u2", "u4"),
    "node_thread": Packing("u2", "u4"),
    "class_objects": Packing("u2", "u4", True),
    "flow_kept_times": Packing("u1", "u4"),
    "flow_kept_took": Packing("u4", "i8"),
    "flow_kept_base": Packing("u4", "i8"),
    "heap_reference_count": Packing("u1", "u4"),
    **{f"{tree}_{sums}": Packing("u4", "i8") for tree in ("tree", "callers") for sums in ("total", "own", "measured")},
}
"""Columns, and other arrays, that an index stores bitpacked."""
PASSING = frozenset(TABLES["edge"])
"""Columns that an index doesn't store."""

PUBLISHED: dict[str, str] = {
    name: table
    for table in ("thread", "class", "collection", "element", "counted", "pause")
    for name in TABLES[table]
    if name not in ("thread_first_state", "thread_first_call")
}
"""Columns that readers may use while an index grows, and their tables."""
