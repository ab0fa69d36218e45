"""Orders of the rows of a list: by the texts of a column, as numbers where all of them are numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"[^\w.,-]*(-?\d[\d,]*(?:\.\d+)?)…?(?: ?(\S+))?")
"""A number with a sign before it and a unit after it, as columns show them."""
SCALES = {"%": 1.0, "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "M": 1e6}
SCALES |= {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
"""Values of the units."""
DIGITS = re.compile(r"(\d+)")


def number_in(text: str) -> float | None:
    """Value of a number with its unit, such as `1,234`, `@12` or `9.5 KB`; None for another text."""
    found = NUMBER.fullmatch(text.strip())
    if found is None or (found[2] and found[2] not in SCALES):
        return None
    return float(found[1].replace(",", "")) * SCALES.get(found[2], 1.0)


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Sort key of a text: runs of digits by their value, other characters without case."""
    parts = DIGITS.split(text.lower())
    return [(True, int(part), "") if part.isdecimal() else (False, 0, part) for part in parts if part]


def ordered(indexes: Sequence[int], text_of: Callable[[int], str], is_reversed: bool) -> tuple[list[int], bool]:
    """Rows in the order of their texts, and True if that rises: numbers fall, texts rise, unless reversed.

    Rows without a text are last. Rows with equal texts stay in their order.
    """
    texts = {index: text_of(index) for index in indexes}
    filled = [index for index in indexes if texts[index].strip()]
    numbers = {index: number_in(texts[index]) for index in filled}
    is_number = None not in numbers.values()
    key = numbers.__getitem__ if is_number else lambda index: natural(texts[index])
    falls = is_number != is_reversed
    found = sorted(filled, key=key, reverse=falls)  # type: ignore[arg-type]  # numbers only if none is None
    return [*found, *(index for index in indexes if not texts[index].strip())], not falls
