"""Twice the bytes of a recording are twice the work, whatever is in it: counted, not timed."""

from __future__ import annotations

from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work, work_of_index
from tiny_recordings import CHUNKS, EVENTS, TYPES, tiny_recording

from parsers.formats.jfr.build import RecordingBuild
from parsers.io.cache import Cache

SIZE = 3_000
MANY = 24_000
"""Bytes of a file of chunks: enough that reading to the end of the file for each of them is most of the work."""


def work_of(kind: str, size: int, folder: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> int:
    """The work of an index of so many bytes of tiny parts, with the bytes that are read."""
    work = Work(is_counted=size >= SIZE)
    with monkeypatch.context() as patch:
        work.count_bytes(RecordingBuild, "_pread", patch)
        files = {"recording.jfr": tiny_recording(kind, size)}
        return work_of_index(RecordingBuild, files, folder / str(size), "jfr", work, cache)


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("kind", [*EVENTS, *TYPES])
def test_twice_the_bytes_of_a_chunk_are_twice_the_work(
    kind: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(RecordingBuild, "small", 0 if by_kernels else 1 << 40)
    # One-time work, such as imports, is done before.
    _, once, twice = (work_of(kind, size, tmp_path, monkeypatch, cache) for size in (1000, SIZE, 2 * SIZE))
    assert twice <= MOST_GROWTH * once


@pytest.mark.parametrize("kind", CHUNKS)
def test_twice_the_chunks_are_twice_the_work(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(RecordingBuild, "small", 0)
    _, once, twice = (work_of(kind, size, tmp_path, monkeypatch, cache) for size in (1000, MANY, 2 * MANY))
    assert twice <= MOST_GROWTH * once
