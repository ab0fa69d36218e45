"""Tables as Parquet or Arrow files, written by pyarrow. Two tables are written at once, and rows of each are read while
those before are encoded.

Each column of a large table has the Parquet encoding that makes some rows of it smallest. DuckDB 2.0 takes three times
as long to write files that are larger.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from parsers.io.ordered_pipeline import OrderedPipeline, in_parallel
from parsers.io.whole_file import whole_file
from parsers.model.report import ReportError
from parsers.model.tables.arrow_stream import ArrowColumns
from parsers.model.tables.column_values import Values, constant, used
from parsers.model.tables.table import BATCH
from parsers.reporting.sql.build_columns import BUILD_COLUMNS

if TYPE_CHECKING:
    from parsers.model.tables.table import Table
    from parsers.reporting.sql.build_columns import BuildOf

ROW_GROUP = 2 * BATCH
"""Rows that are read at once, and written as a row group."""
PAGE = 8 << 20
"""Most bytes of a page before compression; most row groups have one for each column. Pages of 20,000 rows, as pyarrow
writes them, make files larger by a fifth.
"""
LEVEL = 3
"""Level of zstd. Level 6 makes files smaller by 9 %, but encoding takes half as much time again."""
DICTIONARY = "dictionary"
OF_NUMBERS = ("DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", DICTIONARY, "PLAIN")
OF_TEXTS = ("DELTA_BYTE_ARRAY", DICTIONARY, "DELTA_LENGTH_BYTE_ARRAY", "PLAIN")
ENCODINGS = {"INTEGER": OF_NUMBERS, "BIGINT": OF_NUMBERS, "VARCHAR": OF_TEXTS}
"""Encodings by SQL type, that of small tables first. Differences are to the number before, or to the beginning of the
text before."""
TRIED, PIECES = 1 << 15, 4
"""Rows that decide the encodings of the columns of a table with more than a batch; pieces, spread over the table, in
which they are read.
"""
LARGEST_DICTIONARY = 1 << 20
"""Most bytes of the dictionary of a column in a row group; the rows after that are written without one."""


def import_pyarrow() -> Any:
    """Returns the module, with `ipc` and `parquet`. Raises `ReportError` that says how to install it."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise ReportError("Parquet and Arrow files need pyarrow: pip install 'coffeetree[arrow]'") from error
    return pyarrow


