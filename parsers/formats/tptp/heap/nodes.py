"""Objects of a recording's heap dump, with the references and roots recorded for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.heap.columns import CLASS_END, NO_CLASS, PSEUDO_TYPES, THREAD_END, UNDEFINED_END
from parsers.formats.tptp.heap.edges import DumpEdges, merge_references
from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    ENTITY_BITS,
    IS_ARRAY,
    IS_DEFINED_ONLY,
    NEVER,
    NOWHERE,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.store.names import ROW
from parsers.heapdump.graph.columns import CLASS_OBJECT, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.index.scratch import Scratch, anonymous
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array, U64Array

PIECE = 1 << 18
"""References processed at a time."""


ENDS = {CLASS_ENTITY: CLASS_END, THREAD_ENTITY: THREAD_END, UNKNOWN_ENTITY: UNDEFINED_END}
"""Pseudo types of classes, threads and undefined ids, as indices in PSEUDO_TYPES."""


@dataclass(frozen=True, slots=True)
class HeapNodes:
    """One dump. Objects are numbered within the dump."""

    entities: U32Array
    """uint32, ascending: see `columns.ENTITY_BITS`."""
    ids: I64Array
    offsets: U64Array
    kinds: U8Array
    types: U32Array
    sizes: U32Array
    edges: DumpEdges
    references: int
    """Number of references, counting equal ones separately."""
    undefined: int
    """Number of reference ends that are ids without a definition."""
    roots: U32Array
    """uint32: the object of each root; NONE."""
    root_types: U32Array
    """uint32: words."""


class HeapNodesBuilder:
    """Builds the `HeapNodes` of each dump of a recording."""

    def __init__(self, recording: TraceRecording, scratch: Scratch = anonymous) -> None:
        """scratch: storage for large arrays"""
        self._recording, self._column = recording, recording.numbers
        self._scratch = scratch
        self._classes = len(self._column("class_id"))

    @cached_property
    def _tables(self) -> dict[int, tuple[AnyArray, AnyArray]]:
        """Ids and offsets by kind of entity."""
        kinds = {CLASS_ENTITY: "class", THREAD_ENTITY: "thread", UNKNOWN_ENTITY: "unknown"}
        return {kind: (self._column(f"{name}_id"), self._column(f"{name}_offset")) for kind, name in kinds.items()}

    @property
    def dumps(self) -> int:
        """Number of dumps."""
        return len(self._column("dump_id"))

    @property
    def types(self) -> int:
        """Number of classes plus pseudo types."""
        return self._classes + len(PSEUDO_TYPES)

    def _rows_of(self, dump: int) -> tuple[int, int]:
        """Returns the object rows of the dump's session."""
        session = int(np.searchsorted(self._column("session_first_dump"), dump, "right")) - 1
        first, end = self._column("session_first_object", slice(session, session + 2)).tolist()
        return first, end

    def entities(self, dump: int) -> int:
        """Returns the number of entities possible in a dump."""
        first, end = self._rows_of(dump)
        return end - first + sum(len(ids) for ids, _ in self._tables.values())

    def of(self, dump: int) -> HeapNodes:
        """Returns the objects of a dump, by its number."""
        first, end = self._rows_of(dump)
        counts = [end - first, *(len(ids) for ids, _ in self._tables.values())]
        # An index for each possible entity: objects of the dump's session, then classes, threads, unknown ids.
        bases = np.cumsum([0, *counts[:-1]]) - [first, 0, 0, 0]
        marks = np.zeros(sum(counts), np.bool_)
        for sources, targets in self._pieces(dump, bases):
            marks[sources] = marks[targets] = True
        undefined = int(np.count_nonzero(marks[bases[-1] :]))
        roots, root_types = self._roots(dump)
        has_object = roots != NONE
        root_places = bases[roots[has_object] >> ENTITY_BITS] + (roots[has_object] & ROW)
        marks[root_places] = True
        marks[self._objects(dump, first, end) - first] = True
        places = np.flatnonzero(marks)
        kind = np.searchsorted(np.cumsum(counts), places, "right")
        entities = ((kind << ENTITY_BITS) + places - bases[kind]).astype(np.uint32)
        numbers_of = np.zeros(len(marks), np.uint32)
        numbers_of[places] = np.arange(len(places), dtype=np.uint32)
        root_objects = np.full(len(roots), NONE, np.uint32)
        root_objects[has_object] = numbers_of[root_places]
        edges, references = self._edges(dump, bases, numbers_of, len(places))
        ids, offsets, kinds, types, sizes = self._described(entities, dump)
        return HeapNodes(
            entities, ids, offsets, kinds, types, sizes, edges, references, undefined, root_objects, root_types
        )

    def _objects(self, dump: int, first: int, end: int) -> I64Array:
        """Returns rows of objects: alive at the start of the dump, or defined in it."""
        end_before = int(self._recording.column("dump_objects")[dump])
        freed = self._column("object_freed_dump", slice(first, end_before))
        alive = np.flatnonzero((freed == NONE) | (freed > dump)) + first
        offsets, flags = (self._column(f"object_{name}", slice(end_before, end)) for name in ("offset", "flags"))
        is_in = (offsets < self._recording.column("dump_end")[dump]) & (flags & IS_DEFINED_ONLY != 0)
        return np.concatenate([alive, np.flatnonzero(is_in) + end_before])

    def _part(self, dump: int, table: str) -> slice:
        first, end = self._recording.column(f"dump_first_{table}")[dump : dump + 2]
        return slice(int(first), int(end))

    def _pieces(self, dump: int, bases: I64Array) -> Iterator[tuple[I64Array, I64Array]]:
        """Yields indices of sources and targets of references, in pieces; references that lack an end are omitted."""
        part = self._part(dump, "edge")
        for start in range(part.start, part.stop, PIECE):
            piece = slice(start, min(start + PIECE, part.stop))
            sources, targets = (self._column(f"edge_{name}", piece) for name in ("source", "target"))
            is_whole = (sources != NONE) & (targets != NONE)
            if not is_whole.all():
                sources, targets = sources[is_whole], targets[is_whole]
            yield bases[sources >> ENTITY_BITS] + (sources & ROW), bases[targets >> ENTITY_BITS] + (targets & ROW)

    def _edges(self, dump: int, bases: I64Array, numbers_of: U32Array, objects: int) -> tuple[DumpEdges, int]:
        """Returns references by object, equal ones merged, and the number before merging."""
        part = self._part(dump, "edge")
        keys, count = self._scratch("edges", "u8", part.stop - part.start), 0
        for sources, targets in self._pieces(dump, bases):
            piece = keys[count : count + len(sources)]
            piece[:] = numbers_of[sources]
            piece <<= np.uint64(32)
            piece |= numbers_of[targets]
            count += len(sources)
        keys = keys[:count]
        keys.sort()
        return merge_references(keys, objects, self._scratch), count

    def _roots(self, dump: int) -> tuple[U32Array, U32Array]:
        part = self._part(dump, "root")
        return self._column("root_entity", part), self._column("root_type", part)

    def _described(self, entities: U32Array, dump: int) -> tuple[I64Array, U64Array, U8Array, U32Array, U32Array]:
        """Returns ids, offsets, kinds, types and sizes."""
        count, rows = len(entities), entities & ROW
        ids, offsets = np.full(count, NEVER, np.int64), np.full(count, NOWHERE, np.uint64)
        kinds, types = np.full(count, PLAIN_OBJECT, np.uint8), np.empty(count, np.uint32)
        sizes = np.zeros(count, np.uint32)
        objects = int(np.searchsorted(entities, CLASS_ENTITY))
        own_rows = rows[:objects]
        ids[:objects] = self._ids_at(own_rows, dump)
        offsets[:objects] = self._column("object_offset", own_rows)
        kinds[:objects] = np.where(self._column("object_flags", own_rows) & IS_ARRAY, PRIMITIVE_ARRAY, PLAIN_OBJECT)
        types[:objects] = np.minimum(self._column("object_class", own_rows), self._classes + NO_CLASS)
        sizes[:objects] = self._column("object_size", own_rows)
        for kind, (all_ids, all_offsets) in self._tables.items():
            low, high = np.searchsorted(entities, (kind, kind + ROW)).tolist()
            ids[low:high], offsets[low:high] = all_ids[rows[low:high]], all_offsets[rows[low:high]]
            types[low:high] = self._classes + ENDS[kind]
            if kind == CLASS_ENTITY:
                kinds[low:high], types[low:high] = CLASS_OBJECT, rows[low:high]
        return ids, offsets, kinds, types, sizes

    def _ids_at(self, rows: AnyArray, dump: int) -> I64Array:
        """Returns the ids of objects at the time of a dump: the last ones that they were moved to."""
        moves = np.flatnonzero(self._column("move_offset") < self._recording.column("dump_offset")[dump])
        if not len(moves):
            return self._column("object_id", rows)
        ids = self._column("object_id").copy()
        # The last of several moves of an object applies.
        ids[self._column("move_object")[moves]] = self._column("move_id")[moves]
        return ids[rows]
