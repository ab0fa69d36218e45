"""Groups of the view "Classes": dumps, packages or loaders, classes; with sums, and changes since the previous dump."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from parsers.heapdump.graph.object_graph import HeapDump
from parsers.heapdump.tables.class_names import package_of
from parsers.index.bitpacked.columns import numbers
from parsers.model.lazy_sequence import LazySequence
from parsers.model.report import counted
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import I64Array

NO_PACKAGE = "(default package)"
BY_PACKAGE, BY_LOADER, ALONE = "by package", "by loader", "classes alone"
GROUPINGS = (BY_PACKAGE, BY_LOADER, ALONE)
"""Choices of the level above classes."""
DUMP, TOP, CLASS = range(3)
"""Kinds of groups as numbers; TOP: a package or loader."""
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
        import numpy as np

        graph = heap.graph
        self._heap, self._graph, self._has_loaders = heap, graph, grouping == BY_LOADER
        self._dumps: Sequence[HeapDump] = graph.dumps if only is None else [only]
        self._base = 0 if only is None else only.number
        bounds = self._table("heap_dump_first", slice(self._base, self._base + len(self._dumps) + 1))
        part = slice(int(bounds[0]), int(bounds[-1]))
        bounds, of_dump = bounds - part.start, np.repeat(np.arange(len(self._dumps)), np.diff(bounds))
        self._types = self._table("heap_class", part)
        self._firsts = self._table("heap_class_first", slice(part.start, part.stop + 1))
        bytes = self._table("heap_class_bytes", part)
        columns = [np.diff(self._firsts), bytes, self._table("heap_class_printed", part)]
        is_whole = np.array([dump.is_whole and graph.has("ways") for dump in self._dumps], bool)[of_dump]
        for name in ("heap_class_garbage", "heap_class_garbage_bytes"):
            columns.append(self._table(name, part) * is_whole if is_whole.any() else np.zeros(len(bytes), np.int64))
        tops = np.zeros(0, np.int64)
        if grouping == ALONE:
            self._order = np.lexsort((-bytes, of_dump))
        elif grouping == BY_LOADER:
            classes = zip(self._types.tolist(), of_dump.tolist(), strict=True)
            loaders = [graph.loader(type, self._dumps[dump]) for type, dump in classes]
            keys = np.array(loaders, np.int64) + (of_dump << 32)
            _, firsts, of_key = np.unique(keys, return_index=True, return_inverse=True)
            sums = np.bincount(of_key, bytes)[of_key]
            self._order = np.lexsort((-bytes, firsts[of_key], -sums, of_dump))
            tops = np.flatnonzero(np.diff(of_key[self._order], prepend=-1))
        else:
            self._order = np.arange(len(bytes))
            tops = self._table("heap_package_first")
            tops = tops[(tops >= part.start) & (tops < part.stop)] - part.start
        self._sums = np.zeros((len(columns), len(bytes) + 1), np.int64)
        for column, sums in zip(columns, self._sums, strict=True):
            np.cumsum(column[self._order], out=sums[1:])
        rows = len(self._dumps) if only is None and len(graph.dumps) > 1 else 0
        every = np.arange(len(bytes) + 1)
        kinds = np.repeat([DUMP, TOP, CLASS], [rows, len(tops), len(bytes)])
        starts = np.concatenate([bounds[:rows], tops, every[:-1]])
        stops = np.concatenate([bounds[1 : rows + 1], np.append(tops, len(bytes))[1:], every[1:]])
        places = np.argsort(starts * (CLASS + 1) + kinds, kind="stable")
        self.kinds: I64Array = kinds[places]
        """int64 by group: DUMP, TOP or CLASS."""
        self.dumps: I64Array = np.concatenate([np.arange(rows), of_dump[tops], of_dump])[places]
        """int64 by group: place of its dump."""
        self._starts, self._stops = starts[places], stops[places]
        self._chunk, self._tops = lru_cache(None)(self._make), lru_cache(None)(self._find_tops)
        self.named = lru_cache(None)(self._find_named)
        """Returns groups of a kind by label and number of their dump: see `_find_named`."""

    def _table(self, name: str, part: slice = slice(None)) -> Any:
        import numpy as np

        return numbers(self._graph.table(name), part).astype(np.int64)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def objects(self) -> I64Array:
        """int64 by group: its objects."""
        return self._sum(0)

    @property
    def bytes(self) -> I64Array:
        """int64 by group: bytes of its objects."""
        return self._sum(1)

    def _sum(self, column: int) -> I64Array:
        found: I64Array = self._sums[column, self._stops] - self._sums[column, self._starts]
        return found

    # -- groups -------------------------------------------------------------------------------------------------------

    def item(self, index: int) -> ClassGroup:
        """Returns a group."""
        return self._chunk(index // CHUNK)[index % CHUNK]

    def _make(self, chunk: int) -> list[ClassGroup]:
        """Builds the groups of a chunk."""
        part = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        sums = (self._sums[:, self._stops[part]] - self._sums[:, self._starts[part]]).T
        columns = (self.kinds[part], self.dumps[part], self._starts[part], sums)
        return [self._group(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]

    def _group(self, kind: int, dump: int, start: int, sums: list[int]) -> ClassGroup:
        row = -1 if kind == DUMP else int(self._order[start])
        type = -1 if row < 0 else int(self._types[row])
        label = self._label(kind, type, dump)
        previous = self._previous.get(dump)
        before: list[Any] = [None, None]
        if previous is not None:
            found = self._same(previous, kind, label, type)
            before = [0, 0]
            if found is not None:
                before = (self._sums[:2, self._stops[found]] - self._sums[:2, self._starts[found]]).tolist()
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
            first=0 if row < 0 else int(self._firsts[row]),
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
        return self._range(dump).start if kind == DUMP else self._tops(dump).get(label, [None])[-1]

    def _range(self, dump: int) -> range:
        """Returns the groups of a dump."""
        import numpy as np

        return range(*np.searchsorted(self.dumps, [dump, dump + 1]).tolist())

    def _find_tops(self, dump: int) -> dict[str, list[Any]]:
        """Returns packages or loaders of a dump by their labels."""
        import numpy as np

        found: dict[str, list[Any]] = {}
        part = self._range(dump)
        for group in (part.start + np.flatnonzero(self.kinds[part.start : part.stop] == TOP)).tolist():
            type = int(self._types[self._order[self._starts[group]]])
            found.setdefault(self._label(TOP, type, dump), []).append(group)
        return found

    @cached_property
    def _by_type(self) -> tuple[I64Array, I64Array]:
        """Classes by dump and type, ascending, and their groups."""
        import numpy as np

        groups = np.flatnonzero(self.kinds == CLASS)
        keys = self.dumps[groups] * self._graph.types + self._types[self._order]
        order = np.argsort(keys)
        return keys[order], groups[order]

    def of_type(self, type: int, dump: int) -> int | None:
        """Returns the group of a class in a dump, by the dump's number; None if it has no objects."""
        import numpy as np

        (keys, groups), key = self._by_type, (dump - self._base) * self._graph.types + type
        place = int(np.searchsorted(keys, key))
        return int(groups[place]) if place < len(keys) and keys[place] == key else None

    def _find_named(self, kind: str, label: str, dump: int) -> Sequence[int]:
        """Returns groups of a kind in a dump by their label, or `name@id` of a class, in row order."""
        if kind == "class":
            types = self._heap.types_named(label)
            return sorted(found for type in types if (found := self.of_type(type, dump)) is not None)
        number = dump - self._base
        if kind == "dump":
            first = self._range(number)[:1]
            return [each for each in first if self.kinds[each] == DUMP and label == dump_label(self._dumps[number])]
        is_top = kind == ("loader" if self._has_loaders else "package")
        return self._tops(number).get(label, ()) if is_top else ()


def dump_label(dump: HeapDump) -> str:
    """Returns the label of a dump, with its date."""
    return f"dump {dump.run}, {dump.date}" if dump.date else f"dump {dump.run}"
