"""Names of classes of heap dumps, and their packages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parsers.heapdump.tables.object_size import ELEMENT_SIZES
from parsers.model.lookup import numbered
from parsers.model.names.java_method import class_name, decode
from parsers.model.names.java_name import package_end
from parsers.model.names.patterns import element_type

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

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


def packages_of(names: Iterable[str]) -> tuple[list[str], I64Array]:
    """Returns unique packages, and the number of its package by class: int64."""
    # Most of very many classes have names without packages, made from ids.
    return numbered(package_of(name) if "." in name or "]" in name or name in ELEMENT_SIZES else "" for name in names)
