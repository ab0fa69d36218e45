"""Contents of a file that consists of several files, or of text in another encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Place = Callable[[bytes, str], float | None]
"""Position of a member of a zip archive among the others, from its first bytes and its name; None: it is omitted."""


class ArchiveMember(NamedTuple):
    """One of the files that the plain bytes consist of."""

    name: str
    """Empty: the file itself."""
    start: int
    """Its offset in the plain bytes."""
    size: int
    encoding: str | None
    """The encoding in which it is stored, if not that of the plain bytes: UTF-8."""


class ArchiveContents(NamedTuple):
    """The contents of a file, as far as known."""

    members: tuple[ArchiveMember, ...] = ()
    """The members in the plain bytes; empty for a simple file."""
    passed_by: tuple[str, ...] = ()
    """Names of other files in it, which are skipped."""

    @classmethod
    def read(cls, written: Any) -> ArchiveContents:
        """Builds it from its JSON form."""
        return cls(tuple(ArchiveMember(*each) for each in written[0]), tuple(written[1]))
