"""Twice the bytes of a profile or a heap dump are twice the work, whatever is in it: counted, not timed.

Work is the lines of Python that are executed, and the bytes that are read of the file.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work, work_of_index
from tiny_records import RECORDS, SUB_RECORDS, TEXTS, tiny_records

from parsers.formats.hprof.build import ProfileBuild
from parsers.formats.hprof.dump.index.build import DumpBuild
from parsers.formats.hprof.dump.read.parts import DumpParts
from parsers.index.build import FileBuild
from parsers.io.cache import Cache

SIZE = 3_000


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("kind", [*RECORDS, *SUB_RECORDS, *TEXTS])
def test_twice_the_bytes_are_twice_the_work(
    kind: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(FileBuild, "small", 0 if by_kernels else 1 << 40)
    work, make = Work(), ProfileBuild if kind in TEXTS else DumpBuild
    for name in ("pread", "read_into"):
        work.count_bytes(DumpParts, name, monkeypatch)
    _, once, twice = (
        # One-time work, such as imports, is done before.
        work_of_index(make, {"profile": tiny_records(kind, size)}, tmp_path / str(size), "hprof", work, cache)
        for size in (100, SIZE, 2 * SIZE)
    )
    assert twice <= MOST_GROWTH * once
