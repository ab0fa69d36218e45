"""Memory of equal Strings, and Strings sorted by text: for lists or arrays, so that it can be compiled as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers

NO_TEXT = 0xFFFF_FFFF
"""As the number of a text: none."""


def sum_texts(
    order: Numbers,
    strings: Numbers,
    arrays: Numbers,
    wholes: Numbers,
    texts: Numbers,
    units: Numbers,
    counts: Numbers,
    sums: Numbers,
    kept: Numbers,
) -> None:
    """Computes sums by text. Strings are numbered by their places among Strings.

    order    uint32: Strings sorted by array
    strings  uint32: object number of each
    arrays   uint32: array object of each one's text
    wholes   uint8: 1 if the text is the whole array, which is counted only then
    texts    uint32: number of each one's text, NO_TEXT for none
    units    uint32: sizes of all objects
    counts   uint32, zeros; filled: Strings
    sums     int64, zeros; filled: sizes of the Strings and of their arrays, each array once
    kept     int64, zeros; filled: bytes of the largest String with its array
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


def place_strings(texts: Numbers, ranks: Numbers, starts: Numbers, strings: Numbers, placed: Numbers) -> None:
    """Sorts Strings by the rank of their text, stably.

    ranks   uint32, by text
    starts  uint32, by rank its first String; updated to the end; the last: Strings without a text
    placed  uint32, filled: object numbers
    """
    last = len(starts) - 1
    for string in range(len(texts)):
        text = texts[string]
        rank = last if text == NO_TEXT else ranks[text]
        placed[starts[rank]] = strings[string]
        starts[rank] += 1
