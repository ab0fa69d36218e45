"""The interface of index builds to the process that runs them."""

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
    """The file has changed since it was opened."""


class IndexBuild(Protocol):
    """The build of one report's index."""

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        ...

    def abandon(self) -> None:
        """Removes everything that was written."""
        ...


MakeBuild = Callable[["SourceGroup", str, str, Tell, str], IndexBuild]
"""Function of the files, index folder (existing and locked), format, progress callback, and folder of kernels."""
