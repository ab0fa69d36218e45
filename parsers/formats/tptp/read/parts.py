"""The documents that the plain bytes of a recording are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from parsers.io.source import Source


class DocumentPart(NamedTuple):
    """A stretch of the plain bytes that is a document by itself: the file, or a member of a zip."""

    member: str | None
    start: int
    end: int
    encoding: str | None = None
    """The one it is stored in, if that isn't the one of the plain bytes: UTF-8."""


def parts_of(source: Source) -> list[DocumentPart]:
    """All of them, in their order; together they are the plain bytes."""
    members = source.contents.members
    if not members:
        return [DocumentPart(None, 0, source.size)]
    return [DocumentPart(each.name or None, each.start, each.start + each.size, each.encoding) for each in members]
