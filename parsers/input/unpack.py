"""Packed reports as a stream of plain bytes: gzip, xz and zstd, recognised by their first bytes.

Memory stays small whatever the archive says: input comes in blocks, output leaves in blocks. An archive that ends early
or is damaged gives what could be read; what was wrong stands in `Unpacking.trouble` afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from parsers.input.contents import Contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 1 << 20
"""Bytes that are read or given at a time."""

STEP = 16 << 10
"""Bytes unpacked at a time: what damage takes with it of the bytes before it."""

XZ_MEMORY = 512 << 20
"""Memory that an xz archive may ask for; `xz -9` asks for 65 MB."""

SUFFIXES = (".gz", ".xz", ".zst")

_MAGIC = {b"\x1f\x8b\x08": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def packing(head: bytes) -> str | None:
    """How these first bytes say a file is packed: "gzip", "xz", "zstd" or None."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def without_suffix(name: str) -> str:
    """A file name without `.gz`, `.xz` or `.zst`."""
    stem, dot, suffix = name.rpartition(".")
    return stem if stem and dot + suffix.lower() in SUFFIXES else name


class Unpacking:
    """One pass over an archive.

    read  gives the next bytes of the archive, at most as many as asked for; empty at its end
    """

    contents = Contents()

    def __init__(self, kind: str, read: Callable[[int], bytes]) -> None:
        self._kind = kind
        self._read = read
        self.taken = 0
        """Bytes of the archive read so far."""
        self.given = 0
        """Plain bytes given so far."""
        self.trouble: str | None = None
        """What was wrong with the archive, once the blocks have come to their end."""

    def blocks(self, most: int = BLOCK) -> Iterator[bytes]:
        """The plain bytes, in blocks of at most `most`. Archives of several members give them all."""
        data = self._take()
        while data and self.trouble is None:
            if self.given and packing(data[:16]) != self._kind:
                # Tapes and some tools fill up with zeros; anything else is lost, and said.
                if data.strip(b"\0"):
                    self.trouble = f"bytes that are no {self._kind} follow the archive"
                return
            member, failures = _decompressor(self._kind)
            ready: list[bytes] = []
            while not member.eof and self.trouble is None:
                try:
                    ready.append(member.decompress(data, min(STEP, most)))
                except failures as error:
                    self.trouble = f"the {self._kind} archive is damaged ({_reason(error)})"
                    break
                data = b""
                if len(ready) * STEP >= most:
                    yield self._give(ready)
                if member.needs_input and not member.eof:
                    data = self._take()
                    if not data:
                        self.trouble = f"the {self._kind} archive ends early"
            if any(ready):
                yield self._give(ready)
            data = member.unused_data or self._take()
            while data and len(data) < 16 and (more := self._take()):
                data += more

    def _give(self, ready: list[bytes]) -> bytes:
        block = b"".join(ready)
        ready.clear()
        self.given += len(block)
        return block

    def _take(self) -> bytes:
        data = self._read(BLOCK)
        self.taken += len(data)
        return data


class _Decompressor(Protocol):
    """What the decompressors of `lzma` and `zstd` have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """One gzip member, with the shape of the other decompressors."""

    def __init__(self) -> None:
        import zlib

        self._zlib = zlib.decompressobj(wbits=31)
        self._is_full = False

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        # After a full block zlib may still hold bytes although it has consumed all input.
        return not self._zlib.unconsumed_tail and not self._is_full

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        block = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self._is_full = len(block) == max_length
        return block


def _decompressor(kind: str) -> tuple[_Decompressor, tuple[type[Exception], ...]]:
    """A decompressor of one member, and the errors that damage makes it raise."""
    if kind == "gzip":
        import zlib

        return _Gzip(), (zlib.error, EOFError)
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY), (lzma.LZMAError, EOFError)
    zstd = _zstd()
    return zstd.ZstdDecompressor(), (zstd.ZstdError, EOFError)


def _zstd() -> Any:
    """The zstd module: Python has its own from 3.14 on, of the same shape as the backport."""
    from importlib import import_module

    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).lower() or type(error).__name__
