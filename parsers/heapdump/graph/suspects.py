"""Leak suspects of a heap dump: objects and classes that retain most, their contents and owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.graph.dominator_tree.semi_nca import ROOTS
from parsers.heapdump.dominators.suspects import NOWHERE, find_suspects, mark_dominated
from parsers.heapdump.graph.columns import CLASS_OBJECT, PLAIN_OBJECT
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.index.bitpacked.columns import numbers
from parsers.kernels.compiled import compiled, fixed
from parsers.model.names.java_name import PRIMITIVES, is_jdk
from parsers.model.names.patterns import element_type

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

LEAST_SHARE = 0.1
"""Minimum share of a suspect in all reachable bytes."""
SHOWN_CLASSES = 8
"""Number of classes listed below a suspect."""
SHOWN_OBJECTS = 5
"""Number of largest objects listed directly below a suspect."""
MOST_OWNERS = 256
"""Maximum of dominators searched for a class of the program's own."""
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class RetainedClass:
    """Objects of a class that a suspect retains."""

    type: int
    objects: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Suspect:
    """An object, or all objects of a class that no single object dominates."""

    object: int
    """The object; for a class the largest of its objects."""
    type: int
    """The class; -1: it is one object."""
    bytes: int
    """Bytes that would be freed without it, except those of other suspects that it dominates."""
    objects: int
    """Number of objects of the class; 1 for an object."""
    holder: int
    """The nearest dominator of a class of the program's own, else the top one, or the object itself."""
    retainer: int
    """The object in the holder that retains the suspect: itself or a dominator. NO_OBJECT if the holder does."""
    container: int
    """The nearest dominator, or itself, that is neither array nor entry of a collection."""
    is_own: bool
    """True if the class of the holder is one of the program's own."""
    classes: Sequence[RetainedClass] = field(default_factory=tuple)
    """Retained objects by class, the most bytes first."""
    of: RetainedClass | None = None
    """The class that accumulates in it."""
    largest: Sequence[int] = ()
    """The largest of the objects that it dominates directly, or of those of the class."""
    total: int = 0
    """Number of retained objects, itself included."""


