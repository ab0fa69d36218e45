"""Values of events and constants as Python objects, decoded one at a time: for rows that are shown, and for names."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parsers.formats.jfr.read.loops import number_at
from parsers.formats.jfr.read.metadata import Field, Metadata, Type, string_at
from parsers.formats.jfr.read.program import DEEPEST, INTEGERS, SIZES, STRING_TYPE

BITS: Mapping[str, int] = {"byte": 8, "short": 16, "int": 32}
"""Signed primitive types narrower than a long."""
MOST_ELEMENTS = 1 << 16
"""Elements of an array that are decoded; the rest is skipped."""

Fields = Mapping[str, Any]
"""Decoded fields by name: integers, floats, booleans, texts, None, `Key`, lists, and fields of structs."""


@dataclass(frozen=True, slots=True)
class Key:
    """A reference to a constant."""

    type: int
    """Id of its type."""
    key: int


class UnreadableValue(ValueError):
    """A value is cut or damaged. `found` has the fields before it."""

    def __init__(self, found: Fields) -> None:
        super().__init__("a value can't be read")
        self.found = found


def narrowed(number: int, type: str) -> int | str:
    """Returns a compressed integer as its type has it: ints, shorts and chars are cut to their width."""
    if type == "char":
        return chr(number & 0xFFFF)
    bits = BITS.get(type)
    if bits is None:
        return number
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> bits - 1 else number


def decode_fields(
    metadata: Metadata, type: Type, data: bytes, at: int, stop: int, depth: int = 0
) -> tuple[dict[str, Any], int]:
    """Decodes the fields of a struct; returns them by name, and the place behind them. Raises `UnreadableValue`.

    depth  number of structs around it
    """
    found: dict[str, Any] = {}
    for field in type.fields:
        try:
            found[field.name], at = _field(metadata, field, data, at, stop, depth)
        except UnreadableValue:
            raise UnreadableValue(found) from None
    return found, at


def _field(metadata: Metadata, field: Field, data: bytes, at: int, stop: int, depth: int) -> tuple[Any, int]:
    if not field.is_array:
        return _value(metadata, field, data, at, stop, depth)
    count, at = number_at(data, at, stop)  # type: ignore[arg-type]
    if at < 0 or not 0 <= count <= stop - at:
        raise UnreadableValue({})
    found = []
    for place in range(count):
        value, behind = _value(metadata, field, data, at, stop, depth)
        if behind == at:
            raise UnreadableValue({})
        if place < MOST_ELEMENTS:
            found.append(value)
        at = behind
    return found, at


def _value(metadata: Metadata, field: Field, data: bytes, at: int, stop: int, depth: int) -> tuple[Any, int]:
    type = metadata.types.get(field.type)
    if type is None or depth > DEEPEST:
        raise UnreadableValue({})
    if field.is_constant or type.name in INTEGERS:
        number, at = number_at(data, at, stop)  # type: ignore[arg-type]
        if at < 0:
            raise UnreadableValue({})
        return (Key(type.id, number) if field.is_constant else narrowed(number, type.name)), at
    if type.name in SIZES:
        size = SIZES[type.name]
        if size > stop - at:
            raise UnreadableValue({})
        return fixed_value(bytes(data[at : at + size]), type.name), at + size
    if type.name == STRING_TYPE:
        text, behind = string_at(data, at, stop)
        if behind < 0:
            raise UnreadableValue({})
        return (Key(type.id, text) if isinstance(text, int) else text), behind
    return decode_fields(metadata, type, data, at, stop, depth + 1)


def fixed_value(data: bytes, type: str) -> Any:
    """Returns a value of a fixed number of bytes."""
    if type == "boolean":
        return data[0] != 0
    if type == "byte":
        return narrowed(data[0], type)
    return struct.unpack(">f" if type == "float" else ">d", data)[0]


def decode_constant(metadata: Metadata, type: Type, data: bytes, at: int, stop: int) -> Any:
    """Decodes a constant: a text of the type of strings, the one value of a simple type, else its fields.

    Raises `UnreadableValue`.
    """
    if type.name == STRING_TYPE:
        text, at = string_at(data, at, stop)
        if at < 0:
            raise UnreadableValue({})
        return Key(type.id, text) if isinstance(text, int) else text
    found, _ = decode_fields(metadata, type, data, at, stop)
    if type.is_simple and len(found) == 1:
        return next(iter(found.values()))
    return found
