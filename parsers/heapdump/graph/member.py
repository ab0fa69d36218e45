"""`Member`: a row below an object that is no reference of the graph, such as a field of a primitive type."""

from __future__ import annotations

from typing import NamedTuple

from parsers.heapdump.graph.object_graph import Label


class Member(NamedTuple):
    """A field, a static, an element."""

    label: Label
    value: str
    """Of a primitive type as Java writes it, `null`; nothing for an object."""
    site: int | None
    """The reference to an object."""
