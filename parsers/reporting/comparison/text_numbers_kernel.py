"""Numbers texts by a hash table over their bytes. Importing this module imports numba."""

from __future__ import annotations

from typing import Any

from parsers.kernels.decorators import int64, kernel
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import hash64


@kernel
def number_all(slots: Any, starts: Any, blob: Any, count: int, text_starts: Any, texts: Any, numbers: Any) -> int:
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
