"""Settings of glibc's allocator for the indexer: by default it keeps large amounts of freed memory.

Arrays from 256 KiB on are mapped, so they are returned when freed; all threads share one arena. For the tables of a log
of 450 MB that saves 50 MB. Without glibc nothing is done.

Source: mallopt(3).
"""

from __future__ import annotations

import contextlib

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8


def reuse_freed_memory() -> None:
    """Reuses freed memory for arrays of up to 32 MB: pages used before need not be allocated again.

    For work that makes many of them in succession.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, (1 << 31) - 1)


def return_freed_memory() -> None:
    """Returns freed memory to the system. To be called before threads are started."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 1 << 18)
        mallopt(M_ARENA_MAX, 1)
