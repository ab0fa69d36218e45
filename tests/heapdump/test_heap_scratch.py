"""Room for tables that are needed for a while."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from parsers.index.scratch import BYTES_PER_ENTRY, SMALL, TableMemory
from parsers.index.writer import Writer
from parsers.io.source import Identity


def table_memory(in_files: list[str], bytes: int) -> TableMemory:
    def in_file(name: str, type: str, length: int) -> Any:
        in_files.append(name)
        return np.zeros(length, type)

    made = TableMemory(in_file)
    made.allow(bytes // BYTES_PER_ENTRY)
    return made


def test_tables_are_in_memory_as_long_as_they_may_be() -> None:
    in_files = list[str]()
    some = table_memory(in_files, 5 * SMALL)
    first, second = some.make("first", "u8", SMALL // 4), some.make("second", "u4", SMALL // 2)
    third = some.make("third", "u1", 2 * SMALL)
    assert [len(each) for each in (first, second, third)] == [SMALL // 4, SMALL // 2, 2 * SMALL]
    assert in_files == ["third"]
    assert not first.any() and first.dtype == np.uint64
    assert len(some.make("small", "u1", SMALL)) == SMALL, "a small one is never worth a file"
    assert in_files == ["third"]


def test_unreferenced_columns_free_memory_for_others() -> None:
    in_files = list[str]()
    some = table_memory(in_files, 3 * SMALL)
    first = some.make("first", "u1", 2 * SMALL)
    part = first[5:7]
    del first
    some.make("second", "u1", 2 * SMALL)
    assert in_files == ["second"], "a part of the first one is still there"
    del part
    assert some.allocated == 0
    some.make("third", "u1", 2 * SMALL)
    assert in_files == ["second"]


def test_a_table_in_a_file_goes_with_its_array(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path), "x", Identity(0, 0, 0, 0, ""))
    table = writer.scratch_array("table", "u4", 5000)
    table[:] = range(5000)
    assert os.listdir(writer.path) == []
    writer.close()
    assert table.tolist() == list(range(5000))
    assert len(writer.scratch_array("nothing", "u4", 0)) == 0


def test_a_released_column_can_be_read_while_it_is_referenced(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path), "x", Identity(0, 0, 0, 0, ""))
    writer.open("read", "u2", is_kept=False)
    writer.put("read", 0, np.arange(100, dtype=np.uint16))
    column = writer.column("read", 100)
    writer.give_up("read")
    assert column.tolist() == list(range(100))
    assert writer.close() == {}
