"""Packs long columns by a kernel, two pieces at once: `writing.save_packed` for tens of millions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.bitpacked.columns import BLOCK, TOPS, Packing
from parsers.index.bitpacked.kernel import pack, pack_windows
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

PIECE = 1 << 18
"""Numbers of a piece: a multiple of BLOCK."""


def pack_parallel(writer: Writer, name: str, packing: Packing, numbers: AnyArray) -> None:
    """Writes a complete column, as `save_packed` does."""
    count, wide, top = len(numbers), np.dtype(packing.wide), TOPS[packing.small]
    nones = constant([] if packing.none is None else [packing.none], wide)
    apart = 0
    parts = {name: packing.small} | ({f"{name}_base": packing.wide} if packing.has_bases else {})
    for part, type in parts.items():
        writer.open(part, type)
    pipeline = OrderedPipeline()

    def worker() -> Any:
        small = np.empty(PIECE, np.dtype(packing.small))
        bases = np.zeros(PIECE // BLOCK, wide)
        rows, values = np.empty(PIECE, np.uint32), np.empty(PIECE, wide)

        def take(piece: int) -> None:
            start = piece * PIECE
            some = constant(numbers[start : start + PIECE], wide)
            if packing.has_windows:
                found = pack_windows(some, start, small, bases, top, rows, values)
            else:
                found = pack(some, start, nones, packing.has_bases, small, bases, top, rows, values)
            writer.put(name, start, small[: len(some)])
            if packing.has_bases:
                writer.put(f"{name}_base", start // BLOCK, bases[: -(-len(some) // BLOCK)])
            pipeline.wait(piece)
            nonlocal apart
            if found and not apart:
                writer.open(f"{name}_rows", "u4")
                writer.open(f"{name}_values", packing.wide)
            place, apart = apart, apart + found
            pipeline.done(piece)
            if found:
                writer.put(f"{name}_rows", place, rows[:found])
                writer.put(f"{name}_values", place, values[:found])

        return take

    pipeline.run(-(-count // PIECE), worker)
    writer.length(name, count)
    if packing.has_bases:
        writer.length(f"{name}_base", -(-count // BLOCK))
    for part, type in {f"{name}_rows": "u4", f"{name}_values": packing.wide}.items():
        if apart:
            writer.length(part, apart)
        else:
            writer.save(part, np.empty(0, np.dtype(type)))


def constant(numbers: Any, type: np.dtype[Any]) -> AnyArray:
    """Returns some numbers as an array that can't be written: writable ones are of another type to kernels."""
    array: AnyArray = np.ascontiguousarray(numbers, type).view()
    array.flags.writeable = False
    return array
