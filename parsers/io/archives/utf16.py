"""Conversion of UTF-16 text to UTF-8, in pieces, so that parsers read one encoding."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

from parsers.io.archives.contents import ArchiveContents, ArchiveMember
from parsers.io.archives.unpack import BLOCK

_MARKS = {b"\xff\xfe<\0": "utf-16-le", b"\xfe\xff\0<": "utf-16-be"}
"""First bytes of XML in UTF-16: a byte order mark and a `<`."""
ENCODING = "UTF-16"


def byte_order(head: bytes) -> str | None:
    """Python's name of the encoding of a file with these first bytes, if it is XML in UTF-16."""
    return _MARKS.get(head[:4])


def as_utf_8(blocks: Iterable[bytes], codec: str) -> Iterator[bytes]:
    """Yields UTF-16 bytes converted to UTF-8, without byte order mark; invalid characters are replaced."""
    decoder = codecs.getincrementaldecoder(codec)("replace")
    is_first = True
    for block in blocks:
        text = decoder.decode(block)
        if is_first and text:
            text, is_first = text.removeprefix("\ufeff"), False
        if text:
            yield text.encode()
    rest = decoder.decode(b"", True)
    if rest:
        yield rest.encode()


class Transcoding:
    """One pass over a file in UTF-16, with the interface of `parsers.io.archives.unpack.Unpacking`."""

    damage: str | None = None
    """Always None: invalid characters don't end the text."""

    def __init__(self, codec: str, read: Callable[[int], bytes]) -> None:
        self._codec = codec
        self._read = read
        self.taken = 0
        self.given = 0

    @property
    def contents(self) -> ArchiveContents:
        """The file and its encoding."""
        return ArchiveContents((ArchiveMember("", 0, self.given, ENCODING),))

    def blocks(self, most: int = BLOCK) -> Iterator[bytes]:
        """Yields the text in UTF-8, in blocks of at most `most` bytes."""
        # A unit of two bytes becomes three at most.
        for block in as_utf_8(self._pieces(max(most // 2, 2)), self._codec):
            for start in range(0, len(block), most):
                piece = block[start : start + most]
                self.given += len(piece)
                yield piece

    def _pieces(self, size: int) -> Iterator[bytes]:
        while data := self._read(size):
            self.taken += len(data)
            yield data
