"""What an index build is to the process that runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.index.store import Header
    from parsers.io.group import SourceGroup

SMALL = 6 << 20
"""Files up to this size are read by plain code: a third of a second."""
AGAIN = "building-again"
"""Folder of the arrays that kernels write after plain code has begun."""

Tell = Callable[[Mapping[str, Any]], None]


class ChangedReport(Exception):
    """The file is not any more what it was when it was opened."""


class IndexBuild(Protocol):
    """One report on its way to an index."""

    def run(self) -> Header:
        """Builds it. Raises `ChangedReport`, and `OSError` where the disk is full."""
        ...

    def abandon(self) -> None:
        """Removes all that was written."""
        ...


MakeBuild = Callable[["SourceGroup", str, str, Tell, str], IndexBuild]
"""Of the files, the index folder (which exists and is locked), the format, whom to tell news, the folder of kernels."""
