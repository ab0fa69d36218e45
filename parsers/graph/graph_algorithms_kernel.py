"""The functions of `graph_algorithms`, compiled. Importing this module imports numba."""

from __future__ import annotations

from parsers.graph import graph_algorithms as loops
from parsers.kernels.decorators import kernel

find_owners = kernel(loops.find_owners)
count_owned = kernel(loops.count_owned)
put_owned = kernel(loops.put_owned)
turn = kernel(loops.turn)
search = kernel(loops.search)
merge = kernel(loops.merge)
hold_groups = kernel(loops.hold_groups)
place_rows = kernel(loops.place_rows)
find_depths = kernel(loops.find_depths)
