"""Identity of a file on disk: an index is used only while the identity of its file is the same."""

from __future__ import annotations

import os
from collections.abc import Sequence

from parsers.io.digest import blake2b
from parsers.model.value import value_class

HEAD = 64 << 10
"""Bytes of each end of a file that its digest covers; of plain files the first ones are `Source.head`."""


@value_class
class Identity:
    """The properties that identify a file on disk: an index of it is valid only while all of them are the same."""

    size: int
    mtime_ns: int
    device: int
    inode: int
    digest: str
    """BLAKE2b of its first and last 64 KB, as hexadecimal digits."""

    @property
    def key(self) -> str:
        """A short hash of all fields, usable as the name of a folder."""
        text = f"{self.size} {self.mtime_ns} {self.device} {self.inode} {self.digest}"
        return blake2b(text.encode(), digest_size=16).hexdigest()


def identify_file(path: str) -> Identity:
    """The identity of the file at this path. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return identify(descriptor)
    finally:
        os.close(descriptor)


def identity_of_all(known: Sequence[Identity]) -> Identity:
    """The identity of several files together, in order; of one file its own."""
    if len(known) == 1:
        return known[0]
    first, newest = known[0], max(each.mtime_ns for each in known)
    size = sum(each.size for each in known)
    return Identity(size, newest, first.device, first.inode, digest_of(*(each.key.encode() for each in known)))


def digest_of(*parts: bytes) -> str:
    """BLAKE2b of some bytes, as hexadecimal digits."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def identify(descriptor: int, end: int | None = None) -> Identity:
    """The current identity of an open file.

    end  for a file that is still being written: only bytes before this offset count, and no time
    """
    status = os.fstat(descriptor)
    size, mtime_ns = (status.st_size, status.st_mtime_ns) if end is None else (end, 0)
    head = os.pread(descriptor, min(HEAD, size) if end is not None else HEAD, 0)
    start = max(0, size - HEAD)
    tail = os.pread(descriptor, HEAD if end is None else size - start, start)
    return Identity(size, mtime_ns, status.st_dev, status.st_ino, digest_of(head, tail))
