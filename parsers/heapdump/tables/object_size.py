"""True object sizes, computed from the sizes that HPROF text prints.

The agent of JDK 5 to 8 prints an array of primitives that it followed from a root without its header: `sz` is then
`nelems` times the size of an element. Everything else (and every array of the JVMPI agent) has its true size.
Sources: recorded files of the agent of JDK 8, and the source of the JVMPI agent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

ELEMENT_SIZES = {
    "boolean": 1,
    "byte": 1,
    "char": 2,
    "short": 2,
    "int": 4,
    "float": 4,
    "long": 8,
    "double": 8,
}
_SIZES = ELEMENT_SIZES | {f"{name}[]": size for name, size in ELEMENT_SIZES.items()}
ARRAY_HEADER = 16
"""Bytes before the first element of an array in a 64-bit JVM with 4-byte class pointers; see `array_header`."""
ALIGNMENT = 8


def element_size(type: str) -> int:
    """Returns the bytes of an element of a primitive array, named with or without brackets; 0 for other types."""
    return _SIZES.get(type, 0)


def element_sizes(types: Iterable[str]) -> I64Array:
    """The same of many types: int64."""
    return np.array([_SIZES.get(type, 0) for type in types], np.int64)


def true_size(printed: int, elements: int, element_size: int, header: int) -> int:
    """Bytes in the heap. `element_size` is 0 for all but arrays of primitives; `header`: bytes before the elements."""
    if not element_size or printed != elements * element_size:
        return printed
    return -(-(header + printed) // ALIGNMENT) * ALIGNMENT


def true_sizes(printed: AnyArray, elements: AnyArray, element_sizes: I64Array, header: int) -> I64Array:
    """The same of many objects: int64[n]."""
    sizes = printed.astype(np.int64)
    bare = (element_sizes > 0) & (sizes == elements.astype(np.int64) * element_sizes)
    padded = (sizes + (header + ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT
    return np.where(bare, padded, sizes)