class DumpSuspects:
    """Finds suspects and describes each."""

    def __init__(self, graph: DominatedGraph, dump: HeapDump) -> None:
        self._graph = graph
        self._dump = dump
        self.tops = graph.tops(dump)
        self.reachable = int(graph.column("retained", self.tops).sum())
        """Reachable bytes."""
        self.least = max(int(self.reachable * LEAST_SHARE), 1)

    @cached_property
    def _alike(self) -> I64Array:
        """By type the first type of the same name: several loaders may define a class."""
        first: dict[str, int] = {}
        names = self._graph.type_names()
        return np.array([first.setdefault(name, type) for type, name in enumerate(names)], np.int64)

    @property
    def largest(self) -> int | None:
        """The object that retains most; None if no object is reachable."""
        if not len(self.tops):
            return None
        return int(self.tops[int(np.argmax(self._graph.column("retained", self.tops)))])

    def find(self) -> list[Suspect]:
        """Returns suspects, largest first."""
        singles, classes = self._single(), self._of_classes()
        if not singles and not classes:
            return []
        marks = self._marks(singles, classes)
        counts, sums = self._count(marks, len(singles) + len(classes))
        found = []
        for number, (object, retained_bytes) in enumerate(singles, 1):
            found.append(self._one(object, retained_bytes, counts[number], sums[number]))
        for number, (type, retained_bytes, objects) in enumerate(classes, 1 + len(singles)):
            found.append(self._many(type, retained_bytes, objects, counts[number], sums[number]))
        return sorted(found, key=lambda suspect: -suspect.bytes)

    # -- candidates ---------------------------------------------------------------------------------------------------

    def _single(self) -> list[tuple[int, int]]:
        """Returns objects that retain much, and their bytes."""
        graph, parts = self._graph, [np.empty(0, np.int64)]
        mine = self._dump.objects
        for start in range(mine.start, mine.stop, PIECE):
            retained = graph.column("retained", range(start, min(start + PIECE, mine.stop)))
            parts.append(np.flatnonzero(retained >= self.least) + start)
        large = np.concatenate(parts)
        types = graph.column("type", large)
        is_class = np.array([graph.kind(object) == CLASS_OBJECT for object in large.tolist()], np.bool_)
        # A class is not one structure with its instances.
        types = types + np.where(is_class, graph.types, 0)
        above = numbers(graph.table("object_dominator"), large)
        found = find_suspects(large, above, graph.column("retained", large), types, self.least)
        return list(zip(found.objects.tolist(), found.retained_bytes.tolist(), strict=True))

    def _of_classes(self) -> list[tuple[int, int, U32Array]]:
        """Returns classes, bytes and objects (largest first), of objects that no single object dominates."""
        graph = self._graph
        retained, types = graph.column("retained", self.tops), graph.column("type", self.tops)
        is_small = (retained < self.least) & (numbers(graph.table("object_kind"), self.tops) != CLASS_OBJECT)
        sums = np.bincount(types[is_small], retained[is_small], graph.types)
        found = []
        for type in np.flatnonzero(sums >= self.least).tolist():
            mine = np.flatnonzero(is_small & (types == type))
            mine = mine[np.argsort(-retained[mine], kind="stable")]
            found.append((type, int(sums[type]), self.tops[mine]))
        return found

    # -- contents -----------------------------------------------------------------------------------------------------

    def _marks(self, singles: Sequence[tuple[int, int]], classes: Sequence[tuple[int, int, U32Array]]) -> U8Array:
        """Returns by object the number of the suspect that retains it, from 1; NOWHERE for none."""
        marks = np.zeros(self._graph.objects, np.uint8)
        for number, (object, _) in enumerate(singles, 1):
            marks[object] = number
        for number, (_, _, objects) in enumerate(classes, 1 + len(singles)):
            marks[objects] = number
        dominators = numbers(self._graph.table("object_dominator"))
        compiled(mark_dominated)(fixed(dominators), marks)
        return marks

    def _count(self, marks: U8Array, suspects: int) -> tuple[I64Array, I64Array]:
        """Returns objects and bytes by suspect and type."""
        graph, shape = self._graph, (suspects + 1, self._graph.types)
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        kinds = graph.table("object_kind")
        for start in range(0, len(marks), PIECE):
            stop = min(start + PIECE, len(marks))
            is_dominated = (marks[start:stop] != NOWHERE) & (numbers(kinds, slice(start, stop)) != CLASS_OBJECT)
            objects = np.flatnonzero(is_dominated) + start
            places = marks[objects].astype(np.int64) * graph.types + self._alike[graph.column("type", objects)]
            counts += np.bincount(places, minlength=counts.size).reshape(shape)
            sizes = graph.column("bytes", objects)
            sums += np.bincount(places, sizes, sums.size).astype(np.int64).reshape(shape)
        return counts, sums

    def _one(self, object: int, retained_bytes: int, counts: I64Array, sums: I64Array) -> Suspect:
        """Describes an object. counts, sums: its retained objects and bytes by type"""
        graph = self._graph
        owners = [object]
        while len(owners) < MOST_OWNERS and graph.dominator(owners[-1]) < ROOTS:
            owners.append(graph.dominator(owners[-1]))
        are_own = [self._is_own(graph.type(each)) for each in owners]
        # The object itself only if no dominator is the program's own: an owner explains more.
        place = next((place for place in range(1, len(owners)) if are_own[place]), 0 if are_own[0] else len(owners) - 1)
        container = next((each for each in owners[: place + 1] if self._is_whole(each)), owners[place])
        below = graph.dominated(object)
        retained = graph.column("retained", below)
        largest = below[np.argsort(-retained, kind="stable")[:SHOWN_OBJECTS]].tolist()
        types = self._alike[graph.column("type", below)]
        by_type = np.bincount(types, retained, graph.types) if len(below) else np.zeros(graph.types)
        main = int(np.argmax(by_type)) if len(below) else -1
        return Suspect(
            object=object,
            type=-1,
            bytes=retained_bytes,
            objects=1,
            holder=owners[place],
            retainer=owners[place - 1] if place else NO_OBJECT,
            container=container,
            is_own=are_own[place],
            classes=self._classes(counts, sums),
            of=None if main < 0 or not counts[main] else self._main(main, counts, sums),
            largest=largest,
            total=int(counts.sum()),
        )

    def _many(self, type: int, retained_bytes: int, objects: U32Array, counts: I64Array, sums: I64Array) -> Suspect:
        """Describes a class."""
        largest = objects[:SHOWN_OBJECTS].tolist()
        return Suspect(
            object=largest[0],
            type=type,
            bytes=retained_bytes,
            objects=len(objects),
            holder=largest[0],
            retainer=NO_OBJECT,
            container=largest[0],
            is_own=self._is_own(type),
            classes=self._classes(counts, sums),
            largest=largest,
            total=int(counts.sum()),
        )

    def _classes(self, counts: I64Array, sums: I64Array) -> list[RetainedClass]:
        """Returns the classes with most bytes."""
        order = np.argsort(-sums, kind="stable")[:SHOWN_CLASSES].tolist()
        return [RetainedClass(type, int(counts[type]), int(sums[type])) for type in order if counts[type]]

    def _main(self, type: int, counts: I64Array, sums: I64Array) -> RetainedClass:
        """Returns the class that accounts for most of the bytes.

        If that is a JDK class, such as the entries of a map: a class of the program's own instead, if it has at
        least one object for two of these.
        """
        if not self._is_own(type):
            own = [each for each in counts.nonzero()[0].tolist() if self._is_own(each)]
            most = max(own, key=lambda each: int(counts[each]), default=type)
            type = most if 2 * counts[most] >= counts[type] else type
        return RetainedClass(type, int(counts[type]), int(sums[type]))

    def _is_whole(self, object: int) -> bool:
        """True if an object is neither array nor instance of an inner class such as the entries of maps."""
        return self._graph.kind(object) == PLAIN_OBJECT and "$" not in self._graph.type_name(self._graph.type(object))

    def _is_own(self, type: int) -> bool:
        """True if a class is the program's own: not of the JDK, no array of primitives or of JDK classes."""
        name = element_type(self._graph.type_name(type))
        return not is_jdk(name) and name not in PRIMITIVES
