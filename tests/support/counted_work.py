"""Work that is counted instead of timed: the lines of Python that are executed, and bytes that are read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import parsers
from parsers.index.build import FileBuild
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source

MOST_GROWTH = 2.5
"""Maximum growth of the work if the bytes are doubled."""
PARSERS = str(Path(parsers.__file__).parent)
READ_PER_LINE = 16
"""Bytes read that count as one line executed."""


class Work:
    """Counts the work of what is done in its context."""

    def __init__(self, is_counted: bool = True) -> None:
        """is_counted: False for work of which only what is done once, such as imports, is of use"""
        self.done, self._is_counted = 0, is_counted

    def count_bytes(self, reader: type, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Counts the bytes that a method returns, or their number if it returns that."""
        read = getattr(reader, name)

        def counted(*arguments: Any) -> Any:
            found = read(*arguments)
            self.done += (found if isinstance(found, int) else len(found)) // READ_PER_LINE
            return found

        monkeypatch.setattr(reader, name, counted)

    def __enter__(self) -> Work:
        # Functions instead of methods, and no result, which keeps the function: half the time for each line.
        def lines(frame: FrameType, event: str, argument: object) -> None:
            if event == "line":
                self.done += 1

        def calls(frame: FrameType, event: str, argument: object) -> Any:
            return lines if frame.f_code.co_filename.startswith(PARSERS) else None

        self.done = 0
        self._before = sys.gettrace()
        if self._is_counted:
            threading.settrace(calls)
            sys.settrace(calls)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)
        threading.settrace(self._before)  # type: ignore[arg-type]  # None: none


def work_of_index(
    make: type[FileBuild], files: Mapping[str, bytes], folder: Path, format: str, work: Work, cache: Cache
) -> int:
    """Builds the index of the files of one report; how much work that is."""
    (folder / "index").mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    source = SourceGroup([open_source(str(folder / name), cache) for name in files])
    source.unpack()
    building = make(source, str(folder / "index"), format, lambda news: None)
    with work:
        building.run()
    source.close()
    return work.done


def repeated(line: Callable[[int], str], size: int) -> bytes:
    """Lines by their numbers, of at least so many characters."""
    found, length = list[str](), 0
    while length < size:
        found.append(line(len(found)))
        length += len(found[-1])
    return "".join(found).encode()
