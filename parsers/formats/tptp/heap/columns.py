"""Arrays of the heap dumps of a recording: the columns that `parsers.heapdump` reads, with the prefix `heap_`.

Objects of all dumps follow each other: of each those that were alive when it came, those that are defined in it, and
whatever else its references and roots name: classes, threads, ids that were never defined, all of them of size 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import NONE
from parsers.heapdump.tables.heap_tables import HEAP_TABLES

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recorded import Recorded

PREFIX = "heap_"
GRAPH: dict[str, str] = {
    "object_thing": "u4",  # what it is in the recording: see `columns.THING_BITS`; by dump, in each ascending
    "object_id": "i8",  # when the dump was made
    "object_offset": "u8",
    "object_kind": "u1",
    "object_class": "u4",  # row of CLASSES, of a class its own; or one of PSEUDO_TYPES behind these
    "object_size": "u4",
    "object_first": "u4",  # where its references begin; one entry more
    "object_referrers": "u4",  # references that lead to it, equal ones counted each
    "reference_target": "u4",  # different ones only, by object, then by what they lead to
    "reference_count": "u4",  # how many equal ones there are
    "referrer_first": "u4",
    "referrer": "u4",
    "root_kind": "u4",  # place in `root_word`
    "root_object": "u4",
    "root_word": "u4",  # words: types of roots
    "object_distance": "u4",  # steps from the nearest root; NONE
    "object_dominator": "u4",
    "object_retained": "i8",
    "object_held": "u4",  # how many objects it dominates, itself included
    "object_dominated": "u4",
    "type_retained": "i8",  # by dump and type
    "package_retained": "i8",
    "section_first": "u4",  # by dump of the recording: where its objects begin; one entry more
}
NAMES: dict[str, str] = {name: PREFIX + name for name in GRAPH} | {name: name for name in HEAP_TABLES} | {
    "object_order": f"{PREFIX}object_order",
    "object_step": f"{PREFIX}object_step",
}  # fmt: skip
"""By name, as views ask for it, the array of the index."""


def worked_out(recording: Recorded) -> int:
    """How many heap dumps of a recording, the first ones, were worked out."""
    return len(recording.column(NAMES["section_first"])) - 1 if recording.rows("dump") else 0


PSEUDO_TYPES = ("(class)", "(thread)", "(not defined)", "(no class told)")
"""Of what is no object, and of objects without a class."""
CLASS_END, THREAD_END, UNDEFINED_END, NO_CLASS = range(len(PSEUDO_TYPES))

__all__ = ["GRAPH", "NAMES", "NONE", "PREFIX", "PSEUDO_TYPES", "worked_out"]
