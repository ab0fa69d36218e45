"""Numbers for rows below objects that are no references of the graph: members, entries of collections, parts of these.

A number says what it is, the object that it is of, and the place there; so nothing is made per row. They are larger
than all numbers of objects and references, which have 32 bits.
"""

from __future__ import annotations

ROOM = 1 << 34
"""Places of an object."""
MEMBERS, ENTRIES, PAIRS, PARTS = (1 << bit for bit in range(72, 76))
"""Where each kind begins: members of an object (fields, statics, elements); entries of a collection; entries of a map
as things of their own, that have a key and a value below them; these keys and values, two places each."""


def numbers(kind: int, object: int, count: int, first: int = 0) -> range:
    """The numbers of so many places of an object."""
    start = kind + object * ROOM + first
    return range(start, start + count)


def kind_of(number: int) -> int:
    """What kind a number is of; 0 for an object or reference."""
    return 0 if number < MEMBERS else 1 << number.bit_length() - 1


def place_of(number: int) -> tuple[int, int]:
    """The object and the place of a number."""
    return divmod(number - kind_of(number), ROOM)
