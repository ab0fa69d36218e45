"""Heap dumps, labels of references, and roots, as object graphs return them."""

from __future__ import annotations

from typing import NamedTuple

from parsers.model.row import counted
from parsers.model.value import value_class

NO_OBJECT = -1
"""As an object: the dump has no object with that id, or the referrer is a root."""


@value_class
class HeapDump:
    """One heap dump of a file."""

    number: int
    """From 0."""
    run: int
    """Number of its snapshot, as in a REF: from 1."""
    objects: range
    roots: range
    offset: int
    date: str
    printed: str
    """The size as printed in the file."""
    is_whole: bool
    process: int = 0
    """Number of its process, if a file has data of several. Dumps of different processes have nothing in common."""


@value_class
class ReferenceLabel:
    """The kind and name of a reference."""

    kind: str
    """"field", "element", "static", "constant", "super", "loader", "signers", "domain" or "class"; empty: unknown."""
    text: str
    """Text before the object in a row: `next`, `[17]`, `static instance`, `super` …"""
    times: int = 1
    """Number of equal references, if nothing distinguishes them."""

    @property
    def named(self) -> str:
        """The text, or a word for a reference without a name."""
        return self.text or f"reference{self.counted}"

    @property
    def counted(self) -> str:
        """The count after the label, if there are several."""
        return f" ({counted(self.times, 'time')})" if self.times > 1 else ""

    def behind(self, holder: str) -> str:
        """Returns a reference as text, after its owner."""
        return f"{holder} {self.text}" if self.text else f"{holder}{self.counted}"


CLASS_LABEL = ReferenceLabel("class", "class")


class ObjectMember(NamedTuple):
    """A field, a static, an element."""

    label: ReferenceLabel
    value: str
    """A primitive value in Java syntax, or `null`; empty for an object."""
    site: int | None
    """The reference to an object."""


@value_class
class Root:
    """A GC root."""

    kind: str
    object: int
    id: int
    thread: int | None
    """Id of its thread."""
    frame: int | None
    trace: int | None
    """Row of its stack trace."""
    name: str
    """Name of a system class, or the whole text of a root of an unknown kind."""
    offset: int
