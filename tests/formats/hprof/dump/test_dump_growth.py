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
from parsers.formats.hprof.dump.records.parts import DumpParts
from parsers.index.build import FileBuild
from parsers.io.cache import Cache

SIZE = 3_000


def work_of(kind: str, size: int, folder: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache) -> int:
    """The work of an index of so many bytes of tiny records."""
    work, make = Work(), ProfileBuild if kind in TEXTS else DumpBuild
    with monkeypatch.context() as patch:
        for name in ("pread", "read_into"):
            work.count_bytes(DumpParts, name, patch)
        return work_of_index(make, {"profile": tiny_records(kind, size)}, folder / str(size), "hprof", work, cache)


@pytest.fixture(scope="module", autouse=True)
def _is_warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Does one-time work, such as imports, before any is counted."""
    for small in (0, 1 << 40):
        for kinds in (RECORDS, SUB_RECORDS, TEXTS):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(FileBuild, "small", small)
                work_of(next(iter(kinds)), 100, tmp_path_factory.mktemp("warm"), patch, Cache(keep=False))


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("kind", [*RECORDS, *SUB_RECORDS, *TEXTS])
def test_twice_the_bytes_are_twice_the_work(
    kind: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(FileBuild, "small", 0 if by_kernels else 1 << 40)
    once, twice = (work_of(kind, size, tmp_path, monkeypatch, cache) for size in (SIZE, 2 * SIZE))
    assert twice <= MOST_GROWTH * once
