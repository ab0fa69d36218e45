"""Small binary heap dumps for tests, written by hand, and heaps read from bytes by plain code and by kernels."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import plain_bytes

from parsers.formats.hprof.dump.index.heap_engine import KernelSteps, PlainSteps
from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.read.file import DumpFile
from parsers.index.writer import Writer
from parsers.io.plain import PlainFile
from parsers.io.source import Identity

CORPUS = Path(__file__).parents[2] / "corpus" / "hprof" / "heap"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
WITH_HEAP = [name for name in TRUTH if "layout" in TRUTH[name]]
NODE, STRING = 16, 24
"""Ids of classes: `Node` of `names`, and another."""
Read = Callable[[int, int], bytes]


def sample_path(name: str) -> Path:
    """The file of a sample, packed as it is kept."""
    return CORPUS / (name if name.endswith(".gz") else f"{name}.xz")


def sample(name: str) -> bytes:
    """The bytes of a sample."""
    return plain_bytes(sample_path(name))


def reader(data: bytes) -> Read:
    return lambda count, offset: data[offset : offset + count]


def header(version: str = "1.0.2") -> bytes:
    return f"JAVA PROFILE {version}\0".encode() + struct.pack(">IQ", 8, 0)


def record(tag: int, body: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack(">BII", tag, 0, len(body) if length is None else length) + body


def names() -> bytes:
    """A class `Node` with the fields `next` and `key`."""
    texts = ((1, b"Node"), (2, b"next"), (3, b"key"))
    loaded = record(0x02, struct.pack(">IQIQ", 1, NODE, 0, 1))
    return b"".join(record(0x01, struct.pack(">Q", id) + text) for id, text in texts) + loaded


def class_dump(id: int = NODE) -> bytes:
    fields = struct.pack(">QBQB", 2, 2, 3, 10)
    return struct.pack(">BQI6QIHHH", 0x20, id, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 2) + fields


def node(id: int, following: int, key: int = 7) -> bytes:
    return struct.pack(">BQIQIQi", 0x21, id, 0, NODE, 12, following, key)


def array(id: int, *elements: int) -> bytes:
    return struct.pack(f">BQIIQ{len(elements)}Q", 0x22, id, 0, len(elements), NODE, *elements)


def numbers(id: int, *values: int) -> bytes:
    return struct.pack(f">BQIIB{len(values)}i", 0x23, id, 0, len(values), 10, *values)


def root(id: int) -> bytes:
    return struct.pack(">BQ", 0x05, id)


STRING_CLASS, CHARS, BYTES = 16, 5, 8
"""The class of `string_dump`; types of elements."""


def string_dump(fields: tuple[tuple[str, int], ...], *objects: bytes) -> bytes:
    """A dump of Strings with such fields: name and type."""
    texts = [record(0x01, struct.pack(">Q", 1) + b"java/lang/String")]
    texts += [record(0x01, struct.pack(">Q", 2 + place) + name.encode()) for place, (name, _) in enumerate(fields)]
    loaded = record(0x02, struct.pack(">IQIQ", 1, STRING_CLASS, 0, 1))
    declared = struct.pack(">BQI6QIHHH", 0x20, STRING_CLASS, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, len(fields))
    declared += b"".join(struct.pack(">QB", 2 + place, type) for place, (_, type) in enumerate(fields))
    return header() + b"".join(texts) + loaded + record(0x1C, declared + b"".join(objects) + root(32)) + record(0x2C)


def string(id: int, values: bytes) -> bytes:
    return struct.pack(">BQIQI", 0x21, id, 0, STRING_CLASS, len(values)) + values


def text_array(id: int, type: int, data: bytes) -> bytes:
    width = 2 if type == CHARS else 1
    return struct.pack(">BQIIB", 0x23, id, 0, len(data) // width, type) + data


COMPACT = (("hash", 10), ("value", 2), ("coder", 8))
OLD = (("value", 2), ("offset", 10), ("count", 10))


def compact(id: int, value: int, coder: int) -> bytes:
    return string(id, struct.pack(">iQb", 0, value, coder))


def old(id: int, value: int, offset: int, count: int) -> bytes:
    return string(id, struct.pack(">Qii", value, offset, count))


def read_plainly(data: bytes) -> DumpFile:
    """A file, by plain code."""
    read = reader(data)
    file = DumpFile(read, len(data), PlainSteps(read))
    file.read()
    return file


class Built:
    """A file read by plain code or by kernels, and all steps after that."""

    def __init__(self, data: bytes, folder: Path, by_kernels: bool) -> None:
        read = reader(data)
        self.writer: Writer | None = None
        self.steps = PlainSteps(read)
        self._descriptor = -1
        if by_kernels:
            path = folder / "dump"
            path.write_bytes(data)
            self._descriptor = os.open(path, os.O_RDONLY)
            self.writer = Writer(str(folder), "dump", Identity(0, 0, 0, 0, ""))
            self.steps = KernelSteps(read, PlainFile(self._descriptor), self.writer, lambda share: None, len(data))
        self.file = DumpFile(read, len(data), self.steps)
        self.file.read()
        assert self.file.heap is not None
        self.heap = self.file.heap
        self.measured = MeasuredHeap(
            self.heap, self.file.profile, self.file.version, read, self.steps.addresses(self.heap)
        )

    def close(self) -> None:
        if self.writer is not None:
            self.writer.abandon()
            os.close(self._descriptor)
