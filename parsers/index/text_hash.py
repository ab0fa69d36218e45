"""Lookup of one text in a table of unique texts without numpy or kernels. Plain twin of `text_table`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import unpack

WORD = (1 << 64) - 1
MIX = 0xFF51AFD7ED558CCD


def hash_of(text: bytes) -> int:
    """The 64-bit hash that the kernels compute for a text."""
    value = (len(text) ^ 0x9E3779B97F4A7C15) * MIX & WORD
    words = (len(text) + 7) // 8
    for word in unpack(f"<{words}Q", text.ljust(8 * words, b"\0")):
        value = (value ^ word) * MIX & WORD
        value ^= value >> 32
    return value | 1 << 63


def find_text(slots: Sequence[int], text_at: Callable[[int], bytes], text: bytes) -> int | None:
    """The number of a text; None if it isn't present.

    slots  2^k entries, each the number + 1 of a text, 0: free. The slot of a text is given by the lowest bits of its
           hash, or is the next free one after that.
    """
    size = len(slots)
    if not size:
        return None
    place = hash_of(text) & size - 1
    for _ in range(size):
        slot = slots[place]
        if not slot:
            return None
        if text_at(slot - 1) == text:
            return slot - 1
        place = place + 1 & size - 1
    return None
