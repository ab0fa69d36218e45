"""`RecordedHeap`: the tables of an opened file, as graphs and rows of heap dumps need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class RecordedHeap(Protocol):
    """Columns by name (see `parsers.heapdump.graph.columns`) and unique texts by number."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Stored facts of the file."""
        ...

    def column(self, name: str) -> Any:
        """A column: a memoryview, or an array."""
        ...

    def packed(self, name: str) -> Any:
        """A column in the form in which the index keeps it."""
        ...

    def rows(self, table: str) -> int:
        """Rows of a table."""
        ...

    def has_stage(self, name: str) -> bool:
        """True if a stage of the index is complete."""
        ...

    def texts(self, table: str) -> Sequence[bytes]:
        """Unique texts of a kind."""
        ...

    def word(self, number: int) -> bytes:
        """A text by its number."""
        ...

    def sections(self, *kinds: int) -> Sequence[int]:
        """Sections of some kinds, by number."""
        ...

    def section_range(self, section: int) -> range:
        """Rows of a section in its table."""
        ...

    def object_of(self, reference: int) -> int:
        """The object that a reference belongs to."""
        ...


class RecordedTraces(Protocol):
    """Stack traces and threads of an opened file, as rows of heap dumps show them."""

    def column(self, name: str) -> Any:
        """A column: a memoryview, or an array."""
        ...

    def stack(self, trace: int) -> Sequence[int]:
        """Frames of a stack trace, the innermost first."""
        ...

    def frame_label(self, number: int) -> str:
        """A frame as text."""
        ...

    def trace_ref(self, row: int) -> str:
        """The REF of a stack trace."""
        ...

    def thread_row(self, id: int) -> int | None:
        """The thread with an id."""
        ...
