"""How glibc gives the indexer memory: it keeps large amounts of what was freed, unless it is told not to.

Arrays from 256 KiB on are mapped, so they are given back when they go; all threads take theirs from one place. For the
tables of a log of 450 MB that is 50 MB less. Elsewhere than on glibc nothing is done.

Source: mallopt(3).
"""

from __future__ import annotations

import contextlib

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8


def keep_much() -> None:
    """Has arrays of up to 32 MB made of what others gave back: pages that were used before need not be found again.

    For work that makes many of them, one after the other.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, (1 << 31) - 1)


def keep_little() -> None:
    """To be called before threads are started."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 1 << 18)
        mallopt(M_ARENA_MAX, 1)
