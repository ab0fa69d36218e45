"""Protocols by which views read a recording: its tables, its words, and further facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class HasColumns(Protocol):
    """Columns by name, see `columns`."""

    def column(self, name: str) -> Any:
        """Returns a column as an array or a memoryview."""
        ...

    def rows(self, table: str) -> int:
        """Returns the number of rows of a table."""
        ...


class HasWords(HasColumns, Protocol):
    """Columns and the words that they refer to."""

    def word(self, number: int) -> bytes:
        """Returns a word."""
        ...


class RecordedTrace(HasWords, Protocol):
    """A recording."""

    @property
    def is_complete(self) -> bool:
        """True if all of it is known."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts that are not in the tables; empty until the recording is complete."""
        ...
