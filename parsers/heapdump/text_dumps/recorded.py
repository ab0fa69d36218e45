"""`RecordedHeap`: the tables of an opened file, as graphs and rows of heap dumps need them; objects of a text dump."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from parsers.heapdump.graph.elements import NULL
from parsers.heapdump.graph.labels import ReferenceLabel


class HeapColumns(Protocol):
    """Columns by name (see `parsers.heapdump.graph.columns`) and unique texts by number."""

    def column(self, name: str) -> Any:
        """Returns a column as stored in the index: a memoryview, an array, or bitpacked."""
        ...

    def texts(self, table: str) -> Sequence[bytes]:
        """Returns the unique texts of a kind."""
        ...


class RecordedHeap(HeapColumns, Protocol):
    """The columns of the heap dumps of an opened file, and its facts."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Stored facts of the file; with those of `layout_facts` where an index is complete."""
        ...

    def rows(self, table: str) -> int:
        """Returns the number of rows of a table."""
        ...

    def has_stage(self, name: str) -> bool:
        """Returns True if a stage of the index is complete."""
        ...

    def word(self, number: int) -> bytes:
        """Returns a text by its number."""
        ...

    def sections(self, *kinds: int) -> Sequence[int]:
        """Returns the numbers of sections of some kinds."""
        ...

    def section_range(self, section: int) -> range:
        """Returns the rows of a section in its table."""
        ...


class RecordedTraces(Protocol):
    """Stack traces and threads of an opened file, as rows of heap dumps show them."""

    def column(self, name: str) -> Any:
        """Returns a column: a memoryview, or an array."""
        ...

    def stack(self, trace: int) -> Sequence[int]:
        """Returns the frames of a stack trace, the innermost first."""
        ...

    def frame_label(self, number: int) -> str:
        """Returns a frame as text."""
        ...

    def trace_ref(self, row: int) -> str:
        """Returns the REF of a stack trace."""
        ...

    def thread_row(self, id: int) -> int | None:
        """Returns the row of the thread with an id; None if there is none."""
        ...


class RecordedInstance:
    """An `Instance`: references by name, as text has no null or primitive fields."""

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
