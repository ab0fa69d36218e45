"""Builds the index of a binary file: of its heap dump objects, references both ways, ways from roots, dominators."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers import kernel
from parsers.beside import Beside
from parsers.hprof.build import ProfileBuild
from parsers.hprof.columns import COLUMNS, LINES, PACKED, TEXT_TABLES
from parsers.hprof.dump_facts import heap_facts, heap_totals
from parsers.hprof.dump_file import DumpFile
from parsers.hprof.dump_groups import group_arrays
from parsers.hprof.dump_heap import Heap
from parsers.hprof.dump_parts import DumpParts
from parsers.hprof.dump_records import Trouble
from parsers.hprof.dump_references import weak_fields
from parsers.hprof.dump_sizes import UNIT, Measured
from parsers.hprof.dump_steps import KernelSteps, PlainSteps
from parsers.hprof.dump_tables import add_heap, class_objects, name_arrays
from parsers.hprof.heap_tables import make_tables, readable_class
from parsers.hprof.recording import Recording
from parsers.hprof.summary import facts_of_binary
from parsers.hprof.text_save import save_texts
from parsers.hprof.totals import sections_of
from parsers.index.builders import SMALL, ChangedReport
from parsers.index.store import Header
from parsers.index.writer import Writer
from parsers.report import Problem

if TYPE_CHECKING:
    from parsers.index.builders import Tell
    from parsers.input.group import SourceGroup

SCANNED, REFERRED = 0.2, 0.4
"""Shares of the work that are done when objects are known, and their references."""
IN_UNITS = ("heap_class_bytes", "heap_class_printed", "heap_class_garbage_bytes")


class DumpBuild(ProfileBuild):
    """One binary file on its way to an index."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """As `ProfileBuild`."""
        super().__init__(source, folder, format, tell, kernels)
        self._whole = DumpParts(source.sources)
        """The file, with its parts where it has some."""
        self._identity = source.identity
        self._groups = [self._kernels, kernel.Kernels(kernels, "heap")]

    def run(self) -> Header:
        """Builds it. Raises `ChangedReport`, and `OSError` where the disk is full."""
        size = self._whole.size
        writer = Writer(self._folder, self._format, self._identity)
        self._writers.append(writer)
        steps = PlainSteps(self._read)
        if size > SMALL:
            for group in self._groups:
                group.compile_beside()
            if all(group.wait() for group in self._groups):
                self._started = time.perf_counter()
                tell = lambda share: self._share(share, 0, SCANNED)  # noqa: E731
                steps = KernelSteps(self._read, self._whole, writer, tell, size)
        try:
            return self._build(writer, steps)
        except EOFError as error:
            raise ChangedReport from error

    def _read(self, count: int, offset: int) -> bytes:
        data = self._whole.pread(count, offset)
        if len(data) < count:
            raise ChangedReport
        return data

    def _build(self, writer: Writer, steps: PlainSteps) -> Header:
        file = DumpFile(self._read, self._whole.size, steps.read_heap)
        file.read()
        profile, heap = file.profile, file.heap
        recording = Recording(self._whole)
        facts = {**facts_of_binary(profile), "version": file.version.decode("ascii", "replace")}
        totals: dict[str, Any] = dict(file.counts)
        arrays: dict[str, Any] = {}
        if heap is not None:
            measured = Measured(heap, profile, file.version, self._read, steps.addresses(heap))
            root_objects = add_heap(profile, heap, measured)
            recording.take_plain(profile.tables, facts)
            arrays = self._make(steps, heap, measured, recording, root_objects, totals)
            arrays |= name_arrays(heap, profile)
            facts |= heap_facts(heap, measured, file)
        else:
            recording.take_plain(profile.tables, facts)
        return self._save(writer, recording, arrays, steps.written, totals, facts, file.troubles)

    def _make(
        self, steps: PlainSteps, heap: Heap, measured: Measured, recording: Recording, root_objects: Any,
        totals: dict[str, Any],
    ) -> dict[str, Any]:  # fmt: skip
        """Arrays of a heap; adds to the totals."""
        heap.weak = weak_fields(heap, measured.names, measured.texts)
        sizes, classes = steps.sizes(heap, measured), class_objects(heap, measured)
        references = steps.references(heap, lambda share: self._share(share, SCANNED, REFERRED))
        # Most of its work is in one thread, and so is half of that of the tables.
        dominating = Beside(
            lambda: steps.dominate(
                heap, references, classes, root_objects, sizes.units, lambda share: self._share(share, REFERRED, 1)
            )
        )
        turned = steps.turn(references, heap.objects)
        strings, string_totals = steps.strings(heap, measured, references, sizes.units)
        arrays = {
            "object_id": heap.ids,
            "object_offset": heap.offsets,
            "object_kind": heap.kinds,
            "object_class": heap.types,
            "object_size": sizes.units,
            "object_first": references.firsts,
            "reference_target": references.targets,
            "referrer_first": turned.firsts,
            "referrer": turned.referrers,
            "weak": references.weak,
            **strings,
        }
        columns = _Columns(recording, {**arrays, "root_object": root_objects})
        of_views = make_tables(columns, lambda: (turned.firsts, turned.referrers), steps.strong(references))
        for name in IN_UNITS:
            of_views[name] = of_views[name] * UNIT
        dominated = dominating.result()
        arrays |= {"object_dominator": dominated.dominators, "object_retained": dominated.retained, **of_views}
        names = [readable_class(text) for text in recording.texts("class")]
        of_classes = int(of_views["heap_dump_classes"][0])
        arrays |= group_arrays(steps, heap, measured, names, of_classes, dominated)
        totals |= heap_totals(heap, measured, sizes, references, root_objects, dominated) | string_totals
        return arrays

    def _save(
        self, writer: Writer, recording: Recording, arrays: Mapping[str, Any], written: frozenset[str],
        totals: Mapping[str, Any], facts: Mapping[str, Any], troubles: Sequence[Trouble],
    ) -> Header:  # fmt: skip
        if self._whole.is_rewritten:
            raise ChangedReport
        if not arrays:
            self._save_plain(writer, recording)
        else:
            self._save_heap(writer, recording, arrays, written)
        whole = {**facts, "sections": sections_of(recording) if not arrays else [], "runs": []}
        problems = tuple(Problem(each.kind, each.what, each.done, self._whole.path, each.offset) for each in troubles)
        rows = recording.rows("trace") + len(arrays.get("object_id", ()))
        seconds = time.perf_counter() - self._started
        return writer.finish(self._whole.size, rows, totals, whole, problems, len(problems), seconds)

    @staticmethod
    def _save_heap(writer: Writer, recording: Recording, arrays: Mapping[str, Any], written: frozenset[str]) -> None:
        """Writes the arrays of a heap that are not yet written, and all other tables."""
        for name, values in arrays.items():
            if name not in written:
                writer.save(name, values)
        for name, type in {**COLUMNS, **LINES}.items():
            if name not in arrays and name not in PACKED:
                writer.save(name, np.asarray(recording.column(name)).astype(np.dtype(type), copy=False))
        for table in TEXT_TABLES:
            save_texts(writer, table, recording.texts(table))

    def _share(self, share: float, start: float, stop: float) -> None:
        """Tells that so much of a step is done, which takes all from one share to another one."""
        size = self._whole.size
        done = int(size * (start + (stop - start) * min(share, 1)))
        seconds = round(time.perf_counter() - self._started, 4)
        self._tell({"state": "indexing", "done": min(done, size - 1), "total": size, "rows": 0, "seconds": seconds})


class _Columns:
    """What tables of views are made of: arrays of a heap, else columns of the recording."""

    def __init__(self, recording: Recording, arrays: Mapping[str, Any]) -> None:
        self._recording = recording
        # Nothing is known of elements, and sizes are true already.
        self._arrays = {**arrays, "object_elements": np.zeros(len(arrays["object_id"]), np.uint32)}

    def column(self, name: str) -> Any:
        """A column."""
        return self._arrays[name] if name in self._arrays else self._recording.column(name)

    def packed(self, name: str) -> Any:
        """The same: nothing is packed."""
        return self.column(name)

    def texts(self, table: str) -> Sequence[bytes]:
        """A table of texts."""
        return self._recording.texts(table)
