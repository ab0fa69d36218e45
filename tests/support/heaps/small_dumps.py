"""Heap dumps of a few objects, written by hand with ids of any width: classes with their fields, instances, arrays."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from heap_dumps import record

REFERENCE, BOOLEAN, CHAR, BYTE, INT, LONG = 2, 4, 5, 8, 10, 11
WIDTHS = {BOOLEAN: 1, CHAR: 2, BYTE: 1, INT: 4, LONG: 8}
Fields = Sequence[tuple[str, int]]
NO_STATICS: Mapping[tuple[str, int], int] = {}


class SmallDump:
    """One file, part by part; `data` is all of it."""

    def __init__(self, id_size: int = 8, version: str = "1.0.2") -> None:
        self.id_size = id_size
        self._version = version
        self._names: dict[str, int] = {}
        self._loaded: list[tuple[int, str]] = []
        self._fields: dict[int, tuple[int, Fields]] = {}
        self._classes: list[bytes] = []
        self._objects: list[bytes] = []
        self._sites: list[bytes] = []

    def declare(
        self,
        id: int,
        name: str,
        fields: Fields = (),
        above: int = 0,
        statics: Mapping[tuple[str, int], int] = NO_STATICS,
    ) -> int:
        """A class with its own fields, and its statics by name and type with their values."""
        self.announce(id, name)
        self._fields[id] = above, fields
        body = b"\x20" + self._ids(id) + bytes(4) + self._ids(above, *[0] * 5) + bytes(4) + bytes(2)
        body += struct.pack(">H", len(statics))
        for (static, type), value in statics.items():
            body += self._ids(self._name(static)) + bytes([type]) + self._value(type, value)
        body += struct.pack(">H", len(fields))
        self._classes.append(body + b"".join(self._ids(self._name(field)) + bytes([type]) for field, type in fields))
        return id

    def announce(self, id: int, name: str) -> None:
        """Adds a loaded class without a dump."""
        self._loaded.append((id, name))

    def instance(self, id: int, of: int, **values: int) -> int:
        """An instance with the values of some of its fields, 0 of all others."""
        body, at = b"", of
        while at:
            at, fields = self._fields[at]
            body += b"".join(self._value(type, values.get(name, 0)) for name, type in fields)
        head = b"\x21" + self._ids(id) + bytes(4) + self._ids(of) + struct.pack(">I", len(body))
        self._objects.append(head + body)
        return id

    def array(self, id: int, of: int, *elements: int) -> int:
        """An array of objects."""
        head = b"\x22" + self._ids(id) + bytes(4) + struct.pack(">I", len(elements))
        self._objects.append(head + self._ids(of, *elements))
        return id

    def numbers(self, id: int, type: int, *values: int) -> int:
        """An array of numbers."""
        head = b"\x23" + self._ids(id) + bytes(4) + struct.pack(">IB", len(values), type)
        self._objects.append(head + b"".join(self._value(type, value) for value in values))
        return id

    def root(self, id: int) -> None:
        """Adds a root of an object."""
        self._objects.append(b"\x05" + self._ids(id))

    def site(self, of: int, objects: int, bytes: int) -> None:
        """Adds a row of allocation sites: number of live objects of a class, and their bytes."""
        serial = next(serial for serial, (id, _) in enumerate(self._loaded, 1) if id == of)
        self._sites.append(struct.pack(">BIIIIII", 0, serial, 1, bytes, objects, bytes, objects))

    def properties(self, first: int, **values: str) -> None:
        """Adds system properties, with `__` instead of dots; the objects have ids from `first` on."""
        ids = iter(range(first, first + 100))
        text = self.declare(
            next(ids), "java.lang.String", [("value", REFERENCE), ("offset", INT), ("count", INT), ("hash", INT)]
        )
        entry = self.declare(next(ids), "java.util.Hashtable$Entry", [("key", REFERENCE), ("value", REFERENCE)])
        table = self.declare(next(ids), "java.util.Properties", [("table", REFERENCE)])
        entries = []
        for name, value in values.items():
            texts = []
            for each in (name.replace("__", "."), value):
                chars = self.numbers(next(ids), CHAR, *each.encode("utf-16-be")[1::2])
                texts.append(self.instance(next(ids), text, value=chars, count=len(each)))
            entries.append(self.instance(next(ids), entry, key=texts[0], value=texts[1]))
        held = self.array(next(ids), table, *entries)
        props = self.instance(next(ids), table, table=held)
        self.declare(next(ids), "java.lang.System", statics={("props", REFERENCE): props})

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        head = f"JAVA PROFILE {self._version}\0".encode() + struct.pack(">IQ", self.id_size, 0)
        loaded = [(serial, id, self._name(name)) for serial, (id, name) in enumerate(self._loaded, 1)]
        head += b"".join(record(0x01, self._ids(id) + name.encode()) for name, id in self._names.items())
        for serial, id, name in loaded:
            head += record(0x02, struct.pack(">I", serial) + self._ids(id) + bytes(4) + self._ids(name))
        if self._sites:
            head += record(0x06, bytes(30) + struct.pack(">I", len(self._sites)) + b"".join(self._sites))
        return head + record(0x1C, b"".join((*self._classes, *self._objects))) + record(0x2C)

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names) + 1)

    def _ids(self, *ids: int) -> bytes:
        return struct.pack(f">{len(ids)}{'I' if self.id_size == 4 else 'Q'}", *ids)

    def _value(self, type: int, value: int) -> bytes:
        width = self.id_size if type == REFERENCE else WIDTHS[type]
        return (value % (1 << 8 * width)).to_bytes(width, "big")
