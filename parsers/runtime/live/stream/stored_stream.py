"""The file of a live stream, byte for byte as received, and beside it a log of its commands and events.

Storing problems never stop reading: a JVM whose bytes are not read stops running, and one whose connection breaks
aborts. So when the disk is full the rest is read and lost, and that is reported.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

from parsers.formats.hprof.profiles.stored_steps import STEPS
from parsers.io.cache import create_private, write_all
from parsers.runtime.live.address import Address

SUFFIX = ".hprof"
RESERVED_BYTES = 64 << 20
"""Bytes of the disk that are left free: streams are also stored in the background, without a user watching."""
CHECK_EVERY = 1 << 20
"""Bytes after which the free space is tested again."""
MOST_OF_A_PROGRAM = 60
"""Maximum characters of a program's name in a file name."""
MOST_OF_A_NAME = 1000
"""Maximum number of streams that begin in the same second from the same address."""


class StoredStream:
    """One stream on disk."""

    def __init__(self, folder: str, peer: Address, program: str = "", room_left: int = RESERVED_BYTES) -> None:
        """Makes its files. If that fails, `trouble` contains the reason, and nothing is stored."""
        self.path = ""
        self.bytes = 0
        """Bytes stored."""
        self.trouble = ""
        """Reason why nothing is stored any more; empty: none."""
        self._reserved_bytes = room_left
        self._looked_at = 0
        self._output = self._steps = -1
        self._began = time.monotonic()
        try:
            self.path, self._output = _create(folder, peer, program)
            self._steps = create_private(self.path + STEPS)
        except OSError as error:
            self._fail(error)

    @property
    def seconds(self) -> float:
        """Seconds since the JVM connected."""
        return round(time.monotonic() - self._began, 3)

    def write(self, data: bytes) -> bool:
        """Stores received bytes; False: not all of them, and nothing any more."""
        if self.trouble:
            return False
        try:
            if self.bytes >= self._looked_at:
                self._looked_at = self.bytes + CHECK_EVERY
                self._check_free_space()
            write_all(self._output, data)
            self.bytes += len(data)
        except OSError as error:
            self.bytes = os.fstat(self._output).st_size
            self._fail(error)
        return not self.trouble

    def note(self, event: str, offset: int, **more: object) -> None:
        """Adds a line to the log."""
        with contextlib.suppress(OSError):
            if self._steps >= 0:
                line = {"t": self.seconds, "offset": offset, "event": event, **more}
                write_all(self._steps, json.dumps(line).encode() + b"\n")

    def close(self) -> None:
        """Closes the files."""
        for descriptor in (self._output, self._steps):
            if descriptor >= 0:
                # Some file systems report a full disk only now.
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._output = self._steps = -1

    def _check_free_space(self) -> None:
        file_system = os.fstatvfs(self._output)
        if file_system.f_bavail * file_system.f_frsize < self._reserved_bytes + CHECK_EVERY:
            raise OSError(0, f"less than {self._reserved_bytes + CHECK_EVERY >> 20:,} MB are free")

    def _fail(self, error: OSError) -> None:
        words = (error.strerror or str(error)).lower()
        self.trouble = f"{words}: nothing is stored from byte {self.bytes:,} on; the JVM is read to its end"


def make_folder(path: str) -> str:
    """The folder for streams, made for this user alone if missing. Raises `OSError`."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), 0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if not os.access(path, os.W_OK | os.X_OK) or not os.path.isdir(path):
        raise PermissionError(13, "is no folder that can be written", path)
    return os.path.abspath(path)


def _create(folder: str, peer: Address, program: str) -> tuple[str, int]:
    """A new file, named by time, program if known, and address."""
    words = [
        time.strftime("%Y-%m-%dT%H-%M-%S"),
        _word(os.path.basename(program))[-MOST_OF_A_PROGRAM:],
        _word(str(peer)),
    ]
    name = "-".join(filter(None, words))
    for number in range(MOST_OF_A_NAME):
        path = os.path.join(folder, f"{name}{f'-{number + 1}' if number else ''}{SUFFIX}")
        with contextlib.suppress(FileExistsError):
            return path, create_private(path)
    raise FileExistsError(17, "too many streams of that name", folder)


def _word(text: str) -> str:
    """A text reduced to characters allowed in a file name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._$") else "-" for c in text).strip("-.")
