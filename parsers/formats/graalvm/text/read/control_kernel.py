"""Control characters of a piece of a text, 64 bytes at a time. Plain twin: `ObjectCounts.feed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.decorators import intrinsic, ir, part, types
from parsers.kernels.vector import VECTOR, bits_of, equal64, load_vector

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

NUL, LF, CR, SPACE, DELETE = 0, 10, 13, 32, 127
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)


@intrinsic
def controls64(typing_context: Any, data: Any, index: Any) -> Any:
    """Bit mask of the 64 bytes from a position: a bit is set if its byte is below a blank; first byte lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = load_vector(context, builder, signature.args[0], *arguments)
        limit = ir.Constant(loaded.type, [SPACE] * VECTOR)
        return builder.bitcast(builder.icmp_unsigned("<", loaded, limit), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@part
def count_controls(data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """Counts control characters in data[start:stop] that end no line, and the NULs among them.

    LF ends a line; a CR right before it belongs to that end. A CR right before `start` was counted before and is
    subtracted here. At least 64 bytes after `stop` must be readable.
    """
    controls = nuls = 0
    carry = ONE if start > 0 and data[start - 1] == CR else np.uint64(0)
    at = start
    while at < stop:
        counted = ALL if stop - at >= VECTOR else (ONE << np.uint64(stop - at)) - ONE
        low = controls64(data, at) & counted
        deleted = equal64(data, at, DELETE) & counted
        if low | deleted:
            line_ends = equal64(data, at, LF) & counted
            returns = equal64(data, at, CR) & counted
            controls += bits_of(low) + bits_of(deleted) - bits_of(line_ends)
            controls -= bits_of(line_ends & (returns << ONE | carry))
            nuls += bits_of(equal64(data, at, NUL) & counted)
            carry = returns >> np.uint64(VECTOR - 1)
        else:
            carry = np.uint64(0)
        at += VECTOR
    return controls, nuls
