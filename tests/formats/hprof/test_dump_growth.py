"""Twice the bytes of a profile or a heap dump are twice the work, whatever is in it: counted, not timed.

Work is the lines of Python that are executed, and the bytes that are read of the file.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tiny_records import RECORDS, SUB_RECORDS, TEXTS, tiny_records

import parsers
from parsers.formats.hprof.build import ProfileBuild
from parsers.formats.hprof.dump.index.build import DumpBuild
from parsers.formats.hprof.dump.read.parts import DumpParts
from parsers.index.build import FileBuild
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.kernels.groups import prepare

SIZE = 3_000
MOST_GROWTH = 2.5
PARSERS = str(Path(parsers.__file__).parent)
READ_PER_LINE = 16
"""Bytes read that count as one line executed."""


class Work:
    """Counts the work done in its context."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        for name in ("pread", "read_into"):
            self._count_bytes(name, monkeypatch)

    def _count_bytes(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        read = getattr(DumpParts, name)

        def counted(parts: DumpParts, where: Any, offset: int) -> Any:
            found = read(parts, where, offset)
            self.done += (found if isinstance(found, int) else len(found)) // READ_PER_LINE
            return found

        monkeypatch.setattr(DumpParts, name, counted)

    def _lines(self, frame: FrameType, event: str, argument: object) -> Any:
        self.done += event == "line"
        return self._lines

    def _calls(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._lines if frame.f_code.co_filename.startswith(PARSERS) else None

    def __enter__(self) -> Work:
        self.done = 0
        self._before = sys.gettrace()
        threading.settrace(self._calls)
        sys.settrace(self._calls)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)
        threading.settrace(self._before)  # type: ignore[arg-type]  # None: none


def index(make: type[ProfileBuild], data: bytes, folder: Path, work: Work, cache: Cache) -> int:
    """Builds the index of a file; how much work that is."""
    folder.mkdir()
    path = folder / "profile"
    path.write_bytes(data)
    source = SourceGroup([open_source(str(path), cache)])
    source.unpack()
    (folder / "index").mkdir()
    building = make(source, str(folder / "index"), "hprof", lambda news: None, prepare())
    with work:
        building.run()
    source.close()
    return work.done


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("kind", [*RECORDS, *SUB_RECORDS, *TEXTS])
def test_twice_the_bytes_are_twice_the_work(
    kind: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    monkeypatch.setattr(FileBuild, "small", 0 if by_kernels else 1 << 40)
    work, make = Work(monkeypatch), ProfileBuild if kind in TEXTS else DumpBuild
    # One-time work, such as imports, is done before.
    index(make, tiny_records(kind, 100), tmp_path / "first", work, cache)
    once = index(make, tiny_records(kind, SIZE), tmp_path / "once", work, cache)
    twice = index(make, tiny_records(kind, 2 * SIZE), tmp_path / "twice", work, cache)
    assert twice <= MOST_GROWTH * once
