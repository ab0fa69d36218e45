"""Adds a heap to the tables of profiles: its classes as texts, its roots, its threads; the section of the dump."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.profile import BinaryProfile
from parsers.formats.hprof.data.columns import NOWHERE, THREADS
from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.read.class_columns import CONSTANTS
from parsers.formats.hprof.dump.read.heap import FIRST_CLASS, HeapRoots, ParsedHeap
from parsers.formats.hprof.dump.records.tags import PRIMITIVES, THREAD_OBJECT
from parsers.formats.hprof.dump.records.tags import ROOTS as ROOT_TAGS
from parsers.heapdump.graph.columns import HAS_END, HEAP_DUMP, ROOTS
from parsers.index.texts import UniqueTexts, text_arrays
from parsers.model.distinct import distinct
from parsers.model.none import NONE
from parsers.model.row import counted

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array

MOST_THREADS = 100_000
"""Most threads with names; further ones have numbers."""


def add_heap(profile: BinaryProfile, heap: ParsedHeap, measured: MeasuredHeap) -> U32Array:
    """Adds the section of the dump, its classes, roots and threads; returns the objects of roots: uint32."""
    tables = profile.tables
    texts = [f"{name}[]".encode() for name in PRIMITIVES.values()]
    # Ids make them unique, and none is looked up later.
    names = tables.texts["class"]
    assert isinstance(names, UniqueTexts)
    names.texts += texts + [profile.class_text(id) for id in heap.type_ids[FIRST_CLASS:]]
    objects = measured.find_all(heap.roots.ids)
    _add_threads(profile, heap, measured)
    first = tables.length("root")
    _add_roots(profile, heap.roots, objects)
    segments = heap.segments
    is_whole = not profile.walked.problems.is_cut
    tables.add(
        "section",
        segments.offsets[segments.first_of_last],
        segments.ends[-1],
        heap.objects,
        0,
        heap.objects,
        first,
        len(heap.roots),
        tables.number("word", counted(heap.objects, "object").encode()),
        NONE,
        0,
        HEAP_DUMP,
        HAS_END if is_whole and len(heap.roots) else 0,
    )
    return objects


def _add_roots(profile: BinaryProfile, roots: HeapRoots, objects: U32Array) -> None:
    """Adds all roots with their objects."""
    tables, count = profile.tables, len(roots)
    is_thread = roots.tags == THREAD_OBJECT
    threads, traces = roots.threads, np.full(count, NONE, np.uint32)
    rows = _rows_of_traces(profile)
    traces[is_thread] = [rows.get(serial, NONE) for serial in roots.second[is_thread].tolist()]
    kinds = np.zeros(256, np.uint8)
    kinds[[*ROOT_TAGS]] = range(len(ROOT_TAGS))
    columns = {
        "root_offset": roots.offsets,
        "root_id": roots.ids,
        "root_value": np.where(is_thread, threads.astype(np.uint64), np.uint64(NOWHERE)),
        "root_object": objects,
        "root_thread": threads,
        "root_frame": roots.frames,
        "root_trace": traces,
        "root_name": np.full(count, NONE, np.uint32),
        "root_kind": kinds[roots.tags],
        "root_flags": np.zeros(count, np.uint8),
    }
    for name, values in columns.items():
        tables.columns[name].frombytes(values.astype(np.dtype(ROOTS[name])).tobytes())


def _rows_of_traces(profile: BinaryProfile) -> dict[int, int]:
    serials: array[int] = profile.tables.columns["trace_serial"]
    return {serial: row for row, serial in enumerate(serials)}


def _add_threads(profile: BinaryProfile, heap: ParsedHeap, measured: MeasuredHeap) -> None:
    """Adds threads without a start record: HotSpot has them as objects only, with their names."""
    tables, roots = profile.tables, heap.roots
    started = np.array(tables.columns["thread_id"], np.dtype(THREADS["thread_id"]))
    is_wanted = (roots.tags == THREAD_OBJECT) & ~np.isin(roots.threads, started)
    for number in np.flatnonzero(is_wanted)[:MOST_THREADS].tolist():
        id = int(roots.ids[number])
        name = _name_of(id, measured)
        if name is not None:
            text = tables.number("word", name.encode("utf-8", "surrogatepass"))
            tables.add("thread", int(roots.offsets[number]), NOWHERE, id, int(roots.threads[number]), text, NONE, 0)


def _name_of(thread: int, measured: MeasuredHeap) -> str | None:
    """Returns the name of a thread by its id, from its object."""
    field = measured.values.named(thread).get(b"name")
    return None if field is None else measured.values.text(int(field.value))


def class_objects(heap: ParsedHeap) -> U32Array:
    """Returns, by type, the object of the class, NONE for none and for arrays of primitives: uint32."""
    found = np.full(len(heap.type_ids), NONE, np.uint32)
    found[heap.class_types] = heap.class_objects
    return found


def name_arrays(heap: ParsedHeap, profile: BinaryProfile) -> dict[str, AnyArray]:
    """Returns names of fields and statics by id, ascending: `name_id`, and the texts."""
    classes = heap.classes
    wanted = distinct(classes.columns.names[classes.kinds != CONSTANTS]).tolist()
    ids = [id for id in wanted if id in profile.names]
    return {"name_id": np.array(ids, np.uint64), **text_arrays("name", [profile.names[id] for id in ids])}
