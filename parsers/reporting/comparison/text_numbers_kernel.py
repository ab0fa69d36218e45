"""Numbers texts by a hash table over their bytes. Importing this module imports numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.decorators import int64, kernel
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import hash64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array


@kernel
def number_all(
    slots: U64Array, starts: U64Array, blob: U8Array, count: int, text_starts: I64Array, texts: U8Array,
    numbers: U32Array,
) -> int:  # fmt: skip
    """Assigns a number to each text, new texts the next one; returns the count of numbers.

    slots, starts, blob  the table, with capacity for all of them; see `text_table`
    count                numbers that are already assigned
    text_starts, texts   int64[n+1], uint8: the texts; 128 bytes after the last one are readable
    numbers              uint32[n], filled
    """
    for place in range(len(numbers)):
        start = int64(text_starts[place])
        length = int64(text_starts[place + 1]) - start
        number = number_of(slots, starts, blob, count, texts, start, length, hash64(texts, start, length))
        numbers[place] = number
        if number == count:
            count += 1
    return count
