"""Packed reports as a stream of plain bytes: gzip, xz and zstd, recognised by their first bytes.

Memory stays small for any archive: input and output are processed in blocks. A truncated or damaged archive gives the
readable part; `Unpacking.damage` describes the damage afterwards.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from parsers.io.archives.contents import ArchiveContents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 1 << 20
"""Bytes read or returned at a time."""

STEP = 16 << 10
"""Bytes unpacked at a time: damage loses at most that many bytes before it."""

WINDOW = 16 << 10
"""Packed bytes passed to a decompressor at a time: it copies unused input, for each member again."""

SMALL = 256
"""Minimum packed bytes of members of real archives, except for a few empty files that were appended."""

MOST_SMALL = 20_000
"""Maximum number of members smaller than that: zstd needs 40 microseconds to start one; an empty one has 9 bytes."""

XZ_MEMORY = 512 << 20
"""Memory limit for an xz archive; `xz -9` needs 65 MB."""

SUFFIXES = (".gz", ".xz", ".zst")

_MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{bytes((first, 0x2A, 0x4D, 0x18)): "zstd" for first in range(0x50, 0x60)},
}
"""First bytes of members. For zstd also those of skippable frames, with notes instead of content: `pzstd` begins with
one, files with random access end with one. Source: RFC 8878, section 3.1.2."""


def packing(head: bytes) -> str | None:
    """The packing format of a file with these first bytes: "gzip", "xz", "zstd" or None."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def without_suffix(name: str) -> str:
    """A file name without `.gz`, `.xz` or `.zst`."""
    stem, dot, suffix = name.rpartition(".")
    return stem if stem and dot + suffix.lower() in SUFFIXES else name


class Unpacking:
    """One pass over an archive.

    read  returns the next bytes of the archive, at most as many as requested; empty at its end
    """

    contents = ArchiveContents()

    def __init__(self, kind: str, read: Callable[[int], bytes]) -> None:
        self._kind = kind
        self._read = read
        self._block = memoryview(b"")
        """Bytes read but not processed."""
        self.taken = 0
        """Bytes of the archive read so far."""
        self.given = 0
        """Plain bytes returned so far."""
        self.damage: str | None = None
        """Damage of the archive; final after the last block."""

    def blocks(self, most: int = BLOCK) -> Iterator[bytes]:
        """Yields the plain bytes of all members, in blocks of at most `most`."""
        data: bytes | memoryview = self._take()
        small = 0
        while data and self.damage is None:
            if self.given and packing(bytes(data[:16])) != self._kind:
                # Tapes and some tools pad with zeros; anything else is skipped and reported.
                if self._holds_more(data):
                    self.damage = f"bytes that are no {self._kind} follow the archive"
                return
            if small > MOST_SMALL:
                self.damage = (
                    f"the {self._kind} archive has more than {MOST_SMALL:,} members of less than {SMALL} bytes: what "
                    f"follows byte {self._at - len(data):,} of the file is not read"
                )
                return
            start = self._at - len(data)
            member, failures = _decompressor(self._kind)
            ready: list[bytes] = []
            while not member.eof and self.damage is None:
                try:
                    piece = member.decompress(data, min(STEP, most))
                except failures as error:
                    self.damage = f"the {self._kind} archive is damaged ({_reason(error)})"
                    break
                data = b""
                if piece:
                    ready.append(piece)
                if len(ready) * STEP >= most:
                    yield self._give(ready)
                if member.needs_input and not member.eof:
                    data = self._take()
                    if not data:
                        self.damage = f"the {self._kind} archive ends early"
            if ready:
                yield self._give(ready)
            data = member.unused_data
            small += self._at - len(data) - start < SMALL
            data = data or self._take()
            while data and len(data) < 16 and (more := self._take()):
                data = bytes(data) + more

    def _holds_more(self, data: bytes | memoryview) -> bool:
        """True if anything but zeros is left."""
        while data and not bytes(data).strip(b"\0"):
            data = self._take()
        return bool(data)

    def _give(self, ready: list[bytes]) -> bytes:
        block = b"".join(ready)
        ready.clear()
        self.given += len(block)
        return block

    @property
    def _at(self) -> int:
        """Offset in the archive after the bytes processed so far."""
        return self.taken - len(self._block)

    def _take(self) -> memoryview:
        """The next few bytes; empty at the end."""
        if not self._block:
            self._block = memoryview(self._read(BLOCK))
            self.taken += len(self._block)
        data, self._block = self._block[:WINDOW], self._block[WINDOW:]
        return data


class _Decompressor(Protocol):
    """Common interface of the decompressors of `lzma` and `zstd`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes: ...


class _Gzip:
    """One gzip member, with the interface of the other decompressors."""

    def __init__(self) -> None:
        import zlib

        self._zlib = zlib.decompressobj(wbits=31)
        self._is_full = False

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        # After a full block zlib may still have output although it has consumed all input.
        return not self._zlib.unconsumed_tail and not self._is_full

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes:
        block = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self._is_full = len(block) == max_length
        return block


def _decompressor(kind: str) -> tuple[_Decompressor, tuple[type[Exception], ...]]:
    """Returns a decompressor of one member, and the errors that it raises on damage."""
    if kind == "gzip":
        import zlib

        return _Gzip(), (zlib.error, EOFError)
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY), (lzma.LZMAError, EOFError)
    zstd = _zstd()
    return zstd.ZstdDecompressor(), (zstd.ZstdError, EOFError)


@cache
def _zstd() -> Any:
    """The zstd module: part of Python from 3.14 on, with the same interface as the backport."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).lower() or type(error).__name__
