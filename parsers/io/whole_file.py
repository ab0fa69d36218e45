"""Files that are written completely or not at all: under another name beside their place, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO


@contextmanager
def whole_file(path: str, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Opens a file for writing; it replaces the one at `path` when the block ends without an exception.

    A pipe or device is written directly. mode: permissions of a new file, as of `os.open`. Raises `OSError`.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            yield stream
        return
    unfinished = os.path.join(os.path.dirname(os.path.abspath(path)), f".coffeetree-{os.urandom(8).hex()}")
    try:
        stream = open(unfinished, "xb", opener=partial(os.open, mode=mode))  # noqa: SIM115  # closed below
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    try:
        with stream:
            yield stream
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
