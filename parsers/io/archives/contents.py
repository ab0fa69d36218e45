"""What a file holds that is several files in one, or text in another encoding."""

from __future__ import annotations

from typing import Any, NamedTuple


class Member(NamedTuple):
    """A file of several that make up the plain bytes."""

    name: str
    """Empty: it is the file itself."""
    start: int
    """Where in them it begins."""
    size: int
    encoding: str | None
    """The one it is stored in, if that isn't the one of the plain bytes: UTF-8."""


class Contents(NamedTuple):
    """What a file holds, where that is told."""

    members: tuple[Member, ...] = ()
    """All plain bytes; none where the file is but one."""
    passed_by: tuple[str, ...] = ()
    """Names of files in it that are something else."""

    @classmethod
    def read(cls, written: Any) -> Contents:
        """As JSON gives it back."""
        return cls(tuple(Member(*each) for each in written[0]), tuple(written[1]))
