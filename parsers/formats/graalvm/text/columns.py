"""Columns of an index in their stored form, for builds with plain Python and with kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U16Array, U32Array

BLOCK = 64
"""Rows of a block: it stores their lowest depth, and offsets relative to its first row."""
LARGE = 0xFF
"""Subtrees with at least this many descendants are listed; in most files a few rows in a hundred have one."""
PIECE = 1 << 16
"""Rows processed together: few enough to stay in a processor's caches."""

ROWS = {"offset_delta": "u2", "depth": "u2", "kind": "u1", "below": "u1", "vertex": "u4"}
"""Types of the arrays with an entry for each row."""
LISTS = {
    "gap_row": "u4",
    "gap_lines": "u8",
    "continued_row": "u4",
    "continued_lines": "u4",
    "far_row": "u4",
    "far_offset": "u8",
    "listed_row": "u4",
    "listed_end": "u4",
}
"""Types of the arrays about some rows."""
COLUMNS = {**ROWS, "offset_base": "u8", **LISTS}
"""Arrays that readers may use while the index grows."""


def small_numbers(distances: U32Array) -> U16Array | U32Array:
    """Distances as uint16, 65,535 for none, if they fit; else unchanged, uint32."""
    known = distances[distances != NONE]
    if len(known) and known.max() >= 0xFFFF:
        return distances
    return np.minimum(distances, 0xFFFF).astype(np.uint16)


def lowest_depths(depths: U16Array) -> U16Array:
    """Returns the lowest depth of each block of rows: uint16."""
    whole = len(depths) // BLOCK * BLOCK
    lows = depths[:whole].reshape(-1, BLOCK).min(axis=1) if whole else np.empty(0, np.uint16)
    return np.append(lows, depths[whole:].min()) if whole < len(depths) else np.asarray(lows)


def rows_below(ends: U32Array, first: int = 0) -> tuple[U8Array, I64Array]:
    """Number of descendants of each row (uint8, LARGE: that many or more), and the places in `ends` of the LARGE ones.

    ends: uint32, the first row after each subtree, NONE where it is open; first: row number of `ends[0]`
    """
    below = ends - np.arange(first + 1, first + len(ends) + 1, dtype=np.uint32)
    return np.minimum(below, LARGE).astype(np.uint8), np.flatnonzero(below >= LARGE)


def ends_of_rows(rows: AnyArray, below: U8Array, listed: U32Array, listed_ends: U32Array) -> I64Array:
    """Returns the ends of the subtrees of some rows: int64.

    below  their numbers of descendants; those that are LARGE are in `listed`, with their ends in `listed_ends`
    """
    ends: I64Array = rows.astype(np.int64) + 1 + below
    large = np.flatnonzero(below == LARGE)
    ends[large] = listed_ends[np.searchsorted(listed, rows[large])]
    return ends


def _vertices_between(ids: I64Array) -> U32Array | None:
    """Vertices without id, if the others have consecutive ids, as in a whole report; else None."""
    without, count = [np.zeros(0, np.uint32)], 0
    for start in range(0, len(ids), PIECE):
        piece = ids[start : start + PIECE]
        known = piece[piece >= 0]
        if not np.array_equal(known, np.arange(count, count + len(known))):
            return None
        count += len(known)
        without.append((np.flatnonzero(piece < 0) + start).astype(np.uint32))
    return np.concatenate(without)


def id_columns(ids: I64Array) -> dict[str, AnyArray]:
    """Columns that map ids to vertices and back. ids: int64 by vertex, -1 without.

    idless    uint32: vertices without id, if the others have ids 0, 1, 2 … and are many; else
    vertex_id  uint32 by vertex (NONE without id), or int64 (-1 without) if there are larger ones
    id_vertex  uint32 by id (NONE: not seen), if the ids are dense; else
    id_order  uint32: vertices with an id, sorted by id
    """
    idless = _vertices_between(ids)
    if idless is not None and 4 * len(idless) <= len(ids):
        return {"idless": idless}
    highest = int(ids.max(initial=-1))
    columns: dict[str, AnyArray] = {"vertex_id": ids}
    if highest < NONE:
        columns["vertex_id"] = ids.astype(np.uint32)
    known = ids >= 0
    if highest < 4 * np.count_nonzero(known) + 1024:
        columns["id_vertex"] = table = np.full(highest + 1, NONE, np.uint32)
        for start in range(0, len(ids), PIECE):
            with_id = np.flatnonzero(known[start : start + PIECE]) + start
            table[ids[with_id]] = with_id
    else:
        has_id = np.flatnonzero(known)
        columns["id_order"] = has_id[np.argsort(ids[has_id], kind="stable")].astype(np.uint32)
    return columns
