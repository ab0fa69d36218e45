"""Tables of several row groups as Parquet files: all values are read back, and take little space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from parsers.model.tables.column_values import Named, TableColumn, numbered, text_arrays, unless
from parsers.model.tables.table import Table, TableType
from parsers.reporting.export import table_files
from parsers.reporting.export.table_files import BuildTable, write_tables
from parsers.reporting.sql.build_columns import BuildOf

ROW_GROUP = 1 << 14
ROWS = 2 * ROW_GROUP + 7
KINDS = [f"kind {number}\u0000'\"ü" for number in range(1000)]
COLUMNS = {
    "rising": ("BIGINT", lambda rows: rows * 24),
    "random": ("BIGINT", lambda rows: unless(rows * 7919 % 100_003, 5)),
    "address": ("VARCHAR", lambda rows: numbered("object:0x", rows * 24 + (1 << 33), 16)),
    "any": (
        "VARCHAR",
        lambda rows: text_arrays(None if row % 9 == 1 else f"{row * 7919 % 1009}\ud800" for row in rows),
    ),
    "kind": ("VARCHAR", lambda rows: Named(np.where(rows % 11, rows // 100, -1), text_arrays(KINDS))),
}


@pytest.fixture(scope="module")
def made() -> BuildTable:
    type = TableType(
        "made",
        "",
        tuple(
            TableColumn(name, kind, "", is_nullable=True, is_interned=name == "kind")
            for name, (kind, _) in COLUMNS.items()
        ),
    )

    def reader(values: Any) -> Any:
        return lambda start, stop: values(np.arange(start, stop))

    columns = {name: reader(values) for name, (_, values) in COLUMNS.items()}
    return BuildTable(Table(type, lambda: ROWS, columns), BuildOf("a", None, "today"))


@pytest.fixture(scope="module")
def path(made: BuildTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "made.parquet"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"ROW_GROUP": ROW_GROUP, "BATCH": ROW_GROUP // 2, "TRIED": ROW_GROUP // 4}.items():
            patch.setattr(table_files, name, value)
        write_tables({str(path): made}, "parquet")
    return path


def rows_of(made: BuildTable) -> Any:
    """All rows, with plain texts."""
    rows = pyarrow.table(made.part(0, ROWS))
    return rows.cast(pyarrow.schema([(each.name, getattr(each.type, "value_type", each.type)) for each in rows.schema]))


def test_all_values_are_read_back(made: BuildTable, path: Path):
    wanted = rows_of(made)
    assert parquet.read_table(path).cast(wanted.schema) == wanted
    found = duckdb.sql(f"SELECT * FROM '{path}'").fetchall()
    assert found == list(zip(*(column.to_pylist() for column in wanted.columns), strict=True))


def test_columns_have_the_encodings_that_make_them_small(path: Path):
    file = parquet.ParquetFile(path).metadata
    assert file.num_row_groups == 3
    chunks = {name: file.row_group(1).column(place) for place, name in enumerate(file.schema.names)}
    assert "DELTA_BINARY_PACKED" in chunks["rising"].encodings
    assert "DELTA_BYTE_ARRAY" in chunks["address"].encodings
    assert chunks["address"].total_uncompressed_size < 4 * ROW_GROUP
    # Each row group has the texts that it needs only.
    assert chunks["kind"].total_uncompressed_size < ROW_GROUP
