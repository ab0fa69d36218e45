"""Published results of plain code while it reads: traces, and sums of classes, in files that grow.

Its tables are in its own memory, so they are copied as they become longer. Kernels write into such files themselves.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from parsers.formats.hprof.data.columns import KNOWN, PUBLISHED, STACK, TRACES
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.heapdump.graph.columns import HEAP_DUMP, PRIMITIVE_ARRAY
from parsers.heapdump.tables.class_names import readable_class
from parsers.heapdump.tables.object_size import ARRAY_HEADER, element_size, true_sizes
from parsers.index.texts import append_texts, arrays_from
from parsers.index.writer import Writer

TEXTS = ("frame", "class")


class PlainPublished:
    """Copies of tables, in the folder of a writer."""

    def __init__(self, writer: Writer, tables: ProfileTables) -> None:
        self._tables = tables
        names = (*TRACES, *STACK, *KNOWN, *(f"{table}_{part}" for table in TEXTS for part in ("starts", "bytes")))
        self._arrays = {name: writer.grow(name, PUBLISHED[name]) for name in names}
        self._element_sizes: list[int] = []
        self._objects = 0
        """Number of objects whose sums are known."""
        self._dump = -1

    def publish(self) -> dict[str, int]:
        """Copies new entries; returns the lengths of the arrays."""
        for name in (*TRACES, *STACK):
            # The last trace may have more frames now.
            done = max(self._arrays[name].length - 1, 0)
            column = self._tables.columns[name]
            self._arrays[name].end_with(done, np.frombuffer(column[done:], column.typecode))
        for table in TEXTS:
            append_texts(self._arrays, table, partial(arrays_from, self._tables.texts[table].texts))
        self._add_objects()
        return {name: growing.length for name, growing in self._arrays.items()}

    def _add_objects(self) -> None:
        tables = self._tables
        names = tables.texts["class"].texts
        self._element_sizes += [element_size(readable_class(text)) for text in names[len(self._element_sizes) :]]
        for name in KNOWN:
            growing = self._arrays[name]
            growing.end_with(growing.length, np.zeros(len(names) - growing.length, np.uint64))
        kinds = tables.columns["section_kind"]
        dump = max((section for section, kind in enumerate(kinds) if kind == HEAP_DUMP), default=-1)
        if dump != self._dump:
            # Sums of classes are of one dump.
            self._dump, self._objects = dump, tables.get("section_first", dump)
            for name in KNOWN:
                self._arrays[name].array[: len(names)] = 0
        start, self._objects = self._objects, tables.length("object")
        if start == self._objects:
            return
        parts = (tables.columns[f"object_{name}"][start:] for name in ("class", "kind", "size", "elements"))
        types, object_kinds, printed, elements = (np.frombuffer(part, part.typecode) for part in parts)
        sizes = np.where(object_kinds == PRIMITIVE_ARRAY, np.array(self._element_sizes, np.int64)[types], 0)
        weights = (None, true_sizes(printed, elements, sizes, ARRAY_HEADER), printed)
        for name, weight in zip(KNOWN, weights, strict=True):
            found = np.bincount(types, weight, len(names)).astype(np.uint64)
            self._arrays[name].array[: len(names)] += found
