"""What equal Strings take, and Strings put by their texts: for lists or arrays; `strings_kernel` has both compiled."""

from __future__ import annotations

from typing import Any

NO_TEXT = 0xFFFF_FFFF
"""In place of the number of a text."""


def sum_texts(
    order: Any, strings: Any, arrays: Any, wholes: Any, texts: Any, units: Any, counts: Any, sums: Any, kept: Any
) -> None:
    """Sums by text. Strings are numbered by their places among them.

    order    uint32: Strings by their arrays, those of each array behind each other
    strings  uint32: which objects they are
    arrays   uint32: the object that holds the text of each
    wholes   uint8: whether that is all of the array, which is counted only then
    texts    uint32: the number of each one's text, NO_TEXT for none
    units    uint32: sizes of all objects
    counts   uint32, zeros; filled: Strings
    sums     int64, zeros; filled: sizes of the Strings and of their arrays, each array once
    kept     int64, zeros; filled: of the largest String with its array
    """
    before = -1
    for string in order:
        text = texts[string]
        if text == NO_TEXT:
            continue
        own = units[strings[string]]
        both = own + units[arrays[string]] if wholes[string] else own
        is_shared = before >= 0 and arrays[before] == arrays[string] and texts[before] == text
        counts[text] += 1
        sums[text] += own if is_shared else both
        kept[text] = max(kept[text], both)
        before = string


def place_strings(texts: Any, ranks: Any, starts: Any, strings: Any, placed: Any) -> None:
    """Puts Strings by the rank of their text, those of each in their order.

    ranks   uint32, by text
    starts  uint32, by rank where its Strings begin; moved to where they end; the last: those without a text
    placed  uint32, filled: which objects they are
    """
    last = len(starts) - 1
    for string in range(len(texts)):
        text = texts[string]
        rank = last if text == NO_TEXT else ranks[text]
        placed[starts[rank]] = strings[string]
        starts[rank] += 1
