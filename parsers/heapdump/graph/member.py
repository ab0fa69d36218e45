"""`ObjectMember`: a row below an object that is not a reference of the graph, such as a primitive field."""

from __future__ import annotations

from typing import NamedTuple

from parsers.heapdump.graph.labels import ReferenceLabel


class ObjectMember(NamedTuple):
    """A field, a static, an element."""

    label: ReferenceLabel
    value: str
    """A primitive value in Java syntax, or `null`; empty for an object."""
    site: int | None
    """The reference to an object."""
