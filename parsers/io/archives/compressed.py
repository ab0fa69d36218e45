"""Files whose contents must be converted to plain bytes: packed, several in one, in another encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from parsers.io.archives.unpack import Unpacking, packing

if TYPE_CHECKING:
    from parsers.io.archives.contents import ArchiveContents, Place
    from parsers.io.archives.zip_entries import Read

ZIP = "zip"
UTF_16 = "UTF-16"
ZIP_BEGINNING = b"PK\x03\x04"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Unpacks(Protocol):
    """One pass over such a file, see `Unpacking`."""

    taken: int
    given: int

    @property
    def damage(self) -> str | None:
        """Damage of the file; final after the last block."""
        ...

    @property
    def contents(self) -> ArchiveContents:
        """Contents of the file; final after the last block."""
        ...

    def blocks(self, most: int = ...) -> Iterator[bytes]:
        """Yields the plain bytes, in blocks of at most `most`."""
        ...


def kind_of(head: bytes) -> str | None:
    """The packing format of a file with these first bytes; None: it is not packed."""
    if head.startswith(ZIP_BEGINNING):
        return ZIP
    if head.startswith(_UTF_16_MARKS):
        from parsers.io.archives.utf16 import byte_order

        return UTF_16 if byte_order(head) is not None else None
    return packing(head)


def unpacking_of(kind: str, read: Read, size: int, place: Place | None = None) -> Unpacks | None:
    """A pass over a file of that kind and size; None: it contains nothing readable.

    place  order of the members of a zip archive; None: zip archives are not opened
    """
    if kind == ZIP:
        if place is None:
            return None
        from parsers.io.archives.zip_unpack import ZipUnpacking

        zipped = ZipUnpacking(read, size, place)
        return zipped if zipped.has_members else None
    following = _in_order(read)
    if kind == UTF_16:
        from parsers.io.archives.utf16 import Transcoding, byte_order

        return Transcoding(byte_order(read(4, 0)) or "utf-16-le", following)
    return Unpacking(kind, following)


def _in_order(read: Read) -> Callable[[int], bytes]:
    """Returns a function that reads from the start without moving a file position that others may share."""
    offset = 0

    def following(count: int) -> bytes:
        nonlocal offset
        data = read(count, offset)
        offset += len(data)
        return data

    return following
