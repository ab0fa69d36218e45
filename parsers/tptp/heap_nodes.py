"""Which objects a heap dump of a recording has, what it says that they refer to, and what its roots hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from parsers.hprof.columns import CLASS_OBJECT, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.index.packed import numbers
from parsers.tptp.columns import (
    CLASS_THING,
    IS_ARRAY,
    IS_DEFINED_ONLY,
    NEVER,
    NONE,
    NOWHERE,
    OBJECT_THING,
    THING_BITS,
    THREAD_THING,
    UNKNOWN_THING,
)
from parsers.tptp.heap_columns import CLASS_END, NO_CLASS, PSEUDO_TYPES, THREAD_END, UNDEFINED_END

ROW = (1 << THING_BITS) - 1
"""Bits of a thing that are its row."""


ENDS = {CLASS_THING: CLASS_END, THREAD_THING: THREAD_END, UNKNOWN_THING: UNDEFINED_END}
"""What such things are counted for, as places in PSEUDO_TYPES."""


class Columns(Protocol):
    """A recording whose tables are known."""

    def column(self, name: str) -> Any:
        """One of `columns.COLUMNS`."""
        ...

    def word(self, number: int) -> bytes:
        """A word."""
        ...


@dataclass(frozen=True, slots=True)
class Nodes:
    """One dump. Objects have numbers of its own here."""

    things: Any
    """uint32, ascending: see `columns.THING_BITS`."""
    ids: Any
    offsets: Any
    kinds: Any
    types: Any
    sizes: Any
    sources: Any
    """uint32 by reference, in file order: an object."""
    targets: Any
    roots: Any
    """uint32: the object that each root holds; NONE."""
    root_types: Any
    """uint32: words."""


class DumpNodes:
    """Gives those of each dump of a recording."""

    def __init__(self, recording: Columns) -> None:
        self._recording = recording
        self._classes = len(self._column("class_id"))

    def _column(self, name: str, chosen: Any = slice(None)) -> Any:
        return numbers(self._recording.column(name), chosen)

    @cached_property
    def _tables(self) -> dict[int, tuple[Any, Any]]:
        """By kind of things their ids and offsets."""
        kinds = {CLASS_THING: "class", THREAD_THING: "thread", UNKNOWN_THING: "unknown"}
        return {kind: (self._column(f"{name}_id"), self._column(f"{name}_offset")) for kind, name in kinds.items()}

    @property
    def dumps(self) -> int:
        """How many there are."""
        return len(self._column("dump_id"))

    @property
    def types(self) -> int:
        """Classes, and what stands for things that are no objects."""
        return self._classes + len(PSEUDO_TYPES)

    def of(self, dump: int) -> Nodes:
        """The objects of a dump, by its number."""
        sources, targets = self._edges(dump)
        roots, root_types = self._roots(dump)
        ends = np.concatenate([sources, targets, roots[roots != NONE]])
        things = np.unique(np.concatenate([self._objects(dump), ends])).astype(np.uint32)
        ids, offsets, kinds, types, sizes = self._described(things, dump)
        held = np.full(len(roots), NONE, np.uint32)
        held[roots != NONE] = np.searchsorted(things, roots[roots != NONE])
        return Nodes(
            things, ids, offsets, kinds, types, sizes,
            np.searchsorted(things, sources).astype(np.uint32),
            np.searchsorted(things, targets).astype(np.uint32),
            held, root_types,
        )  # fmt: skip

    def _objects(self, dump: int) -> Any:
        """Rows of objects: alive when the dump came, or defined in it."""
        session = int(np.searchsorted(self._column("session_first_dump"), dump, "right")) - 1
        first, end = self._column("session_first_object", slice(session, session + 2)).tolist()
        came = int(self._recording.column("dump_objects")[dump])
        freed = self._column("object_freed_dump", slice(first, came))
        alive = np.flatnonzero((freed == NONE) | (freed > dump)) + first
        offsets, flags = (self._column(f"object_{name}", slice(came, end)) for name in ("offset", "flags"))
        is_in = (offsets < self._recording.column("dump_end")[dump]) & (flags & IS_DEFINED_ONLY != 0)
        return np.concatenate([alive, np.flatnonzero(is_in) + came]).astype(np.uint32) | np.uint32(OBJECT_THING)

    def _part(self, dump: int, table: str) -> slice:
        first, end = self._recording.column(f"dump_first_{table}")[dump : dump + 2]
        return slice(first, end)

    def _edges(self, dump: int) -> tuple[Any, Any]:
        part = self._part(dump, "edge")
        sources, targets = (self._column(f"edge_{name}", part) for name in ("source", "target"))
        is_whole = (sources != NONE) & (targets != NONE)
        return sources[is_whole], targets[is_whole]

    def _roots(self, dump: int) -> tuple[Any, Any]:
        part = self._part(dump, "root")
        return self._column("root_thing", part), self._column("root_type", part)

    def _described(self, things: Any, dump: int) -> tuple[Any, ...]:
        """Ids, offsets, kinds, types and sizes."""
        count, rows = len(things), things & ROW
        ids, offsets = np.full(count, NEVER, np.int64), np.full(count, NOWHERE, np.uint64)
        kinds, types = np.full(count, PLAIN_OBJECT, np.uint8), np.empty(count, np.uint32)
        sizes = np.zeros(count, np.uint32)
        objects = int(np.searchsorted(things, CLASS_THING))
        mine = rows[:objects]
        ids[:objects] = self._ids_at(mine, dump)
        offsets[:objects] = self._column("object_offset", mine)
        kinds[:objects] = np.where(self._column("object_flags", mine) & IS_ARRAY, PRIMITIVE_ARRAY, PLAIN_OBJECT)
        types[:objects] = np.minimum(self._column("object_class", mine), self._classes + NO_CLASS)
        sizes[:objects] = self._column("object_size", mine)
        for kind, (all_ids, all_offsets) in self._tables.items():
            low, high = np.searchsorted(things, (kind, kind + ROW)).tolist()
            ids[low:high], offsets[low:high] = all_ids[rows[low:high]], all_offsets[rows[low:high]]
            types[low:high] = self._classes + ENDS[kind]
            if kind == CLASS_THING:
                kinds[low:high], types[low:high] = CLASS_OBJECT, rows[low:high]
        return ids, offsets, kinds, types, sizes

    def _ids_at(self, rows: Any, dump: int) -> Any:
        """The ids of objects when a dump was made: the last ones that they were moved to."""
        moves = np.flatnonzero(self._column("move_offset") < self._recording.column("dump_offset")[dump])
        if not len(moves):
            return self._column("object_id", rows)
        ids = self._column("object_id").copy()
        # Of several moves of an object the last one counts.
        ids[self._column("move_object")[moves]] = self._column("move_id")[moves]
        return ids[rows]
