"""Columns of an index in the form they are kept, whether plain Python or kernels found what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.graalvm.plain_scan import NONE

BLOCK = 64
"""Rows whose lowest depth is kept, and whose offsets are kept relative to the first of them."""


def small_numbers(distances: Any) -> Any:
    """Distances as uint16, 65,535 for none, where they are that small; else as they are, uint32."""
    known = distances[distances != NONE]
    if len(known) and known.max() >= 0xFFFF:
        return distances
    return np.minimum(distances, 0xFFFF).astype(np.uint16)


def lowest_depths(depths: Any) -> Any:
    """The lowest depth of each block of rows: uint16."""
    whole = len(depths) // BLOCK * BLOCK
    lows = depths[:whole].reshape(-1, BLOCK).min(axis=1) if whole else np.empty(0, np.uint16)
    return np.append(lows, depths[whole:].min()) if whole < len(depths) else np.asarray(lows)


def id_columns(ids: Any) -> dict[str, Any]:
    """Which thing has an id, and which id a thing has. ids: int64 by thing, -1 without.

    thing_id  uint32 by thing (NONE without id), or int64 (-1 without) if there are larger ones
    id_thing  uint32 by id (NONE: not met), if the ids are dense; else
    id_order  uint32: things with an id, by id
    """
    highest = int(ids.max(initial=-1))
    columns: dict[str, Any] = {"thing_id": ids}
    if highest < NONE:
        columns["thing_id"] = ids.astype(np.uint32)
    has_id = np.flatnonzero(ids >= 0)
    if highest < 4 * len(has_id) + 1024:
        table = np.full(highest + 1, NONE, np.uint32)
        table[ids[has_id]] = has_id
        columns["id_thing"] = table
    else:
        columns["id_order"] = has_id[np.argsort(ids[has_id], kind="stable")].astype(np.uint32)
    return columns
