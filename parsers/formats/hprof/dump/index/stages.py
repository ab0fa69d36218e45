"""The stages of a heap dump's index: objects and classes, references both ways, paths from roots, texts, dominators.

Each is published when it is complete. Objects are sorted in parallel with the reading of references. Then dominators
are computed in parallel with everything else: most of that runs in one thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.profile import BinaryProfile
from parsers.formats.hprof.data.columns import COLUMNS, KNOWN, LINES, PUBLISHED, TEXT_TABLES
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.dump.index.facts import dominated_totals, object_totals, reference_totals
from parsers.formats.hprof.dump.index.heap_engine import PlainSteps, Transposed
from parsers.formats.hprof.dump.index.object_sizes import ObjectSizes
from parsers.formats.hprof.dump.index.progress import (
    DOMINATORS,
    OBJECTS,
    PATHS,
    REFERRED,
    SHARES,
    STRINGS,
    StageProgress,
)
from parsers.formats.hprof.dump.index.sizes import UNIT, MeasuredHeap
from parsers.formats.hprof.dump.index.tables import class_objects, name_arrays
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.references.references import HeapReferences, weak_fields
from parsers.graph.dominator_tree.build import Dominators
from parsers.heapdump.dominators.dominated import find_dominated
from parsers.heapdump.graph.columns import CLASS_OBJECT, DUMP_PACKED, HEAP, PACKED, REFERENCES, REFERRERS
from parsers.heapdump.paths.reachability import NO_ROW
from parsers.heapdump.tables.heap_tables import HeapTables
from parsers.heapdump.tables.sum_rows import BYTES, LARGEST, PRINTED, SMALLEST, SUMS, TYPE_OBJECTS, TYPE_UNITS
from parsers.heapdump.tables.sum_rows import OBJECTS as OBJECTS_OF
from parsers.index.bitpacked.columns import open_packed
from parsers.index.texts import text_arrays
from parsers.index.writer import Writer
from parsers.io.background_task import BackgroundTask
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

IN_UNITS = ("heap_class_bytes", "heap_class_printed", "heap_class_garbage_bytes")
OF_OBJECTS = frozenset((*HEAP, *REFERENCES, *REFERRERS, *PACKED, *DUMP_PACKED))
"""Columns that are not stored with the recording of a binary file."""
GROUPINGS = ("type", "package", "loader")
"""Groupings of types: themselves, their package, their loader."""
PIECE = 1 << 22
"""Numbers unpacked at a time."""

StageArrays = tuple[Mapping[str, "AnyArray"], Mapping[str, int]]
"""Arrays and totals of a stage."""
ReportProgress = Callable[[str], object]
"""Called when all arrays of a stage are written, with its totals."""


class HeapStages:
    """Computes all stages, except those completed by an earlier build."""

    def __init__(
        self, writer: Writer, steps: PlainSteps, heap: ParsedHeap, measured: MeasuredHeap, profile: BinaryProfile,
        recording: ProfileRecording, root_objects: U32Array, totals: Mapping[str, int], progress: StageProgress,
        report_progress: ReportProgress,
    ) -> None:  # fmt: skip
        self._writer = writer
        self._steps = steps
        self._heap = heap
        self._measured = measured
        self._profile = profile
        self._recording = recording
        self._root_objects = root_objects
        self._progress = progress
        self._report_progress = report_progress
        self._begun = writer.begun
        self._publishing = threading.Lock()
        self._first_totals = {**totals, **({} if writer.begun is None else writer.begun.totals)}
        self._totals: dict[str, Mapping[str, int]] = {}

    def run(self) -> None:
        """Computes the stages."""
        heap, measured, steps = self._heap, self._measured, self._steps
        heap.weak = weak_fields(heap, measured.names, measured.texts)
        sizes = steps.sizes(heap, measured)
        self._recording.add_columns(
            {
                "object_kind": heap.kinds,
                "object_class": heap.types,
                "object_size": sizes.units,
                "root_object": self._root_objects,
            }
        )
        self._tables = HeapTables(
            self._recording,
            sums_of_sizes(sizes),
            lambda name, count: steps.scratch_array(f"{name}_found", "u4", count),
            names=measured.type_names,
        )
        self._publish_classes(sizes)
        self._ids()
        self._ordering = BackgroundTask(partial(self._make, OBJECTS, partial(self._objects, sizes)))
        references = self._references()
        self._progress.share(REFERRED, 0.4)
        transposed = self._transpose_references(references)
        dominate = partial(self._dominators, references, sizes.units)
        dominating = BackgroundTask(partial(self._make, DOMINATORS, dominate))
        self._recording.add_columns({"object_first": references.firsts, "reference_target": references.targets})
        self._make(PATHS, partial(self._paths, references, transposed))
        del transposed
        self._make(STRINGS, partial(steps.strings, heap, measured, references, sizes.units))
        dominating.result()

    @property
    def totals(self) -> dict[str, int]:
        """Totals of the completed stages, in the order of stages: two threads complete them in any order."""
        found = dict(self._first_totals)
        for stage in SHARES:
            found |= self._totals.get(stage, {})
        return found

    def _is_complete(self, stage: str) -> bool:
        """True if an earlier build completed a stage."""
        return self._begun is not None and stage in self._begun.stages

    # -- stages -------------------------------------------------------------------------------------------------------

    def _publish_classes(self, sizes: ObjectSizes) -> None:
        """Publishes the number of objects of each class before objects are sorted."""
        if self._is_complete(OBJECTS):
            return
        objects, bytes, writer = sizes.counts[TYPE_OBJECTS].copy(), sizes.counts[TYPE_UNITS] * UNIT, self._writer
        if self._tables.type_of_classes != NO_ROW:
            objects[self._tables.type_of_classes] += len(self._heap.classes)
            bytes[self._tables.type_of_classes] += int(self._measured.class_sizes.sum())
        for name, values in zip(KNOWN, (objects, bytes, bytes), strict=True):
            writer.save(name, values.astype(np.uint64))
        texts = text_arrays("class", self._recording.texts("class"))
        for name, array in texts.items():
            writer.save(name, array)
        lengths = {**dict.fromkeys(KNOWN, len(objects)), **{name: len(array) for name, array in texts.items()}}
        self._progress.announce(lengths, {name: PUBLISHED[name] for name in lengths})

    def _ids(self) -> None:
        """Packs ids before anything else: kernels need them no more, and they are the largest array."""
        if not self._is_complete(OBJECTS):
            self._save("object_id", self._heap.ids)
            self._steps.give_up_ids(self._heap)

    def _make(self, stage: str, make: Callable[[], StageArrays]) -> None:
        """Makes and publishes a stage, unless an earlier build completed it."""
        if self._is_complete(stage):
            self._progress.complete(stage)
        else:
            self._publish(stage, *make())

    def _objects(self, sizes: ObjectSizes) -> StageArrays:
        heap, recording = self._heap, self._recording
        arrays: dict[str, AnyArray] = {
            "object_offset": heap.offsets,
            "object_kind": heap.kinds,
            "object_class": heap.types,
            "object_size": sizes.units,
            "type_loader": self._loaders(),
            **name_arrays(heap, self._profile),
        }
        for name, type in {**COLUMNS, **LINES}.items():
            if name not in OF_OBJECTS:
                arrays[name] = np.asarray(recording.column(name)).astype(np.dtype(type), copy=False)
        for table in TEXT_TABLES:
            if table != "class":
                arrays |= text_arrays(table, recording.texts(table))
        totals = object_totals(heap, self._measured, sizes, self._root_objects)
        return {**arrays, **self._tables.classes()}, totals

    def _references(self) -> HeapReferences:
        heap, begun = self._heap, self._begun
        if begun is None or not self._is_complete(REFERRED):
            return self._steps.references(heap, lambda share: self._progress.share(REFERRED, 0.4 * share))
        totals = begun.totals
        return HeapReferences(
            self._unpacked("object_first"),
            self._unpacked("reference_target"),
            totals["references_fields"],
            totals["references_elements"],
            totals["references_classes"],
            self._made("weak"),
        )

    def _transpose_references(self, references: HeapReferences) -> Transposed:
        if self._is_complete(REFERRED):
            self._progress.complete(REFERRED)
            return Transposed(self._unpacked("referrer_first"), self._unpacked("referrer"))
        transposed = self._steps.transpose(references, self._heap.objects)
        self._progress.share(REFERRED, 0.7)
        self._ordering.result()
        arrays = {
            "object_first": references.firsts,
            "reference_target": references.targets,
            "referrer_first": transposed.firsts,
            "referrer": transposed.referrers,
            "weak": references.weak,
        }
        self._publish(REFERRED, arrays, reference_totals(references))
        return transposed

    def _paths(self, references: HeapReferences, transposed: Transposed) -> StageArrays:
        found = self._tables.find_reached_by(references.weak)
        self._progress.share(PATHS, 0.8)
        return self._tables.path_tables(found, lambda: (transposed.firsts, transposed.referrers)), {}

    def _dominators(self, references: HeapReferences, units: U32Array) -> StageArrays:
        heap = self._heap
        dominated = self._steps.dominate(
            heap, references, class_objects(heap), self._root_objects, units,
            lambda share: self._progress.share(DOMINATORS, 0.9 * share),
        )  # fmt: skip
        arrays: dict[str, AnyArray] = {
            "object_dominator": dominated.dominators,
            "object_retained": dominated.retained,
            **self._groups(dominated),
        }
        self._ordering.result()
        return arrays, dominated_totals(heap, dominated)

    def _groups(self, dominated: Dominators) -> dict[str, AnyArray]:
        """Returns the arrays of objects by dominator, and of retained sizes of groups.

        object_dominated  uint32: see `parsers.heapdump.dominators.dominated`
        type_retained, package_retained, loader_retained  int64 by type: retained size of it, its package, its loader
        """
        packages, loaders = self._tables.package_numbers, np.unique(self._loaders(), return_inverse=True)[1]
        groups = np.array([np.arange(len(packages)), packages, loaders])
        below = find_dominated(
            dominated.dominators, dominated.retained, self._counted_types(), groups.astype(np.uint32),
            self._steps.scratch_array,
        )  # fmt: skip
        sums = zip(GROUPINGS, below.sums, groups, strict=True)
        retained = {f"{name}_retained": units[numbers] * UNIT for name, units, numbers in sums}
        return {"object_dominated": below.dominated, **retained}

    def _loaders(self) -> U32Array:
        """Returns uint32 by type: the object of the class loader, NONE for none."""
        heap = self._heap
        loaders = np.zeros(len(heap.type_ids), np.uint64)
        loaders[heap.class_types] = heap.classes.loaders
        found = np.full(len(loaders), NONE, np.uint32)
        has_loader = loaders != 0
        found[has_loader] = self._measured.find_all(loaders[has_loader])
        return found

    def _counted_types(self) -> U32Array:
        """Returns the type that each object is counted for."""
        heap, of_classes = self._heap, self._tables.type_of_classes
        if of_classes == NO_ROW:
            return heap.types
        types = self._steps.scratch_array("counted_types", "u4", heap.objects)
        types[:] = heap.types
        types[heap.kinds == CLASS_OBJECT] = of_classes
        return types

    def _publish(self, stage: str, arrays: Mapping[str, AnyArray], totals: Mapping[str, int]) -> None:
        """Writes a stage, one at a time; then readers can use it."""
        with self._publishing:
            for name, values in arrays.items():
                self._save(name, values)
            if stage == OBJECTS:
                for name in KNOWN:
                    self._writer.forget(name)
            self._totals[stage] = totals
            self._report_progress(stage)
            self._progress.complete(stage)

    # -- arrays -------------------------------------------------------------------------------------------------------

    def _save(self, name: str, values: AnyArray) -> None:
        """Writes an array."""
        if name in IN_UNITS:
            values = values * UNIT
        if name in DUMP_PACKED:
            self._steps.save(self._writer, name, DUMP_PACKED[name], values)
        else:
            self._writer.save(name, values)

    def _made(self, name: str) -> AnyArray:
        """Returns an array of a stage that was completed before."""
        assert self._begun is not None
        return self._writer.column(name, self._begun.arrays[name].length)

    def _unpacked(self, name: str) -> AnyArray:
        """Returns the numbers of such a bitpacked column."""
        packed = open_packed(name, DUMP_PACKED[name], lambda part: self._made(part).data)
        buffer = self._steps.scratch_array(f"{name}_again", DUMP_PACKED[name].wide, len(packed))
        for start in range(0, len(packed), PIECE):
            buffer[start : start + PIECE] = packed.numbers(slice(start, start + PIECE))
        return buffer


def sums_of_sizes(sizes: ObjectSizes) -> I64Array:
    """Returns the counts of `class_sums`."""
    sums = np.zeros((SUMS, sizes.counts.shape[1]), np.int64)
    objects, _, units, smallest, largest = sizes.counts
    sums[OBJECTS_OF], sums[BYTES], sums[PRINTED] = objects, units, units
    sums[SMALLEST], sums[LARGEST] = smallest, largest
    return sums
