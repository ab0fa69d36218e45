"""Labels of many references of a binary dump: instances of a class, and arrays of one length, are read together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.graph.bulk import lengths_of, near, present_references
from parsers.formats.hprof.dump.records.tags import OBJECT
from parsers.heapdump.graph.columns import OBJECT_ARRAY, PLAIN_OBJECT
from parsers.heapdump.graph.label_columns import LabelNumbers, ReferenceLabels
from parsers.heapdump.graph.labels import ReferenceLabel
from parsers.model.distinct import begins

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.model.arrays import BoolArray, I64Array

LONG = 1 << 12
"""Elements from which an array is read alone."""


def labels_of(graph: DumpGraph, sites: range | I64Array, owners: I64Array) -> ReferenceLabels:
    """Returns the labels of ascending references: `DumpGraph.labels_of`."""
    return _Labels(graph, np.asarray(sites), owners).found()


class _Labels:
    """The owners of some references, ascending, and the labels found."""

    def __init__(self, graph: DumpGraph, sites: I64Array, owners: I64Array) -> None:
        self._graph, self._sites = graph, sites
        self._starts = np.flatnonzero(begins(owners))
        self._lengths = np.diff(self._starts, append=len(owners))
        """By owner the number of its references among these."""
        self._objects = owners[self._starts]
        self._counts = graph.column("references", self._objects).astype(np.int64)
        firsts = graph.column("first", self._objects).astype(np.int64)
        self._ranks = sites - np.repeat(firsts, self._lengths)
        """By reference its place among all references of its owner."""
        self._labels = LabelNumbers()
        self._found = np.full(len(sites), self._labels[ReferenceLabel("field", "?")], np.int64)

    def found(self) -> ReferenceLabels:
        """Returns the labels."""
        kinds, types = (self._graph.column(name, self._objects) for name in ("kind", "type"))
        instances = np.flatnonzero(kinds == PLAIN_OBJECT)
        for type, chosen in _groups(types[instances]):
            self._fill_fields(type, instances[chosen])
        self._fill_elements(np.flatnonzero(kinds == OBJECT_ARRAY))
        places, _ = self._places_of(np.flatnonzero((kinds != PLAIN_OBJECT) & (kinds != OBJECT_ARRAY)))
        for place, site in zip(places.tolist(), self._sites[places].tolist(), strict=True):
            self._found[place] = self._labels[self._graph.label(site)]
        return ReferenceLabels(self._found, list(self._labels))

    def _fill_fields(self, type: int, chosen: I64Array) -> None:
        layout = self._graph.layout(type)
        names = [ReferenceLabel("field", field.text) for field in layout.fields if field.type == OBJECT]
        numbers = np.array([self._labels[name] for name in names], np.int64)
        is_whole = self._counts[chosen] == len(names)
        self._fill(chosen[is_whole], None, numbers)
        if not is_whole.all():
            partial = chosen[~is_whole]
            self._fill(partial, present_references(self._graph, self._objects[partial], layout), numbers)

    def _fill_elements(self, chosen: I64Array) -> None:
        lengths = lengths_of(self._graph, self._objects[chosen])
        is_whole = self._counts[chosen] == lengths
        places, _ = self._places_of(chosen[is_whole])
        self._found[places] = -1 - self._ranks[places]
        is_long = ~is_whole & (lengths >= LONG)
        for owner in np.flatnonzero(is_long).tolist():
            indexes = np.asarray(self._graph.array(int(self._objects[chosen[owner]])).places).astype(np.int64)
            self._fill(chosen[owner : owner + 1], np.ones((1, len(indexes)), np.bool_), -1 - indexes)
        short = chosen[~is_whole & ~is_long]
        for length, group in _groups(lengths[~is_whole & ~is_long]):
            for rows, is_there in self._present(short[group], length):
                self._fill(rows, is_there, -1 - np.arange(length))

    def _present(self, chosen: I64Array, length: int) -> Iterator[tuple[I64Array, BoolArray]]:
        """Yields arrays of one length, and which of their elements are not null."""
        # Tag, id, trace, length, class.
        head, size = 9 + 2 * self._graph.id_size, self._graph.id_size
        offsets = self._graph.column("offset", self._objects[chosen]).astype(np.int64) + head
        for rows, data in near(self._graph.read, offsets, length * size):
            is_there: BoolArray = np.logical_or.reduce(data.reshape(len(rows), length, size), axis=2)
            yield chosen[rows], is_there

    def _fill(self, chosen: I64Array, is_there: BoolArray | None, numbers: I64Array) -> None:
        """Fills the labels of owners with equal places for references. is_there: bool[owners, places]; None: all"""
        places, owners = self._places_of(chosen)
        ranks = self._ranks[places]
        if is_there is not None:
            counts = is_there.sum(axis=1)
            is_known = ranks < counts[owners]
            places, at = places[is_known], ((np.cumsum(counts) - counts)[owners] + ranks)[is_known]
            ranks = np.nonzero(is_there)[1][at]
        self._found[places] = numbers[ranks]

    def _places_of(self, chosen: I64Array) -> tuple[I64Array, I64Array]:
        """Returns the places of the references of some owners, and by reference the place of its owner in `chosen`."""
        lengths = self._lengths[chosen]
        owners = np.repeat(np.arange(len(chosen)), lengths)
        return np.arange(len(owners)) + (self._starts[chosen] - np.cumsum(lengths) + lengths)[owners], owners


def _groups(values: I64Array) -> Iterator[tuple[int, I64Array]]:
    """Yields each value, and where it is."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    bounds = np.flatnonzero(begins(ordered)).tolist()
    for start, end in pairwise([*bounds, len(ordered)]):
        yield int(ordered[start]), order[start:end]
