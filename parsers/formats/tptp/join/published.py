"""Small tables and words of a recording, published for readers while it is read, in files that grow.

New rows are appended; the last rows, and those of threads, are copied again when they change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import COLUMNS, PUBLISHED, TEXTS
from parsers.index.texts import append_texts
from parsers.index.writer import GrowingArray, Writer

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U8Array, U64Array

CHANGING = 10_000
"""Number of rows of threads up to which all are copied each time."""


class Published:
    """Published copies of tables, in the folder of a writer."""

    def __init__(
        self, writer: Writer, column: Callable[[str], AnyArray], words: Callable[[int], tuple[U64Array, U8Array]]
    ) -> None:
        """
        column  returns the current state of a column
        words   returns the arrays of the words from a number on
        """
        self.writer = writer
        self.types = {name: COLUMNS[name] for name in PUBLISHED} | TEXTS
        self._column = column
        self._words = words
        self._arrays: dict[str, GrowingArray] = {name: writer.grow(name, type) for name, type in self.types.items()}

    def publish(self) -> dict[str, int]:
        """Copies new rows; returns the lengths of the arrays."""
        for name, table in PUBLISHED.items():
            column = self._column(name)
            start = max(self._arrays[name].length - 1, 0)
            if table == "thread" and len(column) <= CHANGING:
                start = 0
            self._arrays[name].end_with(start, column[start:])
        append_texts(self._arrays, "word", self._words)
        return {name: growing.length for name, growing in self._arrays.items()}
