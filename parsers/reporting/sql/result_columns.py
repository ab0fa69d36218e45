"""Columns of the result of a query: names, each once, and the types that are numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DOUBLE|FLOAT|BIGNUM|DECIMAL\(\d+,\s*\d+\)")


def is_number(type: str) -> bool:
    """True for the SQL type of a number."""
    return _NUMBER.fullmatch(type) is not None


def unique_names(names: Iterable[str]) -> list[str]:
    """Returns names of columns, each once: the second `n` is `n_2`."""
    found: dict[str, None] = {}
    for name in names:
        unique, number = name, 2
        while unique in found:
            unique, number = f"{name}_{number}", number + 1
        found[unique] = None
    return list(found)
