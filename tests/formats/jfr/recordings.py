"""Indexes of recordings, built in this process by either engine."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from struct import pack_into, unpack_from
from typing import Any

import numpy as np

from parsers.formats.jfr.build import RecordingBuild
from parsers.formats.jfr.data.recorded_data import RecordedData
from parsers.formats.jfr.read.chunks import HEADER_BYTES
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.loops import CHECKPOINT, number_at
from parsers.index.store import Header
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source


class PlainBuild(RecordingBuild):
    """A build by plain code."""

    @property
    def uses_kernels(self) -> bool:
        return False


class KernelBuild(RecordingBuild):
    """A build by kernels."""

    @property
    def uses_kernels(self) -> bool:
        return True


def built(
    data: bytes,
    folder: Path,
    maker: type[RecordingBuild],
    report: Callable[[Mapping[str, Any]], None] = lambda news: None,
) -> tuple[Header, Mapping[str, bytes]]:
    """Builds the index of a recording: its header, and the bytes of its arrays. report: receives progress"""
    path = folder / f"{hashlib.sha1(data).hexdigest()}.jfr"
    path.write_bytes(data)
    index = folder / maker.__name__
    index.mkdir(exist_ok=True)
    cache = Cache(str(folder / "cache"))
    source = open_source(str(path), cache)
    try:
        header = maker(SourceGroup([source]), str(index), "jfr", report).run()
    finally:
        source.close()
        cache.close()
    arrays = {name: (index / "ready" / name).read_bytes() for name, array in header.arrays.items() if array.length}
    return header, arrays


def thinned(data: bytes, most: int = 300) -> bytes:
    """Returns a sound recording of one chunk with at most so many events of each type."""
    head, kept, counts, at, end = (
        bytearray(data[:HEADER_BYTES]),
        list[bytes](),
        Counter[int](),
        HEADER_BYTES,
        HEADER_BYTES,
    )
    (metadata,) = unpack_from(">q", data, 24)
    while at < len(data):
        size, behind = number_at(data, at, len(data))  # type: ignore[arg-type]
        type, _ = number_at(data, behind, len(data))  # type: ignore[arg-type]
        counts[type] += 1
        if at == metadata:
            pack_into(">q", head, 24, end)
        if type <= CHECKPOINT or counts[type] <= most:
            kept.append(data[at : at + size])
            end += size
        at += size
    pack_into(">q", head, 8, end)
    return bytes(head) + b"".join(kept)


class _Arrays:
    """The arrays of a built index."""

    def __init__(self, header: Header, arrays: Mapping[str, bytes]) -> None:
        self._header, self._arrays = header, arrays

    def view(self, name: str) -> memoryview:
        return memoryview(np.frombuffer(self._arrays.get(name, b""), self._header.arrays[name].type))


def recorded(data: bytes, folder: Path) -> RecordedData:
    """Builds the index of a recording by kernels, and returns its data."""
    found = RecordedData(lambda size, offset: data[offset : offset + size], len(data), Engine(is_plain=False))
    found.take_index(_Arrays(*built(data, folder, KernelBuild)))
    return found


def column(arrays: Mapping[str, bytes], name: str, type: str) -> Any:
    """Returns an array of an index."""
    return np.frombuffer(arrays.get(name, b""), np.dtype(type))
