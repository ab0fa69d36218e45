"""Names of classes of heap dumps, and their packages."""

from __future__ import annotations

from parsers.heapdump.tables.object_size import ELEMENT_SIZES
from parsers.model.java_method import class_name, decode
from parsers.model.java_name import package_end
from parsers.model.patterns import element_type

PRIMITIVES = "(arrays of primitives)"
"""Label instead of their package."""


def readable_class(text: bytes) -> str:
    """Returns the name of a class text in Java syntax, without its id."""
    name, at, _ = text.rpartition(b"@")
    return class_name(decode(name if at else text))


def package_of(name: str) -> str:
    """Returns the package of a class; for an array that of its elements; "" for the default package."""
    if element_type(name) in ELEMENT_SIZES:
        return PRIMITIVES
    return name[: max(package_end(name), 0)]
