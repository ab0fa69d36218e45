"""Graphs of the heap dumps of a recording: references both ways, paths from roots, dominators, sums of classes.

`save_heap` writes the arrays of `heap.columns` after all others of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.heap.columns import CLASS_END, GRAPH, NAMES, PSEUDO_TYPES
from parsers.formats.tptp.heap.edges import DumpEdges
from parsers.formats.tptp.heap.nodes import PIECE, HeapNodes, HeapNodesBuilder
from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.schema.columns import CLASS_ENTITY
from parsers.graph.dominator_tree.build import find_dominators
from parsers.heapdump.dominators.dominated import find_dominated
from parsers.heapdump.graph.columns import CLASS_OBJECT, HEAP_DUMP
from parsers.heapdump.paths.reachability import NO_ROW, NOT_REACHED, compute_reached_by, distances_of
from parsers.heapdump.tables.class_names import package_of
from parsers.heapdump.tables.heap_tables import HeapTables
from parsers.index.scratch import Scratch, anonymous
from parsers.io.background_task import BackgroundTask
from parsers.kernels.places import sorted_places
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, I64Array, U32Array

MOST_OBJECTS = 1 << 23
"""Most objects of all dumps together. Dumps beyond this are not computed."""
LEAST = 1 << 15
"""Objects that can be computed in the time that an empty dump takes."""
LOOKED_AT = 16
"""Things of a session that can be scanned in the time that computing an object takes."""


def save_heap(writer: Writer, recording: TraceRecording, scratch: Scratch = anonymous) -> list[dict[str, object]]:
    """Writes all arrays, if there is a dump; returns the totals of each dump. scratch: storage for large arrays"""
    maker = HeapNodesBuilder(recording, scratch)
    if not maker.dumps:
        return []
    graph = HeapGraph(recording, maker.types, _computed_dumps(maker), scratch)
    for name, values in graph.arrays().items():
        save_array(writer, NAMES[name], values)
    return graph.totals()


def _computed_dumps(maker: HeapNodesBuilder) -> list[HeapNodes]:
    """Returns the first dumps, up to the limit."""
    found, cost = list[HeapNodes](), 0
    for dump in range(maker.dumps):
        if cost > MOST_OBJECTS:
            break
        found.append(maker.of(dump))
        cost += max(len(found[-1].entities), maker.types, maker.entities(dump) // LOOKED_AT, LEAST)
    return found


class HeapGraph:
    """All dumps of a recording, with contiguous objects per dump."""

    def __init__(
        self, recording: TraceRecording, types: int, dumps: Sequence[HeapNodes], scratch: Scratch = anonymous
    ) -> None:  # fmt: skip
        self._recording = recording
        self._scratch = scratch
        self._types = types
        self._dumps = dumps
        ends = np.cumsum([len(each.entities) for each in dumps])
        self.firsts: U32Array = np.concatenate([[0], ends]).astype(np.uint32)
        """First object by dump."""
        bases = self.firsts.tolist()
        self._objects = bases[-1]
        self._described: dict[str, AnyArray] = {
            "object_entity": _joined(each.entities for each in dumps),
            "object_id": _joined(each.ids for each in dumps),
            "object_offset": _joined(each.offsets for each in dumps),
            "object_kind": _joined(each.kinds for each in dumps),
            "object_class": _joined(each.types for each in dumps),
            "object_size": _joined(each.sizes for each in dumps),
        }
        self._edges = _together([each.edges for each in dumps], bases)
        self._roots = [
            np.where(each.roots == NONE, NONE, each.roots.astype(np.int64) + base).astype(np.uint32)
            for each, base in zip(dumps, bases, strict=False)
        ]
        self._distances = np.zeros(0, np.uint32)

    # -- arrays -------------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, AnyArray]:
        """Returns all arrays, by their names without prefix."""
        edges, described = self._edges, self._described
        dominated = BackgroundTask(self._dominated)
        words, kinds = np.unique(_joined(each.root_types for each in self._dumps), return_inverse=True)
        buffer = self._scratch("rows", "u4", len(edges.targets))
        referrer_firsts, referrers = sorted_places(edges.targets, self._objects, buffer)
        arrays = {
            **described,
            "object_first": edges.firsts,
            "reference_target": edges.targets,
            "reference_count": edges.counts,
            "referrer_first": referrer_firsts,
            "referrer": referrers,
            "object_referrers": reference_counts(edges.targets, edges.counts, self._objects),
            "root_kind": kinds,
            "root_object": _joined(self._roots),
            "root_word": words,
            "section_first": self.firsts,
        }
        reached_by = self._reached_by()
        self._distances = distances_of(edges.firsts, edges.targets, reached_by.copy()).astype(np.uint32)
        self._distances[reached_by == NOT_REACHED] = NONE
        arrays["object_distance"] = self._distances
        # Class objects are counted under the pseudo type of classes, not under their own class.
        counted = {**arrays, "object_class": self._counted, "object_kind": np.zeros(self._objects, np.uint8)}
        tables = HeapTables(_HeapColumns(self._recording, self._types, self.firsts, self._roots, counted))
        arrays |= dominated.result()
        found = {name: np.ascontiguousarray(values, GRAPH[name]) for name, values in arrays.items()}
        of_classes = np.full(len(self._dumps), self._types - len(PSEUDO_TYPES) + CLASS_END, np.uint32)
        made = {**tables.classes(), **tables.path_tables(reached_by, lambda: (referrer_firsts, referrers))}
        return {**found, **made, "heap_dump_classes": of_classes}

    def _buffer(self, name: str, count: int) -> U32Array:
        found: U32Array = self._scratch(name, "u4", count)
        return found

    def _reached_by(self) -> U32Array:
        """Returns the last steps of the shortest paths from roots. Only recorded references to classes count."""
        no_classes = [np.full(self._types, NO_ROW, np.uint32)] * len(self._dumps)
        types, edges = self._described["object_class"], self._edges
        return compute_reached_by(edges.firsts, edges.targets, types, no_classes, self._roots, make_buffer=self._buffer)

    def _dominated(self) -> dict[str, AnyArray]:
        """Returns dominators, and retained sizes of objects and groups."""
        roots = _joined(self._roots)
        above, retained, retained_counts = find_retained(
            self._edges, roots[roots != NONE], self._described["object_size"], self._scratch
        )
        dumps, types = len(self._dumps), self._types
        names = type_names(self._recording, types)
        packages = np.unique([package_of(name) for name in names], return_inverse=True)[1]
        every = np.arange(dumps * types)
        groups = np.array([every, every // types * types + np.tile(packages, dumps)]).astype(np.uint32)
        dump_of = np.repeat(np.arange(dumps), np.diff(self.firsts))
        own = (self._counted + dump_of * types).astype(np.uint32)
        below = find_dominated(above, retained, own, groups, self._scratch)
        return {
            "object_dominator": above,
            "object_retained": retained,
            "object_held": retained_counts,
            "object_dominated": below.dominated,
            "type_retained": below.sums[0][groups[0]],
            "package_retained": below.sums[1][groups[1]],
        }

    @property
    def _counted(self) -> U32Array:
        """uint32 by object: the type that it is counted for."""
        is_class = self._described["object_kind"] == CLASS_OBJECT
        end = np.uint32(self._types - len(PSEUDO_TYPES) + CLASS_END)
        return np.where(is_class, end, self._described["object_class"])

    # -- counts -------------------------------------------------------------------------------------------------------

    def totals(self) -> list[dict[str, object]]:
        """Returns the totals of each dump."""
        return [self._totals(dump, nodes) for dump, nodes in enumerate(self._dumps)]

    def _totals(self, dump: int, nodes: HeapNodes) -> dict[str, object]:
        start, stop = self.firsts[dump : dump + 2].tolist()
        distances = self._distances[start:stop]
        is_reached = distances != NONE
        is_garbage = ~is_reached & (nodes.entities < CLASS_ENTITY)
        words, counts = np.unique(nodes.root_types, return_counts=True)
        of_types = zip(words.tolist(), counts.tolist(), strict=True)
        return {
            "objects": int(np.count_nonzero(nodes.entities < CLASS_ENTITY)),
            "roots": len(nodes.roots),
            "distinct_roots": len(distinct(nodes.roots[nodes.roots != NONE])),
            "roots_by_type": {root_type(self._recording, word): count for word, count in of_types},
            "references": nodes.references,
            "distinct_references": len(nodes.edges.targets),
            "references_to_undefined": nodes.undefined,
            "reachable": int(np.count_nonzero(is_reached)),
            "reachable_bytes": int(nodes.sizes[is_reached].sum(dtype=np.int64)),
            "live_but_unreachable": int(np.count_nonzero(is_garbage)),
            "live_but_unreachable_bytes": int(nodes.sizes[is_garbage].sum(dtype=np.int64)),
            "greatest_distance": int(distances[is_reached].max()) if is_reached.any() else 0,
        }


def root_type(recording: TraceRecording, word: int) -> str:
    """Returns the type of a root, as the file has it."""
    return "(no type recorded)" if word == NONE else recording.text(word)


def type_names(recording: TraceRecording, types: int) -> list[str]:
    """Returns the names of classes by type, in Java notation, followed by those of pseudo types."""
    classes = zip(np.asarray(recording.column("class_name")).tolist(), recording.column("class_id"), strict=True)
    names = [f"class #{id} (not defined)" if name == NONE else recording.text(name) for name, id in classes]
    return [*names, *PSEUDO_TYPES][:types]


def find_retained(
    edges: DumpEdges, roots: U32Array, sizes: U32Array, scratch: Scratch = anonymous
) -> tuple[U32Array, I64Array, U32Array]:
    """Returns, by object, its dominator, retained bytes and retained objects.

    roots  uint32, objects
    """
    count = len(sizes)
    no_class, types = np.full(1, NONE, np.uint32), np.zeros(count, np.uint32)
    found = find_dominators(edges.firsts, edges.targets, no_class, types, roots, sizes, scratch, counts_objects=True)
    assert found.retained_counts is not None
    return found.dominators, found.retained, found.retained_counts.astype(np.uint32)


def _together(parts: Sequence[DumpEdges], bases: Sequence[int]) -> DumpEdges:
    """Concatenates the references of dumps."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(len(each.targets) for each in parts)]).tolist()
    firsts = [each.firsts[:-1] + np.uint32(end) for each, end in zip(parts, ends, strict=False)]
    targets = [each.targets + np.uint32(base) for each, base in zip(parts, bases, strict=False)]
    return DumpEdges(
        np.concatenate([*firsts, np.array(ends[-1:], np.uint32)]),
        _joined(targets),
        _joined(each.counts for each in parts),
    )


