"""Removal of the files of index builders that were killed, or died of a full disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil

from parsers.index.store import BUILDING, LOCK, read_header, remove_rest
from parsers.io.cache import INDEXES, open_private


def remove_leftovers(folder: str) -> None:
    """Removes the files of an abandoned build from an index folder, except finished stages."""
    left = [entry for entry in _names(folder) if entry.startswith(BUILDING)]
    if not left:
        return
    lock = open_private(os.path.join(folder, LOCK), os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in left:
            path = os.path.join(folder, name)
            header = read_header(path)
            if header is None or header.is_finished:
                shutil.rmtree(path, ignore_errors=True)
            else:
                remove_rest(path, header)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


def clear_all(cache: str) -> None:
    """Removes what ended processes left over, for all reports of a cache folder."""
    indexes = os.path.join(cache, INDEXES)
    for name in _names(indexes):
        with contextlib.suppress(OSError):
            remove_leftovers(os.path.join(indexes, name))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
