"""Classes of a heap dump as columns. The record of a class is made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.dump.read.class_columns import (
    CONSTANTS,
    FIELDS,
    HEADS,
    ID,
    LOADER,
    NO_CLASS,
    NUMBERS,
    STATICS,
    SUPER,
    add_supers,
)
from parsers.formats.hprof.dump.read.class_record import HeapClass
from parsers.kernels.compiled import compiled

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array, U32Array, U64Array


class ClassColumns(NamedTuple):
    """Rows of classes, and of all their constants, statics and fields, in this order, one class after the other."""

    heads: U64Array
    """uint64[classes, HEADS]: id, and ids of superclass, loader, signers and protection domain, 0 for none."""
    numbers: U32Array
    """uint32[classes, NUMBERS]: TRACE, SIZE, and the numbers of CONSTANTS, STATICS and FIELDS."""
    names: U64Array
    """uint64: id of the name; the index of a constant."""
    types: U8Array
    """uint8: type of the value."""
    values: U64Array
    """uint64: value of a constant or a static."""


NO_CLASSES = ClassColumns(
    np.empty((0, HEADS), np.uint64), np.empty((0, NUMBERS), np.uint32), np.empty(0, np.uint64), np.empty(0, np.uint8),
    np.empty(0, np.uint64),
)  # fmt: skip


def columns_of(classes: Iterable[HeapClass]) -> ClassColumns:
    """Returns the columns of some classes."""
    heads, numbers, values = list[Sequence[int]](), list[Sequence[int]](), list[Sequence[int]]()
    for each in classes:
        heads.append((each.id, each.super_id, each.loader, each.signers, each.domain))
        numbers.append((each.trace, each.size, len(each.constants), len(each.statics), len(each.fields)))
        values += (*each.constants, *each.statics, *((name, type, 0) for name, type in each.fields))
    names, types, found = zip(*values, strict=True) if values else ((), (), ())
    return ClassColumns(
        np.array(heads, np.uint64).reshape(-1, HEADS), np.array(numbers, np.uint32).reshape(-1, NUMBERS),
        np.array(names, np.uint64), np.array(types, np.uint8), np.array(found, np.uint64),
    )  # fmt: skip


class HeapClasses(Mapping[int, HeapClass]):
    """Classes by id, in file order."""

    def __init__(self, columns: ClassColumns) -> None:
        self.columns = columns
        self.ids = columns.heads[:, ID]
        """uint64"""
        counts = columns.numbers[:, CONSTANTS:].sum(axis=1, dtype=np.int64)
        self._firsts: I64Array = np.cumulative_sum(counts, include_initial=True)
        self._known: dict[int, HeapClass] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def __getitem__(self, id: int) -> HeapClass:
        found = self._known.get(id)
        if found is None:
            found = self._known[id] = self._made(self._rows[id])
        return found

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {id: row for row, id in enumerate(self.ids.tolist())}

    def _made(self, row: int) -> HeapClass:
        columns = self.columns
        trace, size, constants, statics, _ = columns.numbers[row].tolist()
        id, above, loader, signers, domain = columns.heads[row].tolist()
        part = slice(int(self._firsts[row]), int(self._firsts[row + 1]))
        names, types = columns.names[part].tolist(), columns.types[part].tolist()
        before = constants + statics
        values = tuple(zip(names, types, columns.values[part][:before].tolist(), strict=False)) if before else ()
        fields = tuple(zip(names[before:], types[before:], strict=True))
        return HeapClass(
            id, trace, above, loader, signers, domain, size, values[:constants], values[constants:], fields, 0
        )

    def kept(self, is_kept: BoolArray) -> HeapClasses:
        """Returns some of the classes."""
        columns, values = self.columns, np.repeat(is_kept, np.diff(self._firsts))
        heads, numbers = columns.heads[is_kept], columns.numbers[is_kept]
        kept = columns.names[values], columns.types[values], columns.values[values]
        return HeapClasses(ClassColumns(heads, numbers, *kept))

    def rows(self, ids: AnyArray) -> I64Array:
        """Returns the rows of classes by id, NO_CLASS for none: int64."""
        order = np.argsort(self.ids)
        places = np.searchsorted(self.ids, ids, sorter=order)
        found = order[np.minimum(places, len(order) - 1)] if len(order) else np.zeros(len(ids), np.int64)
        is_there = self.ids[found] == ids if len(order) else np.zeros(len(ids), bool)
        return np.where(is_there, found, NO_CLASS)

    @cached_property
    def owners(self) -> I64Array:
        """Row of the class of each constant, static and field: int64."""
        return np.repeat(np.arange(len(self)), np.diff(self._firsts))

    @cached_property
    def kinds(self) -> U8Array:
        """CONSTANTS, STATICS or FIELDS of each: uint8."""
        kinds = np.tile(np.array((CONSTANTS, STATICS, FIELDS), np.uint8), len(self))
        return np.repeat(kinds, self.columns.numbers[:, CONSTANTS:].ravel())

    @property
    def loaders(self) -> U64Array:
        """Ids of the class loaders: uint64."""
        return self.columns.heads[:, LOADER]

    @cached_property
    def supers(self) -> I64Array:
        """Rows of the superclasses, NO_CLASS for none: int64."""
        return self.rows(self.columns.heads[:, SUPER])

    def over_supers(self, values: I64Array) -> tuple[I64Array, I64Array]:
        """Returns the sums of values over superclasses, and rows of the next ones with values: see `add_supers`."""
        sums, nexts = np.full(len(self), NO_CLASS, np.int64), np.full(len(self), NO_CLASS, np.int64)
        compiled(add_supers)(self.supers, values, sums, nexts, np.zeros(len(self), np.int64))
        return sums, nexts
