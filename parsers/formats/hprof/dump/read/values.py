"""What stands in objects: fields with their values, texts of strings."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.class_record import HeapClass, chain_of, width_of
from parsers.formats.hprof.dump.read.tags import (
    BOOLEAN,
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    OBJECT,
    PRIMITIVE_ARRAY_NO_DATA,
    SHORT,
    WIDTHS,
)
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.model.java_method import joined

FORMATS = {BOOLEAN: "?", CHAR: "H", FLOAT: "f", DOUBLE: "d", BYTE: "b", SHORT: "h", INT: "i", LONG: "q"}
UTF_16 = 1
"""`coder` of a String; 0 is Latin-1."""


class ObjectPlace(NamedTuple):
    """Where an object stands."""

    kind: int
    of: int
    """Id of its class; of an array of primitives its type."""
    offset: int
    """Of its first value."""
    length: int
    """Elements, or bytes of the values of an instance."""


class FieldValue(NamedTuple):
    """One field of an instance."""

    declared: HeapClass
    name: bytes
    type: int
    value: int | float | bool
    """Of an object its id."""
    site: int | None = None
    """The reference, where the graph has one for it."""


def value_of(data: bytes, type: int) -> int | float | bool:
    """A value from its bytes."""
    if type == OBJECT:
        return int.from_bytes(data, "big")
    found: int | float | bool = struct.unpack(f">{FORMATS[type]}", data)[0]
    return found


class ValueReader:
    """Reads values. `place_of` tells where the object of an id stands, None if there is none."""

    def __init__(
        self,
        read: Read,
        id_size: int,
        classes: Mapping[int, HeapClass],
        names: Mapping[int, bytes],
        place_of: Callable[[int], ObjectPlace | None],
    ) -> None:
        self._read = read
        self._id_size = id_size
        self._classes = classes
        self._names = names
        self._place_of = place_of

    def name(self, id: int) -> bytes:
        """A name by its id."""
        return self._names.get(id, b"?")

    def fields(self, id: int) -> list[FieldValue]:
        """The fields of an instance in their order; those that fit, where its values are too short."""
        place = self._place_of(id)
        if place is None or place.kind != PLAIN_OBJECT:
            return []
        values, at, found = self._read(place.length, place.offset), 0, list[FieldValue]()
        for declared in chain_of(place.of, self._classes):
            for name, type in declared.fields:
                width = width_of(type, self._id_size)
                if at + width > len(values):
                    return found
                value = value_of(values[at : at + width], type)
                found.append(FieldValue(declared, self._names.get(name, b"?"), type, value))
                at += width
        return found

    def named(self, id: int) -> dict[bytes, FieldValue]:
        """The same by name; of several of one name the one that is declared lowest."""
        found: dict[bytes, FieldValue] = {}
        for field in self.fields(id):
            found.setdefault(field.name, field)
        return found

    def elements(self, id: int, most: int = 1 << 16) -> list[int]:
        """Ids in an array of objects, its first ones."""
        place = self._place_of(id)
        if place is None or place.kind != OBJECT_ARRAY:
            return []
        size = self._id_size
        data = self._read(min(place.length, most) * size, place.offset)
        return [int.from_bytes(data[at : at + size], "big") for at in range(0, len(data) - size + 1, size)]

    def text(self, id: int, most: int = 1 << 20) -> str | None:
        """The text of a java.lang.String, its first characters; None if it has none."""
        fields = self.named(id)
        value = fields.get(b"value")
        if value is None or value.type != OBJECT:
            return None
        place = self._place_of(int(value.value))
        if place is None or place.kind != PRIMITIVE_ARRAY:
            return None
        start, count, coder = (fields.get(name) for name in (b"offset", b"count", b"coder"))
        is_part = start is not None and count is not None and start.type == count.type == INT
        part = (int(start.value), int(count.value)) if start is not None and count is not None and is_part else None
        return text_of(self._read, place, part, coder is not None and coder.value == UTF_16, most)


def text_of(read: Read, place: ObjectPlace, part: tuple[int, int] | None, is_utf_16: bool, most: int) -> str | None:
    """Characters in an array of chars or bytes, the first ones; None if it is another one.

    part: of a String of JDK 6 its `offset` and `count`, which are held against the array
    """
    first, length = 0, place.length
    if part is not None:
        first = max(part[0], 0)
        length = min(max(part[1], 0), max(place.length - first, 0))
    width = WIDTHS[place.of]
    data = read(min(length, most) * width, place.offset + first * width)
    if place.of == CHAR:
        return joined(data[: len(data) // 2 * 2].decode("utf-16-be", "surrogatepass"))
    if place.of != BYTE:
        return None
    if is_utf_16:
        return joined(data[: len(data) // 2 * 2].decode("utf-16-le", "surrogatepass"))
    return data.decode("latin-1")


def place_at(read: Read, id_size: int, kind: int, offset: int, length: int) -> ObjectPlace | None:
    """Where the values of an object stand whose sub-record begins at an offset; None if it has none."""
    if kind == CLASS_OBJECT:
        return None
    head = read(1 + 2 * id_size + 8, offset)
    if kind == PLAIN_OBJECT:
        of = int.from_bytes(head[5 + id_size : 5 + 2 * id_size], "big")
        return ObjectPlace(kind, of, offset + len(head), length)
    if kind == OBJECT_ARRAY:
        return ObjectPlace(kind, int.from_bytes(head[9 + id_size :], "big"), offset + len(head), length)
    if head[0] == PRIMITIVE_ARRAY_NO_DATA:
        return None
    return ObjectPlace(kind, head[9 + id_size], offset + 10 + id_size, length)
