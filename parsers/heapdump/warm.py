"""Compiles or loads the heap dump kernels that text dumps need, too."""

from __future__ import annotations

import numpy as np

from parsers.kernels.compiled import compiled


def warm() -> None:
    """Calls every kernel once."""
    from parsers.heapdump.paths.reachability import find_shortest_paths, find_steps
    from parsers.heapdump.tables import class_kernel
    from parsers.heapdump.tables.class_sums import fixed
    from parsers.heapdump.tables.sum_rows import SUMS

    one, two, none = np.zeros(1, np.uint32), np.zeros(2, np.uint32), np.empty(0, np.uint32)
    compiled(find_shortest_paths)(two, none, np.empty(0, np.uint8), one, one.copy(), none, one.copy(), one.copy(), 0)
    compiled(find_steps)(one, 0, two, none, one.copy())
    objects, zero = (fixed(one), fixed(np.zeros(1, np.uint8)), 0), np.zeros(1, np.int64)
    sums, buckets = np.zeros((SUMS, 1), np.int64), np.zeros((2, 1), np.int64)
    class_kernel.measure(*objects, fixed(one), fixed(one), zero, 16, one.copy(), sums)
    class_kernel.add_garbage(*objects, fixed(one), fixed(one), sums)
    class_kernel.count(*objects, fixed(one), buckets, zero.copy())
    class_kernel.place(*objects, fixed(one), buckets, zero.copy(), 0, one.copy())
