"""Steps of shortest paths in a binary heap dump: its index lacks the fields of references, so the file is read.

See `parsers.heapdump.paths.path_to_root`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.references.references import reference_fields
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.labels import CLASS_LABEL, ReferenceLabel
from parsers.heapdump.paths import merged
from parsers.heapdump.paths.path_to_root import ELEMENTS, OBJECTS, PathStep
from parsers.heapdump.paths.reachability import FROM_ROOT
from parsers.index.bitpacked.columns import numbers
from parsers.io.background_task import in_halves
from parsers.kernels.compiled import compiled, fixed

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.model.arrays import U32Array

PIECE = 4 << 20
"""Bytes of the file read at a time."""
MOST_PLACES = 1 << 21
"""Most references of instances distinguished by field, of all classes together: a class in a long chain includes those
of all superclasses.
"""


class StepsInFile:
    """Steps by key, described on first use."""

    def __init__(self, graph: DumpGraph, bases: U32Array) -> None:
        self._graph = graph
        self._bases = bases

    def __getitem__(self, key: int) -> PathStep:
        entry = bisect_right(self._bases, key) - 1
        type, is_class, number = entry // 2, bool(entry % 2), key - int(self._bases[entry])
        return PathStep(type=type, is_class=is_class, label=self._label(type, is_class, number, entry))

    def _label(self, type: int, is_class: bool, number: int, entry: int) -> ReferenceLabel:
        graph = self._graph
        if is_class:
            of = graph.class_object(type, graph.dumps[0])
            return graph.label(graph.sites(of)[number])
        if number == int(self._bases[entry + 1]) - int(self._bases[entry]) - 1:
            return CLASS_LABEL
        names = graph.reference_names(type)
        return ReferenceLabel("field", names[number]) if names else ELEMENTS


def fill_from_file(
    graph: DumpGraph, reached_by: U32Array, holders: U32Array, keys: U32Array
) -> tuple[int, StepsInFile]:
    """Fills `holders` and `keys` from the file. Returns the number of keys, and their labels."""
    places = reference_fields(graph.type_ids, graph.classes, graph.id_size, MOST_PLACES)
    bases = _bases(graph, places)
    fields = np.cumulative_sum([len(each) for each in places], dtype=np.uint32, include_initial=True)
    joined = np.array([place for each in places for place in each], np.uint32)
    read = compiled(merged.read_path_steps)
    # For kernels targets are read-only, columns of pieces writable.
    targets = fixed(numbers(graph.table("reference_target")))
    kinds, pieces = np.asarray(graph.table("object_kind")), _pieces(graph)

    def take(low: int, high: int) -> None:
        for start, stop, count in pieces[low:high]:
            part = slice(start, stop)
            offsets = numbers(graph.table("object_offset"), part).astype(np.int64)
            types = numbers(graph.table("object_class"), part)
            firsts = numbers(graph.table("object_first"), slice(start, stop + 1))
            data = graph.read(count, int(offsets[0]))
            read(
                np.frombuffer(data, np.uint8), offsets - offsets[0], start, kinds[part].copy(), types.copy(),
                graph.id_size, firsts.copy(), targets, reached_by, fields, joined, bases, holders, keys,
            )  # fmt: skip

    in_halves(len(pieces), take)
    by_class = np.flatnonzero((reached_by >= graph.references) & (reached_by < FROM_ROOT))
    owners = reached_by[by_class].astype(np.int64) - graph.references
    holders[by_class] = owners
    keys[by_class] = bases[2 * graph.column("type", owners) + 1] - 1
    return int(bases[-1]), StepsInFile(graph, bases)


def _bases(graph: DumpGraph, places: Sequence[Sequence[int]]) -> U32Array:
    """Returns the first key of the instances (or arrays) of each type, and of its class; then the first key of roots.

    The last key of instances is the step from one to its class.
    """
    widths = np.zeros(2 * len(places), np.int64)
    widths[::2] = [max(len(each), 1) + 1 for each in places]
    kinds = np.asarray(graph.table("object_kind"))
    classes = np.flatnonzero(kinds == CLASS_OBJECT)
    types = graph.column("type", classes)
    np.maximum.at(widths, 2 * types + 1, graph.column("references", classes))
    return np.cumulative_sum(widths, dtype=np.uint32, include_initial=True)


def _pieces(graph: DumpGraph) -> list[tuple[int, int, int]]:
    """Returns ranges of objects and the file bytes they need; a large array is a range of its own, with few bytes."""
    found, at, offsets = [], 0, graph.table("object_offset")
    while at < graph.objects:
        near = numbers(offsets, slice(at, at + OBJECTS // 8))
        start = int(near[0])
        stop = int(np.searchsorted(near, start + PIECE))
        end = graph.offset(at + stop) if at + stop < graph.objects else start + 2 * PIECE
        found.append((at, at + stop, min(end - start, 2 * PIECE) if stop > 1 or end - start <= PIECE else 64))
        at += stop
    return found
