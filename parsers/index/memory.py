"""How glibc gives the indexer memory: it keeps large amounts of what was freed, unless it is told not to.

Arrays from 256 KiB on are mapped, so they are given back when they go; all threads take theirs from one place. For the
tables of a log of 450 MB that is 50 MB less. Elsewhere than on glibc nothing is done.

Source: mallopt(3).
"""

from __future__ import annotations

import contextlib

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8


def keep_little() -> None:
    """To be called before threads are started."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 1 << 18)
        mallopt(M_ARENA_MAX, 1)
