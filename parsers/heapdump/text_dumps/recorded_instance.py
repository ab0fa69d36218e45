"""An object of a text dump, as references by name: the file has no null or primitive fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from parsers.heapdump.graph.elements import NULL
from parsers.heapdump.graph.labels import ReferenceLabel


class RecordedInstance:
    """An `Instance`: see `heapdump/collections/contents.py`."""

    __slots__ = ("_sites", "_target")

    def __init__(self, references: Iterable[tuple[ReferenceLabel, int]], target: Callable[[int], int]) -> None:
        """references: label and site of each. target: returns the object of a site"""
        self._sites: dict[str, int] = {}
        self._target = target
        for label, site in references:
            if label.kind == "field":
                self._sites.setdefault(label.text, site)

    def has(self, name: str) -> bool:
        """True if it is known to have a non-null field of that name."""
        return name in self._sites

    def reference(self, name: str) -> int:
        """Returns the object that a field refers to."""
        site = self._sites.get(name)
        return NULL if site is None else self._target(site)

    def number(self, name: str) -> int | None:
        """Returns None: the file has no numbers."""
        return None
