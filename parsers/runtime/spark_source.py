"""A data source of Spark 4: one table of many reports, a partition a report, as Arrow batches.

    spark.dataSource.register(CoffeetreeSource)
    spark.read.format("coffeetree").option("table", "method").load("builds/*/call_tree_*.txt")

The first columns are `build`, `image` and `created`, as in exported files. A Python source doesn't learn which columns
a query needs (Spark 4.3), so they are chosen by `option("columns", "build,package")` or by `schema`; only these are
read. Workers need this package, and read files by the same names as the driver.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from parsers import open_report
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.tables.table import BATCH
from parsers.reports.exported import build_tables

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from parsers.reporting.export.table_files import BuildTable

TYPES = {"BOOLEAN": "boolean", "INTEGER": "int", "BIGINT": "bigint", "DOUBLE": "double", "VARCHAR": "string"}
"""Types of Spark by those of columns."""


class CoffeetreeSource(DataSource):
    """The format `coffeetree`. Options: `table`, and `columns` separated by commas (default: all)."""

    @classmethod
    def name(cls) -> str:
        """Name of the format."""
        return "coffeetree"

    def schema(self) -> str:
        """Returns the chosen columns of the table of the first report. Raises `ReportError`."""
        report = open_report(_paths(self.options)[0])
        try:
            columns = _table_of(build_tables(report), self._table).columns
        finally:
            report.close()
        by_name = {column.name: column for column in columns}
        wanted = [name.strip() for name in self.options.get("columns", "").split(",") if name.strip()]
        for name in wanted:
            if name not in by_name:
                raise ReportError(f"column {name!r}: {suggestion(name, list(by_name))}")
        return ", ".join(f"`{name}` {TYPES[by_name[name].type]}" for name in wanted or by_name)

    def reader(self, schema: StructType) -> CoffeetreeReader:
        """Returns the reader of the columns of a schema."""
        return CoffeetreeReader(_paths(self.options), self._table, schema)

    @property
    def _table(self) -> str:
        name: str = self.options.get("table", "")
        if not name:
            raise ReportError('option("table", NAME) is missing')
        return name


class CoffeetreeReader(DataSourceReader):
    """Reads some columns of a table of each report."""

    def __init__(self, paths: Sequence[str], table: str, schema: StructType) -> None:
        self._paths, self._table, self._schema = paths, table, schema

    def partitions(self) -> list[InputPartition]:
        """Returns a partition for each report."""
        return [InputPartition(path) for path in self._paths]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yields the rows of a report as Arrow batches."""
        import pyarrow
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(self._schema)
        report = open_report(partition.value)
        try:
            table = _table_of(build_tables(report), self._table)
            for start in range(0, table.rows, BATCH):
                part = table.part(start, min(start + BATCH, table.rows), schema.names)
                yield from pyarrow.table(part).select(schema.names).cast(schema).to_batches()
        finally:
            report.close()


def _paths(options: Any) -> list[str]:
    """Returns the files of the patterns given to `load`, in order. Raises `ReportError`."""
    words = json.loads(options["paths"]) if "paths" in options else [options.get("path", "")]
    paths = [path for word in words for path in sorted(glob.glob(word, recursive=True))]
    if not paths:
        raise ReportError(f"{', '.join(words)}: no such file")
    return paths


def _table_of(tables: dict[str, BuildTable], name: str) -> BuildTable:
    if name not in tables:
        raise ReportError(f"table {name!r}: {suggestion(name, list(tables))}")
    return tables[name]
