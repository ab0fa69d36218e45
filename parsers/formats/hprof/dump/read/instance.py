"""One instance of a binary heap dump: its fields by name, without reading other objects.

The graph has a reference for each field that is not null, in file order. So the target of a field is found by counting
the fields before it, never by an id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from parsers.formats.hprof.dump.read.class_record import HeapClass
from parsers.formats.hprof.dump.read.values import FieldValue, value_of
from parsers.formats.hprof.dump.records.tags import OBJECT
from parsers.heapdump.graph.elements import NULL
from parsers.model.value import value_class

MOST_FIELDS = 1 << 16
"""Fields of an instance after which further superclasses are omitted: more than one class can have."""


@value_class
class FieldPlace:
    """A field of all instances of a class, its own or inherited."""

    name: bytes
    text: str
    type: int
    offset: int
    """Byte offset in the values of an instance."""
    width: int
    references_before: int
    """Number of reference fields before it."""


@value_class
class InstanceLayout:
    """The fields of the instances of a class, in file order: its own ones first."""

    fields: tuple[FieldPlace, ...]
    references: tuple[int, ...]
    """Offsets of the reference fields."""
    size: int
    """Bytes of all values."""
    classes: tuple[tuple[str, int], ...]
    """Names of the class and its superclasses, each with the index of its first field."""
    _named: dict[str, dict[str, FieldPlace]] = field(default_factory=dict)

    def named(self, since: str) -> dict[str, FieldPlace]:
        """Returns fields by name, without those of subclasses of `since`; of several with one name the most derived."""
        found = self._named.get(since)
        if found is None:
            first = next((place for name, place in self.classes if name == since), 0)
            found = self._named[since] = {each.text: each for each in reversed(self.fields[first:])}
        return found


class DumpInstance:
    """Implementation of `Instance`, see `contents`."""

    __slots__ = ("_data", "_first", "_id_size", "_layout", "_named", "_target")

    def __init__(
        self, layout: InstanceLayout, since: str, data: bytes, id_size: int, first: int, target: Callable[[int], int]
    ) -> None:
        """data: the values. first: number of its first reference. target: the object of a reference"""
        self._layout, self._named, self._data = layout, layout.named(since), data
        self._id_size, self._first, self._target = id_size, first, target

    def has(self, name: str) -> bool:
        """Returns True if a field has that name."""
        return name in self._named

    def reference(self, name: str) -> int:
        """Returns the object that a field refers to; NULL also if there is no such field."""
        place = self._named.get(name)
        site = None if place is None or place.type != OBJECT else self._site(place)
        return NULL if site is None else self._target(site)

    def value(self, name: str) -> int | float | bool | None:
        """Returns the value of a field of a primitive type; None if there is none."""
        place = self._named.get(name)
        if place is None or place.type == OBJECT:
            return None
        data = self._data[place.offset : place.offset + place.width]
        return value_of(data, place.type) if len(data) == place.width else None

    def number(self, name: str) -> int | None:
        """Returns the value as an integer."""
        value = self.value(name)
        return None if value is None else int(value)

    def fields(self) -> list[FieldValue]:
        """Returns all fields; if the values are too short, those that fit."""
        found = []
        for place in self._layout.fields:
            data = self._data[place.offset : place.offset + place.width]
            if len(data) < place.width:
                break
            site = self._site(place) if place.type == OBJECT else None
            found.append(FieldValue(place.name, place.type, value_of(data, place.type), site))
        return found

    def _site(self, place: FieldPlace) -> int | None:
        """Returns the reference of a field; None for null."""
        data, size = self._data, self._id_size
        end = place.offset + size
        if end > len(data) or not any(data[place.offset : end]):
            return None
        before = self._layout.references[: place.references_before]
        return self._first + sum(any(data[offset : offset + size]) for offset in before)


def layout_of(
    classes: Sequence[HeapClass], names: Sequence[str], name: Callable[[int], bytes], text: Callable[[bytes], str],
    width: Callable[[int], int],
) -> InstanceLayout:  # fmt: skip
    """Returns the layout of the instances of a class. classes, names: of the class and its superclasses"""
    fields: list[FieldPlace] = []
    references: list[int] = []
    firsts, offset = [], 0
    for declared, class_name in zip(classes, names, strict=True):
        if len(fields) > MOST_FIELDS:
            break
        firsts.append((class_name, len(fields)))
        for id, type in declared.fields:
            raw = name(id)
            fields.append(FieldPlace(raw, text(raw), type, offset, width(type), len(references)))
            if type == OBJECT:
                references.append(offset)
            offset += width(type)
    return InstanceLayout(tuple(fields), tuple(references), offset, tuple(firsts))
