"""The documents in the plain bytes of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from parsers.io.source import Source


class DocumentPart(NamedTuple):
    """A range of the plain bytes that is a document: the file, or an entry of a zip."""

    member: str | None
    start: int
    end: int
    encoding: str | None = None
    """The encoding in which it is stored, if the plain bytes are in another one: UTF-8."""


def parts_of(source: Source) -> list[DocumentPart]:
    """Returns all parts, in order; together they are the plain bytes."""
    members = source.contents.members
    if not members:
        return [DocumentPart(None, 0, source.size)]
    return [DocumentPart(each.name or None, each.start, each.start + each.size, each.encoding) for each in members]
