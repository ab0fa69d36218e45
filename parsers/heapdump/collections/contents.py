"""What a collection holds, as its program sees it: entries of a map, elements of a list, found as they are asked for.

Chains and trees of entries are walked only as far as somebody looks, and an entry is visited once: files may say
anything, so chains may go in circles and sizes be of any height. What is not as it should be is `damage`, in words.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, overload, runtime_checkable

from parsers.heapdump.graph.elements import LOST, NULL, Elements
from parsers.model.value import value_class

Kind = Literal["map", "list", "set"]
Entry = tuple[int, int]
"""Objects that an entry's key and value are, or NULL, NO_OBJECT, LOST."""


class Entries(NamedTuple):
    """Many of them together."""

    keys: Any
    """int64"""
    values: Any


Step = Entry | Entries
FIRST_PIECE, LAST_PIECE = 256, 1 << 17
"""Entries that are looked through at a time."""
WALKED_AT_ONCE = 500
"""Entries that are looked for before anything is shown; how many there are is known then if these are all."""


class Instance(Protocol):
    """An object's fields by name."""

    def has(self, name: str) -> bool:
        """Whether there is a field of that name; of a text dump whether it is known and not null."""
        ...

    def reference(self, name: str) -> int:
        """The object that a field refers to; NULL also where there is no such field."""
        ...

    def number(self, name: str) -> int | None:
        """The value of a field of a primitive type, as integer; None if there is none, or the dump doesn't tell."""
        ...


@runtime_checkable
class HasManyReferences(Protocol):
    """A graph that can follow one field of many objects at once."""

    def many_references(self, objects: Any, names: Sequence[str]) -> list[Any]:
        """Objects that fields refer to, by name, as int64[n]: see `dump_bulk`."""
        ...


class HasFields(Protocol):
    """What contents are read from: an object graph, of text or of a binary dump."""

    objects: int

    def type(self, object: int) -> int:
        """The class of an object."""
        ...

    def type_name(self, type: int) -> str:
        """As Java writes it."""
        ...

    def supers(self, type: int) -> Sequence[str]:
        """Names of a class and of those above it, as far as they are known."""
        ...

    def instance(self, object: int, since: str = "") -> Instance:
        """The fields of an object by name, those of classes below `since` left out where that is known."""
        ...

    def array(self, object: int) -> Elements:
        """The elements of an array of objects; none of anything else."""
        ...


@dataclass(slots=True)
class Walk:
    """What is known of a walk through entries: where it has been, and what was wrong."""

    seen: set[int] = field(default_factory=set)
    damage: str = ""

    def visits(self, node: int) -> bool:
        """Whether an entry is there and is visited for the first time."""
        if node < 0:
            if node != NULL:
                self.damage = self.damage or "an entry is not in the file"
            return False
        if node in self.seen:
            self.damage = self.damage or "its entries lead in a circle"
            return False
        self.seen.add(node)
        return True


class Walked:
    """Entries that are found one after the other."""

    def __init__(self, steps: Iterator[Step], walk: Walk, stated: int | None, most: int) -> None:
        """stated: how many it says it has, None if it doesn't. most: more can't be"""
        self._steps, self._walk, self.stated, self._most = steps, walk, stated, most
        self._keys, self._values = array("q"), array("q")
        self._is_whole = False

    def _reach(self, count: int) -> None:
        keys, values = self._keys, self._values
        while len(values) < count and not self._is_whole:
            step = next(self._steps, None)
            if step is None:
                self._is_whole = True
            elif isinstance(step, Entries):
                keys.frombytes(step.keys.tobytes())
                values.frombytes(step.values.tobytes())
            else:
                keys.append(step[0])
                values.append(step[1])

    @cached_property
    def count(self) -> int:
        """How many there are: as found, of many as it says."""
        stated = self._most if self.stated is None else min(self.stated, self._most)
        self._reach(stated + 1 if self.stated is None else WALKED_AT_ONCE + 1)
        return len(self._values) if self._is_whole or self.stated is None else stated

    @property
    def is_empty(self) -> bool:
        """Whether there are none, without counting them."""
        self._reach(1)
        return not self._values

    def keys(self, indexes: slice) -> Sequence[int]:
        """Keys of some entries."""
        self._reach(indexes.stop)
        return self._keys[indexes]

    def values(self, indexes: slice) -> Sequence[int]:
        """Values of some entries."""
        self._reach(indexes.stop)
        return self._values[indexes]

    def entry(self, index: int) -> Entry:
        """Key and value of an entry."""
        self._reach(index + 1)
        return (self._keys[index], self._values[index]) if index < len(self._values) else (LOST, LOST)

    @property
    def damage(self) -> str:
        """What is wrong with it, as far as it is known; empty if nothing is."""
        found, stated = len(self._values), self.stated
        if not self._walk.damage and stated is not None and (found != stated if self._is_whole else found > stated):
            return f"it says that it has {stated:,}, and {'' if self._is_whole else 'at least '}{found:,} were found"
        return self._walk.damage


