"""Derived tables of a heap: paths from roots, objects by class and size, sums of classes.

Computed once, with the index; each costs a pass over objects or references.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.heapdump.graph.columns import CLASS_OBJECT, HEAP_DUMP, PACKED
from parsers.heapdump.paths.reachability import FROM_ROOT, NO_ROW, MakeBuffer, compute_reached_by, steps_of
from parsers.heapdump.tables.array_header import array_header
from parsers.heapdump.tables.class_names import packages_of, readable_class
from parsers.heapdump.tables.class_sums import add_to_sums, count_garbage, counted_for, order_of, sums_of
from parsers.heapdump.tables.object_size import ARRAY_HEADER, element_sizes
from parsers.heapdump.tables.sum_rows import BYTES, GARBAGE, GARBAGE_BYTES, OBJECTS, PRINTED, SUMS
from parsers.index.bitpacked.columns import numbers
from parsers.io.background_task import BackgroundTask
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.heapdump.text_dumps.recorded import HeapColumns, RecordedHeap
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array

CLASS_TABLES: dict[str, str] = {
    "object_order": "u4",  # objects by dump and class, the largest of a class first
    "heap_class": "u4",  # classes of each dump, by bytes of their package, then by their own; class numbers
    "heap_class_first": "u4",  # its first object in `object_order`; one more entry than classes
    "heap_class_bytes": "i8",  # in the heap
    "heap_class_printed": "i8",  # as printed
    "heap_class_object": "u4",  # the class object; NO_ROW if the dump has none
    "heap_package_first": "u4",  # by dump and package: its first class, a row of `heap_class`
    "heap_dump_first": "u4",  # by dump: its first class; one more entry than dumps
    "heap_dump_classes": "u4",  # by dump: the class that class objects are counted for; NO_ROW: each for its own
}
"""Tables computed from objects alone."""
PATH_TABLES: dict[str, str] = {
    "object_step": "u4",  # see `reachability`
    "heap_class_garbage": "u4",  # unreachable objects
    "heap_class_garbage_bytes": "i8",
    "heap_dump_held": "u4",  # by dump: number of classes reachable by their instances only
}
"""Tables that need references, too."""
HEAP_TABLES = CLASS_TABLES | PATH_TABLES
CLASS_OF_CLASSES = b"java.lang.Class@"


Referrers = Callable[[], "tuple[U32Array, U32Array]"]
"""Returns `referrer_first` and `referrer`, as numpy arrays."""


def make_tables(recording: RecordedHeap, referrers: Referrers | None = None) -> dict[str, AnyArray]:
    """All tables, as numpy arrays of the types in HEAP_TABLES.

    referrers  for records that lack them as yet; blocks until they are complete
    """
    maker = HeapTables(recording, header=array_header(recording))
    reached_by = BackgroundTask(maker.find_reached_by)
    tables = maker.classes()
    return tables | maker.path_tables(reached_by.result(), referrers or (lambda: _referrers_of(recording)))


def save_tables(writer: Writer, recording: RecordedHeap, referrers: Referrers | None = None) -> None:
    """Saves all tables with an index, where there is a heap dump."""
    from parsers.index.bitpacked.writing import save_packed

    if HEAP_DUMP in recording.column("section_kind"):
        for name, array in make_tables(recording, referrers).items():
            if name in PACKED:
                save_packed(writer, name, PACKED[name], array)
            else:
                writer.save(name, array)


def _referrers_of(recording: HeapColumns) -> tuple[U32Array, U32Array]:
    return numbers(recording.column("referrer_first")), np.asarray(recording.column("referrer"))


class CountedDump(NamedTuple):
    """Sums and sizes of a dump."""

    types: U32Array
    """uint32 by object: its class."""
    kinds: U8Array
    """uint8 by object."""
    of_classes: int
    """The class that class objects are counted for; NO_ROW: each for its own."""
    sizes: U32Array
    """uint32 by object, see `class_sums`."""
    present: I64Array
    """int64: classes with objects, in their order."""


class HeapTables:
    """Computes the tables of all dumps of a file: first those from objects alone, then those from references."""

    def __init__(
        self, recording: HeapColumns, sums: I64Array | None = None, make_buffer: MakeBuffer | None = None,
        header: int = ARRAY_HEADER, names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """
        sums    of the only dump, see `class_sums`, without class objects, where they are known, and sizes are true
        header  bytes of an array before its elements, for sizes that are printed without it
        names   of classes by type, where they are known
        """
        self._sums = sums
        self._make_buffer = make_buffer
        self._header = header
        self._recording = recording
        names = names or [readable_class(text) for text in recording.texts("class")]
        self._names = names
        self._packages, self.package_numbers = packages_of(names)
        """Names of packages, and their numbers by type."""
        self._element_sizes = element_sizes(names)
        self._kinds = np.asarray(recording.column("object_kind"))
        self._types = numbers(recording.column("object_class"))
        length, texts = len(CLASS_OF_CLASSES), recording.texts("class")
        self._named_class = [type for type, text in enumerate(texts) if text[:length] == CLASS_OF_CLASSES]
        self._dumps: list[range] = []
        self._roots: list[range] = []
        columns = (recording.column(f"section_{name}") for name in ("kind", "first", "rows", "more", "more_rows"))
        for kind, first, rows, more, more_rows in zip(*columns, strict=True):
            if kind == HEAP_DUMP:
                self._dumps.append(range(first, first + rows))
                self._roots.append(range(more, more + more_rows))
        self.class_rows = [self._class_rows(dump) for dump in self._dumps]
        """By dump and class the class object."""

    @property
    def type_of_classes(self) -> int:
        """The class that class objects of the last dump are counted for; NO_ROW: each for its own."""
        return self._class_of_classes(self.class_rows[-1])

    @cached_property
    def counted(self) -> list[CountedDump]:
        """Sums of classes, by dump; `classes` sets them, unless its tables are known from an earlier build."""
        return [self._count(dump, rows)[0] for dump, rows in zip(self._dumps, self.class_rows, strict=True)]

    def classes(self) -> dict[str, AnyArray]:
        """Returns the tables of CLASS_TABLES."""
        tables: dict[str, list[Any]] = {name: [] for name in CLASS_TABLES}
        every = zip(self._dumps, self.class_rows, strict=True)
        self.counted = [self._add_classes(tables, dump, rows) for dump, rows in every]
        firsts = [0, *np.cumsum([len(each.present) for each in self.counted]).tolist()]
        tables["heap_dump_first"].append(firsts)
        for first, each in zip(firsts[:-1], self.counted, strict=True):
            packages = np.diff(self.package_numbers[each.present], prepend=-1)
            tables["heap_package_first"].append(first + np.flatnonzero(packages))
        tables["heap_class_first"].append([len(self._kinds)])
        return _arrays(tables)

    def find_reached_by(self, weak: AnyArray | tuple[()] = ()) -> U32Array:
        """Returns the last steps of paths to all objects: see `reachability.compute_reached_by`."""
        firsts = numbers(self._recording.column("object_first"))
        targets = np.asarray(self._recording.column("reference_target"))
        root_objects = np.asarray(self._recording.column("root_object"))
        roots = [root_objects[each.start : each.stop] for each in self._roots]
        return compute_reached_by(
            firsts if len(firsts) else np.zeros(1, np.uint32), targets, self._types, self.class_rows, roots, weak,
            self._make_buffer,
        )  # fmt: skip

    def path_tables(self, found: U32Array, referrers: Referrers) -> dict[str, AnyArray]:
        """Returns the tables of PATH_TABLES, from the result of `find_reached_by`."""
        references = len(self._recording.column("reference_target"))
        tables: dict[str, list[Any]] = {name: [] for name in PATH_TABLES}
        for dump, (types, kinds, of_classes, sizes, present) in zip(self._dumps, self.counted, strict=True):
            mine = found[dump.start : dump.stop]
            sums = np.zeros((SUMS, len(self._names)), np.int64)
            count_garbage(types, kinds, of_classes, mine, sizes, sums)
            tables["heap_class_garbage"].append(sums[GARBAGE][present])
            tables["heap_class_garbage_bytes"].append(sums[GARBAGE_BYTES][present])
            tables["heap_dump_held"].append([np.count_nonzero((mine >= references) & (mine < FROM_ROOT))])
        tables["object_step"].append(steps_of(found, references, *referrers(), self._make_buffer))
        return _arrays(tables)

    def _class_of_classes(self, rows: U32Array) -> int:
        """Returns java.lang.Class, the first of a dump; NO_ROW if there is none. rows: those of `class_rows`"""
        return min(self._named_class, key=lambda type: rows[type] == NO_ROW, default=NO_ROW)

    def _class_rows(self, dump: range) -> U32Array:
        """Returns by class its class object in a dump."""
        rows = np.full(len(self._names), NO_ROW, np.uint32)
        classes = np.flatnonzero(self._kinds[dump.start : dump.stop] == CLASS_OBJECT) + dump.start
        rows[self._types[classes]] = classes
        return rows

    def _count(self, dump: range, rows: U32Array) -> tuple[CountedDump, I64Array]:
        """Returns a dump, and the sums of its classes: int64[SUMS, types]."""
        part = slice(dump.start, dump.stop)
        types, kinds, of_classes = self._types[part], self._kinds[part], self._class_of_classes(rows)
        sizes = numbers(self._recording.column("object_size"), part)
        if self._sums is None:
            elements = numbers(self._recording.column("object_elements"), part)
            sizes, sums = sums_of(types, kinds, of_classes, sizes, elements, self._element_sizes, self._header)
        else:
            sums = self._sums
            classes = np.flatnonzero(kinds == CLASS_OBJECT)
            add_to_sums(sums, counted_for(types[classes], kinds[classes], of_classes), sizes[classes])
        present = self._ranked(np.flatnonzero(sums[OBJECTS]), sums[BYTES])
        return CountedDump(types, kinds, of_classes, sizes, present), sums

    def _add_classes(self, tables: dict[str, list[Any]], dump: range, rows: U32Array) -> CountedDump:
        """Adds the classes and the object order of a dump."""
        counted, sums = self._count(dump, rows)
        types, kinds, of_classes, sizes, present = counted
        make_buffer = None if self._make_buffer is None else self._make_buffer("order", len(dump))
        order, firsts = order_of(types, kinds, of_classes, present, sizes, sums, make_buffer)
        if dump.start:
            order += np.uint32(dump.start)
        tables["object_order"].append(order)
        tables["heap_class"].append(present)
        tables["heap_class_first"].append(dump.start + firsts)
        tables["heap_class_bytes"].append(sums[BYTES][present])
        tables["heap_class_printed"].append(sums[PRINTED][present])
        tables["heap_class_object"].append(rows[present])
        tables["heap_dump_classes"].append([of_classes])
        return counted

    def _ranked(self, types: I64Array, sizes: I64Array) -> I64Array:
        """Returns classes by the bytes of their package, then by their own, then by name."""
        names, packages = [self._names[type] for type in types.tolist()], self.package_numbers[types]
        bytes, count = np.zeros(len(self._packages), np.int64), len(self._packages)
        np.add.at(bytes, packages, sizes[types])
        ranks, by_name = np.empty(count, np.int64), np.empty(len(names), np.int64)
        ranks[sorted(range(count), key=lambda number: (-int(bytes[number]), self._packages[number]))] = np.arange(count)
        by_name[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return types[np.lexsort((by_name, -sizes[types], ranks[packages]))]


def _arrays(tables: dict[str, list[Any]]) -> dict[str, AnyArray]:
    """Returns tables as arrays of their types."""
    return {name: np.ascontiguousarray(_joined(parts), HEAP_TABLES[name]) for name, parts in tables.items()}


def _joined(parts: Sequence[Any]) -> Any:
    """Concatenates the parts of a table; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else ()
