"""The columns of a report by name: of plain tables at first, then of an index, which may still grow."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from parsers.index.store import CODES

if TYPE_CHECKING:
    from parsers.index.store import IndexReader


class FirstUse:
    """Work for the first use of something, done by one thread, unless it is no longer needed by then."""

    def __init__(self, work: Callable[[], object] | None) -> None:
        self._work = work
        self._lock = Lock()

    def do(self) -> None:
        """Does the work, or waits until another thread has done it."""
        if self._work is not None:
            with self._lock:
                if self._work is not None:
                    self._work()
                    self._work = None

    def omit(self) -> None:
        """The work is no longer needed."""
        with self._lock:
            self._work = None


def open_plain(reader: IndexReader, name: str) -> memoryview:
    """Opens a column that is one array of the index."""
    return reader.view(name)


class ColumnStore:
    """Columns, each opened when it is first asked for. A thread may ask while another one follows the index."""

    def __init__(self, types: Mapping[str, str], open: Callable[[IndexReader, str], Any] = open_plain) -> None:
        """
        types  types of the columns that are empty until they are written, by name
        open   opens a column that the index has
        """
        self.reader: IndexReader | None = None
        self._types, self._open = types, open
        self._columns: dict[str, Any] = {}

    def take(self, columns: Mapping[str, Any]) -> None:
        """Uses these columns alone; until an index is followed."""
        self._columns = dict(columns)

    def add(self, columns: Mapping[str, Any]) -> None:
        """Adds or replaces columns."""
        self._columns.update(columns)

    def follow(self, reader: IndexReader, is_kept: Callable[[str], bool] = lambda name: False) -> None:
        """Uses an index in its present state. is_kept: true for columns taken before that remain in use"""
        # Who finds the new dictionary finds the new reader, too: a late thread adds nothing of the old one to it.
        self.reader = reader
        self._columns = {name: column for name, column in self._columns.items() if is_kept(name)}

    def __getitem__(self, name: str) -> Any:
        """Returns a column in its present state. Raises `KeyError` if it is unknown."""
        columns = self._columns  # Before the reader, see `follow`.
        found = columns.get(name)
        if found is None:
            reader = self.reader
            if reader is None or not reader.has(name):
                return memoryview(array(CODES[self._types[name]]))
            found = columns[name] = self._open(reader, name)
        return found
