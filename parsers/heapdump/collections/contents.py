"""Logical contents of a collection: entries of a map, elements of a list, read on demand.

Chains and trees of entries are followed only as far as needed, and each entry is visited once: in a damaged file
chains may be circular and sizes arbitrary. `damage` describes deviations.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from parsers.heapdump.graph.elements import LOST, NULL
from parsers.model.capability import Capability
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

Kind = Literal["map", "list", "set"]
Entry = tuple[int, int]
"""Objects of an entry's key and value, or NULL, NO_OBJECT, LOST."""


class Entries(NamedTuple):
    """A batch of entries."""

    keys: I64Array
    values: I64Array


Step = Entry | Entries
FIRST_PIECE, LAST_PIECE = 256, 1 << 17
"""Smallest and largest batch of entries."""
WALKED_AT_ONCE = 500
"""Entries read before anything is shown; the count is known then if there are no more."""


class Instance(Protocol):
    """An object's fields by name."""

    def has(self, name: str) -> bool:
        """True if there is a field of that name; in a text dump if it is known and not null."""
        ...

    def reference(self, name: str) -> int:
        """Returns the object that a field refers to; NULL also where there is no such field."""
        ...

    def number(self, name: str) -> int | None:
        """Returns the value of a primitive field as integer; None if there is none, or the dump lacks values."""
        ...


@runtime_checkable
class HasManyReferences(Protocol, metaclass=Capability):
    """An `ObjectGraph` that can read one field of many objects at once."""

    @property
    def objects(self) -> int:
        """Number of objects."""
        ...

    def column(self, name: str, objects: range | AnyArray) -> AnyArray:
        """Returns a column as `ObjectGraph.column`."""
        ...

    def targets(self, sites: range | AnyArray) -> I64Array:
        """Returns the target objects of many references."""
        ...

    def field_names(self, type: int) -> Collection[str]:
        """Returns the names of the fields of instances of a class."""
        ...

    def many_references(self, objects: I64Array, names: Sequence[str]) -> list[I64Array]:
        """Returns the target objects of fields, in the order of the names, each as int64[n]."""
        ...


@dataclass(slots=True)
class Walk:
    """State of a traversal of entries: visited entries, and damage."""

    seen: set[int] = field(default_factory=set)
    damage: str = ""

    def visits(self, node: int) -> bool:
        """True if the entry exists and is visited for the first time."""
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
    """Entries found by a traversal."""

    def __init__(self, steps: Iterator[Step], walk: Walk, stated: int | None, most: int) -> None:
        """stated: size field of the collection, None without one. most: upper bound of the count"""
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
        """Number of entries: as found, or as stated for large collections."""
        stated = self._most if self.stated is None else min(self.stated, self._most)
        self._reach(stated + 1 if self.stated is None else WALKED_AT_ONCE + 1)
        return len(self._values) if self._is_whole or self.stated is None else stated

    @property
    def is_empty(self) -> bool:
        """True if there are none, without counting them."""
        self._reach(1)
        return not self._values

    def keys(self, indexes: slice) -> Sequence[int]:
        """Returns the keys of some entries."""
        self._reach(indexes.stop)
        return self._keys[indexes]

    def values(self, indexes: slice) -> Sequence[int]:
        """Returns the values of some entries."""
        self._reach(indexes.stop)
        return self._values[indexes]

    @property
    def damage(self) -> str:
        """Damage found so far, as text; empty for none."""
        found, stated = len(self._values), self.stated
        if not self._walk.damage and stated is not None and (found != stated if self._is_whole else found > stated):
            return f"its size is {stated:,}, and {'' if self._is_whole else 'at least '}{found:,} were found"
        return self._walk.damage


class LazyValues(LazySequence[int]):
    """Keys or values of entries, or elements: `count` of them, read on access."""

    def __init__(self, count: Callable[[], int], read: Callable[[slice], Sequence[int]]) -> None:
        """read: returns a range of them; shorter if the last ones are lost"""
        self._count, self._read = count, read

    def __len__(self) -> int:
        return self._count()

    def item(self, index: int) -> int:
        """Returns one by its index; LOST if it can't be read."""
        found = self._read(slice(index, index + 1))
        return found[0] if len(found) else LOST

    def items(self, indexes: range) -> Sequence[int]:
        """Returns some; LOST for those that can't be read."""
        if indexes.step != 1:
            return super().items(indexes)
        found = self._read(slice(indexes.start, indexes.stop))
        return found if len(found) == len(indexes) else [*found, *[LOST] * (len(indexes) - len(found))]


def part(count: int, read: Callable[[slice], Sequence[int]]) -> LazyValues:
    """Returns a sequence of `count` elements."""
    return LazyValues(lambda: count, read)


def pieces(values: Sequence[int], most: int) -> Iterator[tuple[int, Sequence[int]]]:
    """Yields the first `most` values in batches, small ones first, each with its first index."""
    start, size, stop = 0, FIRST_PIECE, min(len(values), most)
    while start < stop:
        yield start, values[start : min(start + size, stop)]
        start, size = start + size, min(2 * size, LAST_PIECE)


@value_class
class Contents:
    """Contents of a collection."""

    kind: Kind
    values: Sequence[int]
    """Values of a map, or elements: objects, NULL, NO_OBJECT, LOST."""
    keys: Sequence[int] | None = None
    """Keys of a map."""
    capacity: int | None = None
    """Length of the backing array, where that may exceed the size."""
    walked: Walked | None = None
    mismatch: str = ""
    """Damage known from the beginning."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        """Number of entries; as stated where counting needs a traversal."""
        stated = None if self.walked is None else self.walked.stated
        return len(self) if stated is None else stated

    @property
    def is_empty(self) -> bool:
        """True if there are none, without counting them."""
        return self.walked.is_empty if self.walked is not None else not len(self.values)

    @property
    def damage(self) -> str:
        """Damage found so far, as text; empty for none."""
        return self.mismatch or (self.walked.damage if self.walked is not None else "")

    def as_set(self) -> Contents:
        """Returns the keys alone."""
        return Contents(
            "set", self.values if self.keys is None else self.keys, None, self.capacity, self.walked, self.mismatch
        )


def walked(
    kind: Kind, steps: Callable[[Walk], Iterator[Step]], stated: int | None, most: int, capacity: int | None = None
) -> Contents:
    """Returns contents found by a traversal. Steps of lists have NULL as key."""
    walk = Walk()
    found = Walked(steps(walk), walk, stated, most)
    count = lambda: found.count  # noqa: E731
    keys = LazyValues(count, found.keys) if kind == "map" else None
    return Contents(kind, LazyValues(count, found.values), keys, capacity, found)
