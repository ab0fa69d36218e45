"""The stages of a heap dump's index: objects and classes, references both ways, ways from roots, texts, dominators.

Each is published as soon as it is whole. Objects are put in order beside the
reading of references, and dominators are found beside everything behind that: most of both is in one thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from parsers.beside import Beside
from parsers.hprof.class_sums import BYTES
from parsers.hprof.class_sums import OBJECTS as COUNT
from parsers.hprof.columns import (
    COLUMNS,
    DUMP_PACKED,
    HEAP,
    KNOWN,
    LINES,
    PACKED,
    PUBLISHED,
    REFERENCES,
    REFERRERS,
    TEXT_TABLES,
)
from parsers.hprof.dump_facts import dominated_totals, object_totals, reference_totals
from parsers.hprof.dump_groups import group_arrays, loaders_of
from parsers.hprof.dump_heap import Heap
from parsers.hprof.dump_profile import DumpProfile
from parsers.hprof.dump_progress import DOMINATORS, OBJECTS, REFERRED, STRINGS, WAYS, StageProgress
from parsers.hprof.dump_references import References, weak_fields
from parsers.hprof.dump_sizes import UNIT, Measured
from parsers.hprof.dump_steps import Dominated, PlainSteps, Turned
from parsers.hprof.dump_tables import class_objects, name_arrays
from parsers.hprof.heap_tables import HeapTables, readable_class
from parsers.hprof.recording import Recording
from parsers.hprof.text_save import save_texts
from parsers.index.packed import open_packed
from parsers.index.writer import Writer

IN_UNITS = ("heap_class_bytes", "heap_class_printed", "heap_class_garbage_bytes")
OF_OBJECTS = frozenset((*HEAP, *REFERENCES, *REFERRERS, *PACKED, *DUMP_PACKED))
"""Columns that a recording of a binary file does not hold itself."""
PIECE = 1 << 22
"""Numbers that are unpacked at a time."""

Publish = Callable[[str], object]
"""Is called when all arrays of a stage are there, and its totals."""


class HeapStages:
    """Makes all of them, but for those that somebody else has made before."""

    def __init__(
        self, writer: Writer, steps: PlainSteps, heap: Heap, measured: Measured, profile: DumpProfile,
        recording: Recording, root_objects: Any, totals: Mapping[str, Any], progress: StageProgress, publish: Publish,
    ) -> None:  # fmt: skip
        self._writer = writer
        self._steps = steps
        self._heap = heap
        self._measured = measured
        self._profile = profile
        self._recording = recording
        self._root_objects = root_objects
        self._progress = progress
        self._publish = publish
        self._begun = writer.begun
        self._publishing = threading.Lock()
        self.totals: dict[str, Any] = {**totals, **({} if writer.begun is None else writer.begun.totals)}

    def run(self) -> None:
        """Makes them."""
        heap, measured, steps = self._heap, self._measured, self._steps
        heap.weak = weak_fields(heap, measured.names, measured.texts)
        sizes, classes = steps.sizes(heap, measured), class_objects(heap, measured)
        columns = _Columns(
            self._recording,
            {
                "object_id": heap.ids,
                "object_kind": heap.kinds,
                "object_class": heap.types,
                "object_size": sizes.units,
                "root_object": self._root_objects,
            },
        )
        tables = HeapTables(columns)
        self.totals |= object_totals(heap, measured, sizes, self._root_objects)
        self._publish_classes(tables)
        ordering = Beside(lambda: self._objects(tables, sizes.units))
        references = self._references()
        self._progress.share(REFERRED, 0.4)
        dominating = Beside(
            lambda: steps.dominate(
                heap, references, classes, self._root_objects, sizes.units,
                lambda share: self._progress.share(DOMINATORS, 0.85 * share),
            )
        )  # fmt: skip
        turned = self._turned(references)
        ordering.result()
        self._both_ways(references, turned)
        columns.add({"object_first": references.firsts, "reference_target": references.targets})
        self._ways(tables, references, turned)
        self._strings(references, sizes.units)
        self._dominators(dominating.result(), tables)

    def _is_made(self, stage: str) -> bool:
        """Whether somebody has made a stage before."""
        return self._begun is not None and stage in self._begun.stages

    # -- one stage after the other ------------------------------------------------------------------------------------

    def _publish_classes(self, tables: HeapTables) -> None:
        """Lets readers see how many objects each class has before these are in order."""
        if self._is_made(OBJECTS):
            return
        sums, writer = tables.counted[0].sums, self._writer
        bytes = sums[BYTES] * UNIT
        for name, values in zip(KNOWN, (sums[COUNT], bytes, bytes), strict=True):
            writer.save(name, values.astype(np.uint64))
        save_texts(writer, "class", self._recording.texts("class"))
        texts = self._recording.texts("class")
        lengths = {**dict.fromkeys(KNOWN, len(texts)), "class_starts": len(texts) + 1}
        lengths["class_bytes"] = sum(len(text) for text in texts)
        self._progress.know(lengths, {name: PUBLISHED[name] for name in lengths})

    def _objects(self, tables: HeapTables, units: Any) -> None:
        if self._is_made(OBJECTS):
            self._progress.whole(OBJECTS)
            return
        heap, writer = self._heap, self._writer
        arrays = {
            "object_id": heap.ids,
            "object_offset": heap.offsets,
            "object_kind": heap.kinds,
            "object_class": heap.types,
            "object_size": units,
            "type_loader": loaders_of(heap, self._measured),
            **name_arrays(heap, self._profile),
        }
        for number, (name, values) in enumerate(arrays.items()):
            self._save(name, values)
            self._progress.share(OBJECTS, 0.05 * (number + 1))
        for name, values in tables.classes().items():
            self._save(name, values)
        for name, type in {**COLUMNS, **LINES}.items():
            if name not in OF_OBJECTS:
                writer.save(name, np.asarray(self._recording.column(name)).astype(np.dtype(type), copy=False))
        for table in TEXT_TABLES:
            if table != "class":
                save_texts(writer, table, self._recording.texts(table))
        for name in KNOWN:
            writer.forget(name)
        self._whole(OBJECTS)

    def _references(self) -> References:
        heap, begun = self._heap, self._begun
        if begun is None or not self._is_made(REFERRED):
            return self._steps.references(heap, lambda share: self._progress.share(REFERRED, 0.4 * share))
        totals = begun.totals
        return References(
            self._unpacked("object_first"),
            self._unpacked("reference_target"),
            totals["references_fields"],
            totals["references_elements"],
            totals["references_classes"],
            self._made("weak"),
        )

    def _turned(self, references: References) -> Turned:
        if self._is_made(REFERRED):
            return Turned(self._unpacked("referrer_first"), self._unpacked("referrer"))
        return self._steps.turn(references, self._heap.objects)

    def _both_ways(self, references: References, turned: Turned) -> None:
        if self._is_made(REFERRED):
            self._progress.whole(REFERRED)
            return
        arrays = {
            "object_first": references.firsts,
            "reference_target": references.targets,
            "referrer_first": turned.firsts,
            "referrer": turned.referrers,
            "weak": references.weak,
        }
        for name, values in arrays.items():
            self._save(name, values)
        self.totals |= reference_totals(references)
        self._whole(REFERRED)

    def _ways(self, tables: HeapTables, references: References, turned: Turned) -> None:
        if self._is_made(WAYS):
            self._progress.whole(WAYS)
            return
        found = tables.find_ways(self._steps.strong(references))
        self._progress.share(WAYS, 0.7)
        for name, values in tables.ways(found, lambda: (turned.firsts, turned.referrers)).items():
            self._save(name, values)
        self._whole(WAYS)

    def _strings(self, references: References, units: Any) -> None:
        if self._is_made(STRINGS):
            self._progress.whole(STRINGS)
            return
        arrays, totals = self._steps.strings(self._heap, self._measured, references, units)
        for name, values in arrays.items():
            self._save(name, values)
        self.totals |= totals
        self._whole(STRINGS)

    def _dominators(self, dominated: Dominated, tables: HeapTables) -> None:
        """The last stage; that it is whole is said with the whole index."""
        names = [readable_class(text) for text in self._recording.texts("class")]
        arrays = {
            "object_dominator": dominated.dominators,
            "object_retained": dominated.retained,
            **group_arrays(self._steps, self._heap, self._measured, names, tables.type_of_classes, dominated),
        }
        for name, values in arrays.items():
            self._save(name, values)
        self.totals |= dominated_totals(self._heap, dominated)

    # -- arrays -------------------------------------------------------------------------------------------------------

    def _save(self, name: str, values: Any) -> None:
        """Writes an array."""
        if name in IN_UNITS:
            values = values * UNIT
        if name in DUMP_PACKED:
            self._steps.save(self._writer, name, DUMP_PACKED[name], values)
        else:
            self._writer.save(name, values)

    def _whole(self, stage: str) -> None:
        with self._publishing:
            self._publish(stage)
            self._progress.whole(stage)

    def _made(self, name: str) -> Any:
        """An array of a stage that was made before."""
        assert self._begun is not None
        return self._writer.column(name, self._begun.arrays[name].length)

    def _unpacked(self, name: str) -> Any:
        """The numbers of such a packed column."""
        packed = open_packed(name, DUMP_PACKED[name], lambda part: memoryview(self._made(part)))
        room = self._steps.room(f"{name}_again", DUMP_PACKED[name].wide, len(packed))
        for start in range(0, len(packed), PIECE):
            room[start : start + PIECE] = packed.numbers(slice(start, start + PIECE))
        return room


class _Columns:
    """What tables of views are made of: arrays of a heap, else columns of the recording."""

    def __init__(self, recording: Recording, arrays: Mapping[str, Any]) -> None:
        self._recording = recording
        # Nothing is known of elements, and sizes are true already.
        self._arrays = {**arrays, "object_elements": np.zeros(len(arrays["object_id"]), np.uint32)}

    def add(self, arrays: Mapping[str, Any]) -> None:
        """More of them."""
        self._arrays |= arrays

    def column(self, name: str) -> Any:
        """A column."""
        return self._arrays[name] if name in self._arrays else self._recording.column(name)

    def packed(self, name: str) -> Any:
        """The same: nothing is packed."""
        return self.column(name)

    def texts(self, table: str) -> Sequence[bytes]:
        """A table of texts."""
        return self._recording.texts(table)
