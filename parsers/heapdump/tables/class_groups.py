"""Groups of the view "Classes": dumps, packages or loaders, classes; with sums, and changes since the previous dump."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from operator import sub
from typing import TYPE_CHECKING

from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.tables.class_names import package_of
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.names.java_name import NO_PACKAGE
from parsers.model.row import counted
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects

BY_PACKAGE, BY_LOADER, ALONE = "by package", "by loader", "classes alone"
GROUPINGS = (BY_PACKAGE, BY_LOADER, ALONE)
"""Choices of the level above classes."""
DUMP, TOP, CLASS = range(3)
"""Kinds of groups as numbers; TOP: a package or loader."""
SUMMED = ("", "heap_class_bytes", "heap_class_printed", "heap_class_garbage", "heap_class_garbage_bytes")
"""Columns of classes whose sums groups have; the first one is the number of objects."""
GARBAGE = 3
"""The first column that only dumps whose unreachable objects are known have."""
CHUNK = 1 << 10
"""Groups that are built together."""


@value_class
class ClassGroup:
    """A dump, a package or class loader of it, or a class of it."""

    kind: str
    """"dump", "package", "loader" or "class"."""
    dump: HeapDump
    label: str
    objects: int
    bytes: int
    printed: int
    garbage: int
    garbage_bytes: int
    first: int = 0
    """The first object in the order, of its first class. Objects of a class follow each other, and of a package."""
    type: int = -1
    """For a class: its type."""
    member: int = -1
    """The type of its first class; -1 for a dump."""
    objects_before: int | None = None
    """Number of objects in the previous dump, 0 if absent there; None in the first dump of a process."""
    bytes_before: int | None = None

    @property
    def change(self) -> int | None:
        """Change in bytes since the previous dump."""
        return None if self.bytes_before is None else self.bytes - self.bytes_before

    @property
    def garbage_words(self) -> str:
        """Unreachable objects and their bytes as text."""
        return f"{counted(self.garbage, 'object')}, {counted(self.garbage_bytes, 'byte')}"

    @property
    def change_words(self) -> str:
        """Before, after and the change as text; empty in the first dump."""
        if self.bytes_before is None or self.objects_before is None:
            return ""
        share = f", {100 * (self.bytes - self.bytes_before) / self.bytes_before:+.1f} %" if self.bytes_before else ""
        before = f"{counted(self.objects_before, 'object')}, {counted(self.bytes_before, 'byte')} before"
        return f"{before}: {self.objects - self.objects_before:+,}, {self.bytes - self.bytes_before:+,}{share}"


class ClassGroups(LazySequence[ClassGroup]):
    """Groups in row order: dumps if there are several, packages or loaders, classes, by bytes.

    Each is a range of classes in this order. There may be as many as objects: they are arrays until they are used.
    """

    def __init__(self, heap: HeapObjects, grouping: str = BY_PACKAGE, only: HeapDump | None = None) -> None:
        """only: the one dump of interest, without a row of its own"""
        graph = heap.graph
        self._heap, self._graph, self._has_loaders = heap, graph, grouping == BY_LOADER
        self._dumps: Sequence[HeapDump] = graph.dumps if only is None else [only]
        self._base = 0 if only is None else only.number
        first, *ends = graph.table("heap_dump_first")[self._base : self._base + len(self._dumps) + 1]
        part = slice(first, ends[-1] if ends else first)
        self._types = graph.table("heap_class")[part]
        self._firsts = graph.table("heap_class_first")[part.start : part.stop + 1]
        self._bytes = graph.table("heap_class_bytes")[part]
        self._has_dumps = only is None and len(graph.dumps) > 1
        self.kinds, self.dumps = array("B"), array("I")
        """By group: DUMP, TOP or CLASS; place of its dump."""
        self._starts, self._stops, self._order = array("Q"), array("Q"), array("Q")
        self._part, self._with_garbage = part, list[slice]()
        for dump, (start, stop) in enumerate(pairwise([0, *(end - first for end in ends)])):
            self._add_dump(dump, start, stop, grouping)
            if self._dumps[dump].is_whole and graph.has("paths"):
                self._with_garbage.append(slice(start, stop))
        self._sums = lru_cache(None)(self._add_up)
        self._chunk, self._tops = lru_cache(None)(self._make), lru_cache(None)(self._find_tops)
        self.named = lru_cache(None)(self._find_named)
        """Returns groups of a kind by label and number of their dump: see `_find_named`."""

    def _add_dump(self, dump: int, start: int, stop: int, grouping: str) -> None:
        """Appends the groups of a dump. start, stop: its classes"""
        if self._has_dumps:
            self._add(DUMP, dump, [start, stop])
        rows: Iterable[int] = range(start, stop)
        tops = [start, stop]
        if grouping == ALONE:
            rows = sorted(rows, key=self._bytes.__getitem__, reverse=True)
        elif grouping == BY_LOADER:
            parts: dict[int, list[int]] = {}
            for row in rows:
                parts.setdefault(self._graph.loader(self._types[row], self._dumps[dump]), []).append(row)
            found = sorted(parts.values(), key=lambda part: sum(map(self._bytes.__getitem__, part)), reverse=True)
            tops = [*accumulate(map(len, found), initial=start)]
            rows = [row for part in found for row in sorted(part, key=self._bytes.__getitem__, reverse=True)]
        else:
            base, packages = self._graph.table("heap_dump_first")[self._base], self._graph.table("heap_package_first")
            bounds = range(bisect_left(packages, base + start), bisect_left(packages, base + stop))
            tops = [*(packages[place] - base for place in bounds), stop]
        self._order.extend(rows)
        for each in pairwise(tops):
            if grouping != ALONE:
                self._add(TOP, dump, each)
            self._add(CLASS, dump, range(each[0], each[1] + 1))

    def _add(self, kind: int, dump: int, bounds: Sequence[int]) -> None:
        """Appends groups of a kind that follow each other. bounds: their classes"""
        count = len(bounds) - 1
        self.kinds.extend(array("B", (kind,)) * count)
        self.dumps.extend(array("I", (dump,)) * count)
        self._starts.extend(bounds[:-1])
        self._stops.extend(bounds[1:])

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def objects(self) -> list[int]:
        """By group: its objects."""
        return self._sum(0)

    @property
    def bytes(self) -> list[int]:
        """By group: bytes of its objects."""
        return self._sum(1)

    def _sum(self, column: int) -> list[int]:
        sums = self._sums(column)
        return list(map(sub, map(sums.__getitem__, self._stops), map(sums.__getitem__, self._starts)))

    def _add_up(self, column: int) -> Sequence[int]:
        """Sums of a column over the classes before each in the order."""
        numbers: Sequence[int]
        if column == 0:
            numbers = list(map(sub, self._firsts[1:], self._firsts))
        elif column < GARBAGE:
            numbers = self._graph.table(SUMMED[column])[self._part]
        else:
            numbers = array("q", bytes(8 * len(self._order)))
            for part in self._with_garbage:
                numbers[part] = array("q", self._graph.table(SUMMED[column])[self._part][part])
        return array("q", accumulate(map(numbers.__getitem__, self._order), initial=0))

    def _sums_of(self, group: int) -> list[int]:
        """The sums of a group, by column."""
        start, stop = self._starts[group], self._stops[group]
        return [(sums := self._sums(column))[stop] - sums[start] for column in range(len(SUMMED))]

    # -- groups -------------------------------------------------------------------------------------------------------

    def item(self, index: int) -> ClassGroup:
        """Returns a group."""
        return self._chunk(index // CHUNK)[index % CHUNK]

    def _make(self, chunk: int) -> list[ClassGroup]:
        """Builds the groups of a chunk."""
        part = range(len(self))[chunk * CHUNK : (chunk + 1) * CHUNK]
        return [
            self._group(self.kinds[each], self.dumps[each], self._starts[each], self._sums_of(each)) for each in part
        ]

    def _group(self, kind: int, dump: int, start: int, sums: list[int]) -> ClassGroup:
        row = -1 if kind == DUMP else self._order[start]
        type = -1 if row < 0 else self._types[row]
        label = self._label(kind, type, dump)
        previous = self._previous.get(dump)
        before: Sequence[int | None] = (None, None)
        if previous is not None:
            found = self._same(previous, kind, label, type)
            before = (0, 0) if found is None else self._sums_of(found)
        objects, bytes, printed, garbage, garbage_bytes = sums
        return ClassGroup(
            kind=("dump", "loader" if self._has_loaders else "package", "class")[kind],
            dump=self._dumps[dump],
            label=label,
            objects=objects,
            bytes=bytes,
            printed=printed,
            garbage=garbage,
            garbage_bytes=garbage_bytes,
            first=0 if row < 0 else self._firsts[row],
            type=type if kind == CLASS else -1,
            member=type,
            objects_before=before[0],
            bytes_before=before[1],
        )

    def _label(self, kind: int, type: int, dump: int) -> str:
        """Returns the label of a group. type: its first class"""
        if kind == DUMP:
            return dump_label(self._dumps[dump])
        if kind == TOP and self._has_loaders:
            return self._heap.loader_label(self._graph.loader(type, self._dumps[dump]))
        name = self._graph.type_name(type)
        return name if kind == CLASS else package_of(name) or NO_PACKAGE

    # -- groups by name -----------------------------------------------------------------------------------------------

    @cached_property
    def _previous(self) -> dict[int, int]:
        """By dump the one before it of the same process."""
        found, last = dict[int, int](), dict[int, int]()
        for number, dump in enumerate(self._dumps):
            if dump.process in last:
                found[number] = last[dump.process]
            last[dump.process] = number
        return found

    def _same(self, dump: int, kind: int, label: str, type: int) -> int | None:
        """Returns the same group in another dump. Types have their numbers by name and id, which separates loaders."""
        if kind == CLASS:
            return self.of_type(type, self._dumps[dump].number)
        return self.range_of(dump).start if kind == DUMP else next(reversed(self._tops(dump).get(label, ())), None)

    def range_of(self, dump: int) -> range:
        """Returns the groups of a dump."""
        return range(bisect_left(self.dumps, dump), bisect_left(self.dumps, dump + 1))

    def _find_tops(self, dump: int) -> dict[str, list[int]]:
        """Returns packages or loaders of a dump by their labels."""
        found: dict[str, list[int]] = {}
        for group in (each for each in self.range_of(dump) if self.kinds[each] == TOP):
            type = self._types[self._order[self._starts[group]]]
            found.setdefault(self._label(TOP, type, dump), []).append(group)
        return found

    @cached_property
    def _by_type(self) -> dict[int, int]:
        """Groups of classes by dump and type."""
        types, groups = self._graph.types, [each for each, kind in enumerate(self.kinds) if kind == CLASS]
        return {self.dumps[each] * types + self._types[self._order[self._starts[each]]]: each for each in groups}

    def of_type(self, type: int, dump: int) -> int | None:
        """Returns the group of a class in a dump, by the dump's number; None if it has no objects."""
        return self._by_type.get((dump - self._base) * self._graph.types + type)

    def _find_named(self, kind: str, label: str, dump: int) -> Sequence[int]:
        """Returns groups of a kind in a dump by their label, or `name@id` of a class, in row order."""
        if kind == "class":
            types = self._heap.types_named(label)
            return sorted(found for type in types if (found := self.of_type(type, dump)) is not None)
        number = dump - self._base
        if kind == "dump":
            first = self.range_of(number)[:1]
            return [each for each in first if self.kinds[each] == DUMP and label == dump_label(self._dumps[number])]
        is_top = kind == ("loader" if self._has_loaders else "package")
        return self._tops(number).get(label, ()) if is_top else ()


def dump_label(dump: HeapDump) -> str:
    """Returns the label of a dump, with its date."""
    return f"dump {dump.run}, {dump.date}" if dump.date else f"dump {dump.run}"
