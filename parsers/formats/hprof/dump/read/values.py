"""Contents of objects: fields with their values, texts of strings."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.class_record import HeapClass, fields_of, width_of
from parsers.formats.hprof.dump.records.tags import (
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
from parsers.model.names.java_method import joined

FORMATS = {BOOLEAN: "?", CHAR: "H", FLOAT: "f", DOUBLE: "d", BYTE: "b", SHORT: "h", INT: "i", LONG: "q"}
UTF_16 = 1
"""`coder` of a String; 0 is Latin-1."""
MOST_ELEMENTS = 1 << 16
"""Maximum ids of an array that are read."""
MOST_CHARACTERS = 1 << 20
"""Maximum characters of a text that are read."""


class ObjectPlace(NamedTuple):
    """Kind, class, offset and length of an object in the file."""

    kind: int
    of: int
    """Id of its class; for an array of primitives its type."""
    offset: int
    """Offset of its first value."""
    length: int
    """Elements, or bytes of the values of an instance."""


class FieldValue(NamedTuple):
    """One field of an instance."""

    name: bytes
    type: int
    value: int | float | bool
    """For an object its id."""
    site: int | None = None
    """The reference, if the graph has one for it."""


def value_of(data: bytes, type: int) -> int | float | bool:
    """Reads a value from its bytes."""
    if type == OBJECT:
        return int.from_bytes(data, "big")
    found: int | float | bool = struct.unpack(f">{FORMATS[type]}", data)[0]
    return found


class ValueReader:
    """Reader of values. `place_of` returns the place of the object with an id, or None."""

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
        self._names = names
        self._place_of = place_of
        self._fields = lru_cache(maxsize=1 << 10)(lambda of: [*fields_of(of, classes, id_size)])
        """The fields of the instances of a class."""

    def named(self, id: int) -> dict[bytes, FieldValue]:
        """Returns the fields of an instance by name; of several with one name, that of the most derived class.

        If its values are too short, those that fit.
        """
        place, found = self._place_of(id), dict[bytes, FieldValue]()
        if place is None or place.kind != PLAIN_OBJECT:
            return found
        values = self._read(place.length, place.offset)
        for name, type, at in self._fields(place.of):
            end = at + width_of(type, self._id_size)
            if end > len(values):
                break
            text = self._names.get(name, b"?")
            if text not in found:
                found[text] = FieldValue(text, type, value_of(values[at:end], type))
        return found

    def elements(self, id: int) -> list[int]:
        """Returns the first ids in an array of objects."""
        place = self._place_of(id)
        if place is None or place.kind != OBJECT_ARRAY:
            return []
        size = self._id_size
        data = self._read(min(place.length, MOST_ELEMENTS) * size, place.offset)
        return [int.from_bytes(data[at : at + size], "big") for at in range(0, len(data) - size + 1, size)]

    def text(self, id: int) -> str | None:
        """Returns the first characters of a java.lang.String; None if it has none."""
        return self.text_in(self.named(id), MOST_CHARACTERS)

    def text_in(self, fields: Mapping[bytes, FieldValue], most: int) -> str | None:
        """Returns the first characters of a java.lang.String with these fields."""
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
    """Returns the first characters in an array of chars or bytes; None for another array.

    part: `offset` and `count` of a String of JDK 6, which are checked against the array
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


def place_at(read: Read, id_size: int, id: int, kind: int, offset: int, length: int) -> ObjectPlace | None:
    """Returns the place of the object whose sub-record begins at an offset; None if it has no values.

    Also None if the object isn't there any more: the file was cut or replaced after it was indexed.
    """
    if kind == CLASS_OBJECT:
        return None
    head = read(9 + 2 * id_size, offset)
    is_there = head[1 : 1 + id_size] == id.to_bytes(id_size, "big")
    if not is_there or len(head) < (10 + id_size if kind == PRIMITIVE_ARRAY else 9 + 2 * id_size):
        return None
    if kind == PLAIN_OBJECT:
        of = int.from_bytes(head[5 + id_size : 5 + 2 * id_size], "big")
        return ObjectPlace(kind, of, offset + len(head), length)
    if kind == OBJECT_ARRAY:
        return ObjectPlace(kind, int.from_bytes(head[9 + id_size :], "big"), offset + len(head), length)
    if head[0] == PRIMITIVE_ARRAY_NO_DATA:
        return None
    return ObjectPlace(kind, head[9 + id_size], offset + 10 + id_size, length)
