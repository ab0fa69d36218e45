"""Columns of plain tables and of an index that grows while it is read."""

from __future__ import annotations

from array import array
from typing import Any, cast

import pytest

from parsers.index.column_store import ColumnStore, open_plain
from parsers.index.in_memory import MemoryIndex
from parsers.index.store import IndexReader


def index(**columns: list[int]) -> IndexReader:
    """An index of columns of 32 bits."""
    found = MemoryIndex(0, {}, {}, (), 0)
    for name, numbers in columns.items():
        found.save(name, array("I", numbers))
    return cast(IndexReader, found)


def test_columns_that_nobody_has_written_are_empty_and_have_their_type() -> None:
    column = ColumnStore({"size": "u8"})["size"]
    assert (len(column), column.format) == (0, "Q")
    with pytest.raises(KeyError):
        ColumnStore({"size": "u8"})["offset"]


def test_columns_of_the_index_replace_those_that_are_not_kept() -> None:
    columns = ColumnStore({"size": "u4", "line": "u4"})
    columns.take({"size": array("I", [1]), "line": array("I", [2])})
    columns.follow(index(size=[5, 6]), lambda name: name == "line")
    assert ([*columns["size"]], [*columns["line"]]) == ([5, 6], [2])


def test_a_reader_that_is_late_adds_no_earlier_column_to_a_longer_index() -> None:
    longer, is_late = index(size=[1, 2, 3]), True

    def open_late(reader: IndexReader, name: str) -> Any:
        nonlocal is_late
        found = open_plain(reader, name)
        if is_late:
            is_late = False
            columns.follow(longer)
        return found

    columns = ColumnStore({"size": "u4"}, open_late)
    columns.follow(index(size=[1]))
    assert [*columns["size"]] == [1]
    assert [*columns["size"]] == [1, 2, 3]