class Part(Sequence[int]):
    """Keys or values of entries, or some elements: as many as `count` says, asked for when they are counted."""

    def __init__(
        self, count: Callable[[], int], at: Callable[[int], int], many: Callable[[slice], Sequence[int]] | None = None
    ) -> None:
        """at: gives one by its place. many: those of a slice, where that is quicker; fewer, where the last are lost"""
        self._count, self._at, self._many = count, at, many

    def __len__(self) -> int:
        return self._count()

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            if self._many is None or places.step != 1:
                return [self._at(each) for each in places]
            found = self._many(slice(places.start, places.stop))
            return found if len(found) == len(places) else [*found, *[LOST] * (len(places) - len(found))]
        return self._at(range(len(self))[index])


def part(count: int, at: Callable[[int], int], many: Callable[[slice], Sequence[int]] | None = None) -> Part:
    """So many elements."""
    return Part(lambda: count, at, many)


def pieces(values: Sequence[int], most: int) -> Iterator[tuple[int, Sequence[int]]]:
    """The first ones of many, some at a time, few at first; and the place where these begin."""
    start, size, stop = 0, FIRST_PIECE, min(len(values), most)
    while start < stop:
        yield start, values[start : min(start + size, stop)]
        start, size = start + size, min(2 * size, LAST_PIECE)


@value_class
class Contents:
    """What a collection holds."""

    kind: Kind
    values: Sequence[int]
    """Values of a map, else elements: objects, NULL, NO_OBJECT, LOST."""
    keys: Sequence[int] | None = None
    """Of a map."""
    room: int | None = None
    """Length of the array that they are in, where that may be longer than they are many."""
    walked: Walked | None = None
    said: str = ""
    """What is wrong with it from the beginning."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        """How many there are; of what has to be walked through as it says."""
        stated = None if self.walked is None else self.walked.stated
        return len(self) if stated is None else stated

    @property
    def is_empty(self) -> bool:
        """Whether there are none, without counting them."""
        return self.walked.is_empty if self.walked is not None else not len(self.values)

    @property
    def damage(self) -> str:
        """What is wrong with it, as far as it is known; empty if nothing is."""
        return self.said or (self.walked.damage if self.walked is not None else "")

    def as_set(self) -> Contents:
        """The keys alone."""
        return Contents("set", self.values if self.keys is None else self.keys, None, self.room, self.walked, self.said)

    def place_of(self, object: int, most: int) -> int | None:
        """Which entry an object is the value or the key of; None if it is none of the first ones."""
        for start, values in pieces(self.values, most):
            keys = () if self.keys is None else self.keys[start : start + len(values)]
            places = [each.index(object) for each in (values, keys) if object in each]
            if places:
                return start + min(places)
        return None


def walked(
    kind: Kind, steps: Callable[[Walk], Iterator[Step]], stated: int | None, most: int, room: int | None = None
) -> Contents:
    """Contents that are found by walking. Steps of lists have NULL as key."""
    walk = Walk()
    found = Walked(steps(walk), walk, stated, most)
    count = lambda: found.count  # noqa: E731
    keys = Part(count, lambda place: found.entry(place)[0], found.keys) if kind == "map" else None
    return Contents(kind, Part(count, lambda place: found.entry(place)[1], found.values), keys, room, found)
