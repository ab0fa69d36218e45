"""What the views ask of a recording: its tables, its words, and what is known beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Tables(Protocol):
    """Columns by name, see `columns`."""

    def column(self, name: str) -> Any:
        """A column as an array or a memoryview."""
        ...

    def rows(self, table: str) -> int:
        """Rows of a table."""
        ...


class Worded(Tables, Protocol):
    """Columns and the words that they refer to."""

    def word(self, number: int) -> bytes:
        """A word."""
        ...


class Recorded(Worded, Protocol):
    """A recording."""

    @property
    def is_complete(self) -> bool:
        """Whether all of it is known."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """What was found beside the tables; empty until it is complete."""
        ...
