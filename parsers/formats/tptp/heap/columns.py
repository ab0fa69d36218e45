"""Arrays of the heap dumps of a recording: the columns that `parsers.heapdump` reads, with the prefix `heap_`.

Objects are grouped by dump. A dump has the objects alive at its start, those defined in it, and all other targets of
its references and roots: classes, threads, ids that were never defined, all of size 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.tables.heap_tables import HEAP_TABLES

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

PREFIX = "heap_"
GRAPH: dict[str, str] = {
    "object_entity": "u4",  # its entity: see `columns.ENTITY_BITS`; by dump, ascending within each
    "object_id": "i8",  # at the time of the dump
    "object_offset": "u8",
    "object_kind": "u1",
    "object_class": "u4",  # row of classes, a class has its own; or one of PSEUDO_TYPES after these
    "object_size": "u4",
    "object_first": "u4",  # its first reference; one entry more
    "object_referrers": "u4",  # references to it, counting equal ones separately
    "reference_target": "u4",  # distinct ones only, by source, then by target
    "reference_count": "u4",  # number of equal references
    "referrer_first": "u4",
    "referrer": "u4",
    "root_kind": "u4",  # index in `root_word`
    "root_object": "u4",
    "root_word": "u4",  # words: types of roots
    "object_distance": "u4",  # steps from the nearest root; NONE
    "object_dominator": "u4",
    "object_retained": "i8",
    "object_held": "u4",  # number of objects it dominates, itself included
    "object_dominated": "u4",
    "type_retained": "i8",  # by dump and type
    "package_retained": "i8",
    "section_first": "u4",  # first object by dump of the recording; one entry more
}
NAMES: dict[str, str] = {name: PREFIX + name for name in GRAPH} | {name: name for name in HEAP_TABLES} | {
    "object_order": f"{PREFIX}object_order",
    "object_step": f"{PREFIX}object_step",
}  # fmt: skip
"""Array of the index, by the column name that views use."""


def computed_dumps(recording: TraceRecording) -> int:
    """Returns how many of a recording's heap dumps, the first ones, were computed."""
    return len(recording.column(NAMES["section_first"])) - 1 if recording.rows("dump") else 0


PSEUDO_TYPES = ("(class)", "(thread)", "(not defined)", "(no class recorded)")
"""Types of classes, threads and undefined ids, and of objects without a class."""
CLASS_END, THREAD_END, UNDEFINED_END, NO_CLASS = range(len(PSEUDO_TYPES))
