"""UTF-16 text as UTF-8, in pieces: what reads reports reads one kind of bytes."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

from parsers.io.archives.contents import Contents, Member
from parsers.io.archives.unpack import BLOCK

_MARKS = {b"\xff\xfe<\0": "utf-16-le", b"\xfe\xff\0<": "utf-16-be"}
"""How XML in UTF-16 begins: a byte order mark and a `<`."""
ENCODING = "UTF-16"


def byte_order(head: bytes) -> str | None:
    """Python's name of the encoding of a file that begins so, if it is XML in UTF-16."""
    return _MARKS.get(head[:4])


def as_utf_8(blocks: Iterable[bytes], codec: str) -> Iterator[bytes]:
    """The text of some bytes, without its byte order mark, in UTF-8; what is no character is replaced."""
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
    """One pass over a file in UTF-16, with the shape of `parsers.io.archives.unpack.Unpacking`."""

    trouble: str | None = None
    """What was wrong: nothing that ends it."""

    def __init__(self, codec: str, read: Callable[[int], bytes]) -> None:
        self._codec = codec
        self._read = read
        self.taken = 0
        self.given = 0

    @property
    def contents(self) -> Contents:
        """The file, and in which encoding it is."""
        return Contents((Member("", 0, self.given, ENCODING),))

    def blocks(self, most: int = BLOCK) -> Iterator[bytes]:
        """The text in UTF-8, in blocks of at most `most` bytes."""
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
