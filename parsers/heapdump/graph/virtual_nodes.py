"""Numbers of rows that are not references of the graph: members, entries of collections, keys and values of entries.

A number encodes its kind, its object, and the place there, so no memory is needed per row. All are larger
than the numbers of objects and references, which have 32 bits.
"""

from __future__ import annotations

MOST_PLACES = 1 << 34
"""Places per object."""
MEMBERS, ENTRIES, PAIRS, PARTS = (1 << bit for bit in range(72, 76))
"""First number of each kind: members of an object (fields, statics, elements); entries of a collection; entries of a
map with rows for key and value below; these keys and values, two places each."""


def numbers(kind: int, object: int, count: int, first: int = 0) -> range:
    """Returns the numbers of the first `count` places of an object."""
    start = kind + object * MOST_PLACES + first
    return range(start, start + count)


def kind_of(number: int) -> int:
    """Returns the kind of a number; 0 for an object or reference."""
    return 0 if number < MEMBERS else 1 << number.bit_length() - 1


def place_of(number: int) -> tuple[int, int]:
    """Returns the object and the place of a number."""
    return divmod(number - kind_of(number), MOST_PLACES)
