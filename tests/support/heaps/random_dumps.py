"""Heap dumps of arbitrary sub-records: few ids, some absurd, so that all refer to each other; some of it damaged."""

from __future__ import annotations

import random
import struct

from heap_dumps import record

TYPES = (2, 2, 2, 4, 5, 6, 7, 8, 9, 10, 11)
WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
ROOTS = (0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x90)
NAMES = (
    b"java/lang/String", b"value", b"java/lang/Thread", b"name",
    b"java/lang/ref/WeakReference", b"java/lang/ref/Reference", b"referent",
    b"jdk/internal/vm/StackChunk", b"size", b"java/lang/Class",
)  # fmt: skip


class RandomDump:
    """One file by its seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._size = self._random.choice((4, 8))
        self._code = "I" if self._size == 4 else "Q"
        most = (1 << 8 * self._size) - 1
        near = [8 * self._random.randrange(1, 30) for _ in range(9)]
        self._ids = [0, 1, most, most - 8, *near]

    def data(self) -> bytes:
        """Its bytes."""
        draw = self._random
        data = f"JAVA PROFILE 1.0.{draw.choice('123')}\0".encode() + struct.pack(">IQ", self._size, 0)
        for id, name in enumerate(NAMES, 1):
            data += record(0x01, self._pack(id) + name)
        for serial in range(draw.randrange(6)):
            body = struct.pack(">I", serial) + self._id() + bytes(4) + self._pack(draw.randrange(12))
            data += record(0x02, body)
        for _ in range(draw.randrange(1, 7)):
            data += self._segment() + self._between()
        damaged = bytearray(data)
        for _ in range(draw.choice((0, 0, 0, 1, 2, 4))):
            damaged[draw.randrange(31, len(data))] = draw.choice((0, 255, 0x1C, 0x21, draw.randrange(256)))
        return bytes(damaged[: draw.randrange(31, len(data)) if draw.random() < 0.15 else len(data)])

    def _pack(self, id: int) -> bytes:
        return struct.pack(f">{self._code}", id)

    def _id(self) -> bytes:
        return self._pack(self._random.choice(self._ids))

    def _type(self) -> int:
        return self._random.randrange(14) if self._random.random() < 0.05 else self._random.choice(TYPES)

    def _value(self, type: int) -> bytes:
        return self._id() if type == 2 else self._random.randbytes(WIDTHS.get(type, 1))

    def _segment(self) -> bytes:
        draw = self._random
        body = b"".join(self._sub_record() for _ in range(draw.randrange(14)))
        length = draw.choice((len(body),) * 18 + (0, max(0, len(body) + draw.randrange(-30, 60))))
        return record(draw.choice((0x1C, 0x1C, 0x1C, 0x0C)), body, length)

    def _between(self) -> bytes:
        draw = self._random
        other = record(draw.choice((3, 4, 5, 6, 7, 0x0A, 0x0B, 0x0D, 0x0E, 0x77)), draw.randbytes(draw.randrange(40)))
        return draw.choice((b"",) * 14 + (record(0x2C),) * 3 + (other, other, draw.randbytes(draw.randrange(20))))

    def _sub_record(self) -> bytes:
        draw = self._random
        kinds = (self._class, self._instance, self._instance, self._objects, self._numbers, self._root)
        rare = (lambda: struct.pack(">BI", 0xFE, 65) + self._id(), lambda: bytes([draw.randrange(256)]))
        return draw.choice(kinds * 6 + rare)()

    def _class(self) -> bytes:
        draw = self._random
        ids = [self._id() for _ in range(4)]
        data = b"\x20" + self._id() + bytes(4) + b"".join(ids) + bytes(2 * self._size)
        data += struct.pack(">I", draw.choice((0, 8, 24, 1 << 31)))
        for name_size, most in ((2, 2), (self._size, 3)):
            types = [self._type() for _ in range(draw.randrange(most))]
            data += struct.pack(">H", len(types))
            data += b"".join(bytes(name_size - 1) + bytes([2, type]) + self._value(type) for type in types)
        types = [self._type() for _ in range(draw.randrange(4))]
        fields = (self._pack(draw.choice((7, 7, 9))) + bytes([type]) for type in types)
        return data + struct.pack(">H", len(types)) + b"".join(fields)

    def _instance(self) -> bytes:
        draw = self._random
        values = b"".join(self._id() for _ in range(draw.randrange(4))) + draw.randbytes(draw.randrange(5))
        return b"\x21" + self._id() + bytes(4) + self._id() + struct.pack(">I", len(values)) + values

    def _objects(self) -> bytes:
        elements = [self._id() for _ in range(self._random.randrange(6))]
        return b"\x22" + self._id() + struct.pack(">II", 0, len(elements)) + self._id() + b"".join(elements)

    def _numbers(self) -> bytes:
        draw = self._random
        type, count = draw.choice(sorted(WIDTHS)), draw.randrange(6)
        if draw.random() < 0.1:
            return b"\xc3" + self._id() + struct.pack(">IIB", 0, draw.choice((count, 1 << 31)), type)
        return b"\x23" + self._id() + struct.pack(">IIB", 0, count, type) + draw.randbytes(count * WIDTHS[type])

    def _root(self) -> bytes:
        tag = self._random.choice(ROOTS)
        more = {1: self._size, 2: 8, 3: 8, 8: 8, 0x8E: 8, 4: 4, 6: 4}.get(tag, 0)
        return bytes([tag]) + self._id() + self._random.randbytes(more)