def reference_counts(targets: U32Array, counts: U32Array, objects: int) -> I64Array:
    """Returns int64 by object: number of references to it."""
    sums = np.zeros(objects, np.int64)
    for start in range(0, len(targets), PIECE):
        piece = slice(start, start + PIECE)
        sums += np.bincount(targets[piece], counts[piece], objects).astype(np.int64)
    return sums


def _joined(parts: Iterable[AnyArray]) -> AnyArray:
    return np.concatenate(list(parts))


class _HeapColumns:
    """Source columns for tables of classes."""

    def __init__(
        self,
        recording: TraceRecording,
        types: int,
        firsts: U32Array,
        roots: Sequence[U32Array],
        arrays: dict[str, AnyArray],
    ) -> None:
        counts = np.array([len(each) for each in roots])
        self._arrays: dict[str, AnyArray] = {
            **arrays,
            "section_kind": np.full(len(roots), HEAP_DUMP, np.uint8),
            "section_first": firsts[:-1].astype(np.int64),
            "section_rows": np.diff(firsts.astype(np.int64)),
            "section_more": np.cumsum(counts) - counts,
            "section_more_rows": counts,
            # Numbers of elements are not recorded, nor can sizes yield them.
            "object_elements": np.full(int(firsts[-1]), NONE, np.uint32),
        }
        self._names = [f"{name}@0".encode("utf-8", "surrogatepass") for name in type_names(recording, types)]

    def column(self, name: str) -> AnyArray:
        """Returns a column."""
        return self._arrays[name]

    def texts(self, table: str) -> Sequence[bytes]:
        """Returns names of classes."""
        return self._names
