"""A class as a heap dump has it: one CLASS_DUMP sub-record."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from parsers.formats.hprof.dump.records.tags import OBJECT, WIDTHS

MOST_SUPERS = 500
"""Maximum superclasses that are followed: more than any program has."""
TYPES = frozenset((OBJECT, *(type for type, width in enumerate(WIDTHS) if width)))
"""Types of values."""
HEAD_FORMATS = {4: struct.Struct(">xIIIIIIIIIHHH"), 8: struct.Struct(">xQIQQQQQQIHHH")}
"""By id size the minimum bytes of a class: numbers of statics and fields follow that of constants if these are 0."""
COUNT = struct.Struct(">H")
Values = tuple[tuple[int, int, int], ...]
"""Constants or statics: index or id of the name, type, value."""


class HeapClass(NamedTuple):
    """One class. Ids are as in the file, 0 for none; values of constants and statics are unsigned numbers."""

    id: int
    trace: int
    super_id: int
    loader: int
    signers: int
    domain: int
    size: int
    """Bytes of an INSTANCE_DUMP of the class; on Android, bytes of an object."""
    constants: Values
    """Index, type, value."""
    statics: Values
    """Id of the name, type, value."""
    fields: tuple[tuple[int, int], ...]
    """Id of the name, type: fields that the class itself declares, in the order of instances."""
    end: int
    """Bytes of the sub-record."""

    def references(self) -> Iterator[tuple[str, int, int]]:
        """Yields its references except null: kind, name (id of a static's, index of a constant), id."""
        for kind, id in (
            ("super", self.super_id),
            ("loader", self.loader),
            ("signers", self.signers),
            ("domain", self.domain),
        ):
            if id:
                yield kind, 0, id
        for index, type, value in self.constants:
            if type == OBJECT and value:
                yield "constant", index, value
        for name, type, value in self.statics:
            if type == OBJECT and value:
                yield "static", name, value


def width_of(type: int, id_size: int) -> int:
    """Returns the bytes of a value; 0 for an unknown type."""
    return id_size if type == OBJECT else WIDTHS[type] if type < len(WIDTHS) else 0


def read_class(data: bytes, at: int, id_size: int) -> HeapClass | None:
    """Reads the class whose sub-record begins (with its tag) at `at`; None if it is cut or impossible."""
    head, start = HEAD_FORMATS[id_size], at
    constants: Values = ()
    statics: Values = ()
    fields: tuple[tuple[int, int], ...] = ()
    try:
        id, trace, above, loader, signers, domain, _, _, size, count, second, third = head.unpack_from(data, at)
        at += head.size
        if count or second:
            constants, at = _values(data, at - 4, count, 2, id_size)
            statics, at = _values(data, at + 2, COUNT.unpack_from(data, at)[0], id_size, id_size)
            (third,) = COUNT.unpack_from(data, at)
            at += 2
    except (struct.error, ValueError):
        return None
    end = at + third * (id_size + 1)
    if third:
        if end > len(data):
            return None
        fields = tuple(struct.iter_unpack(">IB" if id_size == 4 else ">QB", data[at:end]))
        if not TYPES.issuperset([type for _, type in fields]):
            return None
    return HeapClass(id, trace, above, loader, signers, domain, size, constants, statics, fields, end - start)


def _values(data: bytes, at: int, count: int, name_size: int, id_size: int) -> tuple[Values, int]:
    """Reads constants or statics, and the position of their end. Raises `ValueError` if cut or impossible."""
    if not count:
        return (), at
    found = []
    for _ in range(count):
        type = data[at + name_size] if at + name_size < len(data) else 0
        width = width_of(type, id_size)
        end = at + name_size + 1 + width
        if not width or end > len(data):
            raise ValueError
        name = int.from_bytes(data[at : at + name_size], "big")
        found.append((name, type, int.from_bytes(data[end - width : end], "big")))
        at = end
    return tuple(found), at


def chain_of(id: int, classes: Mapping[int, HeapClass]) -> list[HeapClass]:
    """Returns a class and its known superclasses; each once, even in a cycle."""
    found: dict[int, HeapClass] = {}
    while id in classes and id not in found and len(found) < MOST_SUPERS:
        found[id] = classes[id]
        id = classes[id].super_id
    return list(found.values())


def fields_of(id: int, classes: Mapping[int, HeapClass], id_size: int) -> Iterator[tuple[int, int, int]]:
    """Yields the fields of the instances of a class: id of the name, type, offset in the values."""
    at = 0
    for declared in chain_of(id, classes):
        for name, type in declared.fields:
            yield name, type, at
            at += width_of(type, id_size)