class BuildTable:
    """A table with the columns `BUILD_COLUMNS` before its own."""

    def __init__(self, table: Table, about: BuildOf) -> None:
        """about: values of these columns"""
        self._table, self.about = table, about
        self.columns = (*BUILD_COLUMNS, *table.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._table.rows

    def part(self, start: int, stop: int, names: Container[str] | None = None) -> ArrowColumns:
        """Returns a range of rows as one batch, read now. names: of the columns, in any order; None: all"""
        columns = [column for column in self.columns if names is None or column.name in names]
        about = self.about._asdict()
        values: list[Values] = [
            constant(about[column.name], stop - start)
            if column in BUILD_COLUMNS
            else used(self._table.read(column.name, start, stop))
            for column in columns
        ]
        return ArrowColumns(columns, lambda: iter([(stop - start, values)]))


def write_tables(tables: Mapping[str, BuildTable], form: str) -> None:
    """Writes tables, each to a file completely or not at all. tables: by path; form: `parquet` or `arrow`"""
    in_parallel([partial(_write_file, path, tables[path], form) for path in tables])


def _write_file(path: str, table: BuildTable, form: str) -> None:
    with whole_file(path) as file:
        WRITERS[form](table, file)


def _write_parquet(table: BuildTable, file: Any) -> None:
    pyarrow = import_pyarrow()
    texts = {column.name for column in table.columns if column.type == "VARCHAR"} - {
        column.name for column in BUILD_COLUMNS
    }
    schema = pyarrow.schema(table.part(0, 0))
    with _parquet_writer(
        file, schema, _encodings(table), [name for name in schema.names if name not in texts]
    ) as writer:
        _write_parts(table, pyarrow.table, partial(writer.write_table, row_group_size=ROW_GROUP))


def _parquet_writer(
    file: Any,
    schema: Any,
    encodings: Mapping[str, str],
    statistics: Sequence[str] = (),
    largest_dictionary: int = LARGEST_DICTIONARY,
) -> Any:
    """Returns a writer. encodings: by column, where it is not PLAIN; statistics: columns with minimum and maximum"""
    return import_pyarrow().parquet.ParquetWriter(
        file,
        schema,
        compression="zstd",
        compression_level=LEVEL,
        data_page_size=PAGE,
        max_rows_per_page=ROW_GROUP,
        use_dictionary=[name for name in encodings if encodings[name] == DICTIONARY],
        dictionary_pagesize_limit=largest_dictionary,
        column_encoding={name: encoding for name, encoding in encodings.items() if encoding != DICTIONARY},
        write_statistics=list(statistics),
        store_schema=False,
    )


def _encodings(table: BuildTable) -> dict[str, str]:
    """Encodings of columns: of a large table those that make a sample smallest."""
    found = {
        column.name: DICTIONARY if column.is_interned else ENCODINGS.get(column.type, ("PLAIN",))[0]
        for column in table.columns
    }
    if table.rows > BATCH:
        open_columns = [column for column in table.columns if column.type in ENCODINGS and not column.is_interned]
        names, arrow = {column.name for column in open_columns}, import_pyarrow()
        starts = (table.rows * (2 * piece + 1) // (2 * PIECES) for piece in range(PIECES))
        pieces = [arrow.table(table.part(start, start + TRIED // PIECES, names)) for start in starts]
        sample = arrow.concat_tables(pieces).combine_chunks()
        for column in open_columns:
            rows = sample.select([column.name])
            found[column.name] = min(ENCODINGS[column.type], key=partial(_encoded_size, rows))
    return found


def _encoded_size(rows: Any, encoding: str) -> int:
    file = import_pyarrow().BufferOutputStream()
    encodings = dict.fromkeys(rows.schema.names, encoding)
    # A dictionary of a row group has more texts.
    with _parquet_writer(
        file, rows.schema, encodings, largest_dictionary=LARGEST_DICTIONARY * TRIED // ROW_GROUP
    ) as writer:
        writer.write_table(rows)
    size: int = file.getvalue().size
    return size


def _write_arrow(table: BuildTable, file: Any) -> None:
    pyarrow = import_pyarrow()

    def read(part: ArrowColumns) -> Any:
        """The rows with plain texts, without dictionaries: a file can't have a dictionary for each batch."""
        rows = pyarrow.table(part)
        is_dictionary = pyarrow.types.is_dictionary
        types = (each.value_type if is_dictionary(each) else each for each in rows.schema.types)
        return rows.cast(pyarrow.schema(zip(rows.column_names, types, strict=True)))

    with pyarrow.ipc.new_file(file, read(table.part(0, 0)).schema) as writer:
        _write_parts(table, read, writer.write_table)


WRITERS: Mapping[str, Callable[[BuildTable, Any], None]] = {"parquet": _write_parquet, "arrow": _write_arrow}


def _write_parts(table: BuildTable, read: Callable[[ArrowColumns], Any], write: Callable[[Any], None]) -> None:
    """Reads parts of a table in one thread, while another writes those before; at least one part, if an empty one."""
    rows, pipeline = table.rows, OrderedPipeline(turns=2)

    def process(part: int) -> None:
        pipeline.wait(part, 0)
        batch = read(table.part(part * ROW_GROUP, min((part + 1) * ROW_GROUP, rows)))
        pipeline.done(part, 0)
        pipeline.wait(part, 1)
        write(batch)
        pipeline.done(part, 1)

    pipeline.run(max(-(-rows // ROW_GROUP), 1), lambda: process)
