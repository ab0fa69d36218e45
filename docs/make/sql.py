"""Writes `docs/sql.md`, the page of all tables, from their declarations. Run it by `make tables`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from parsers.formats.declared_tables import own_tables_of  # noqa: E402
from parsers.formats.registry import FORMATS  # noqa: E402
from parsers.model.tables.column_values import TableColumn  # noqa: E402
from parsers.model.tables.table import TableSet, TableType  # noqa: E402
from parsers.views.report_tables import COMMON  # noqa: E402

PAGE = ROOT / "docs" / "sql.md"

INTRODUCTION = """\
# SQL and tables

Every report is also a set of tables with names, types and keys. `coffeetree sql` queries them with SQL, by
DuckDB, an extra: `pip install 'coffeetree[sql]'`.

```sh
coffeetree sql call_tree.txt .tables
coffeetree sql call_tree.txt '.schema method'
coffeetree sql call_tree.txt 'FROM largest_packages LIMIT 5'
coffeetree sql call_tree.txt 'SELECT package, count(*) AS n FROM method GROUP BY ALL ORDER BY n DESC LIMIT 5' --json
coffeetree sql heap.hprof 'SELECT class, sum(shallow) FROM object GROUP BY class' --csv
coffeetree sql heap.hprof 'SELECT * FROM class' --to parquet classes.parquet
```

* QUERY is one `SELECT` (or `WITH`, `FROM`), the name of a file `*.sql`, or `-` for standard input.
* `--json` prints an object a line, `--csv` comma-separated values (`--safe` for spreadsheets), `--to FORMAT` writes
  `csv`, `json`, `parquet` or `arrow` (needs `coffeetree[arrow]`) to a file whose name follows the query.
* Of several reports each is a schema: `call_tree`, `heap`, or the name before `=`.
* Only the columns that a query needs are read, in pieces. Of ranges of a key, such as `object_id`, only these rows.
* A query can neither write nor read files, unless `--allow-external` permits that. `--memory` limits its memory (2 GB
  by default), `--timeout` its time. Ctrl+C stops it.
* `ref` is the REF of a row: `coffeetree show REPORT REF` opens it.
* Keys: table `x` has the key `x_id`, the number of the row, and a foreign key has the same name where there is only
  one. Columns described as "read from the file" take longest.

```sh
coffeetree sql old=old.hprof new=heap.hprof 'SELECT name FROM new.class EXCEPT SELECT name FROM old.class'
```

`--compare OLD NEW` compares two reports, or the builds of two folders, as `coffeetree diff` does: schemas `old` and
`new` have their tables. The schema `diff`, whose names need no prefix, has a table for each view of the comparison, and
views of what was added and removed: `introduced_packages`, `removed_classes`, `introduced_methods` …

```sh
coffeetree sql --compare monday friday 'FROM introduced_methods'
coffeetree sql --compare old.hprof heap.hprof 'SELECT name, bytes_change FROM class ORDER BY 2 DESC LIMIT 5'
```

In the browser `;` opens an SQL prompt, below the tables and columns. Tab completes their names, functions and
keywords, Up recalls earlier queries, PgDn and PgUp scroll the tables; pasted lines are joined. An error opens the
prompt again, with the cursor at its place.

* The result is a view, `SQL 1`: sorted, searched, filtered, copied like any other, and listed by `v`. The last nine
  results are kept. `:w FILE` writes all rows that filters leave, to `.csv` and `.json` with the columns of the query.
* Enter on a row with a column `ref` goes to that row of the report, `<` returns.
* Rows are shown as they arrive, at most 1,000,000 rows and 1 GB. Esc stops the query; the rows so far stay.
* Queries run in a process of their own, which may use 4 GB of memory, DuckDB half of that; on a machine with less than
  8 GB half of its memory. A query that needs more fails; `coffeetree sql --memory` permits more.
* Of a build of several reports the tables are those of the report whose view is shown. Of two compared reports they
  are in the schemas `old` and `new`.

In Python the same columns are arrays and Arrow streams: [notebooks](notebook.md).

`coffeetree export --to parquet` (or `arrow`) writes all tables of a report to a folder, a file for each table and
build: `DIR/<table>/<build>-<report>.parquet`, with the columns `build`, `image` and `created` first; `<report>` is the
kind of a GraalVM report. `--append` adds a build or another report of one to those that are there, `--tables` chooses
tables, `--build` names the build. Such a folder is queried like a report:

```sh
coffeetree export call_tree.txt --to parquet builds --tables package,class
coffeetree sql builds 'SELECT image, count(*) AS packages FROM package GROUP BY image'
```

A pattern in quotes (`**`: folders at any depth) names reports of many builds, which are queried in the same way without
an export: the rows of all are one table under each name, with the same three columns. Each report is open only while
its rows are read. Keys are numbers within one report, so a join also compares `build`:

```sh
coffeetree sql '*day/call_tree_*' 'SELECT build, count(*) AS packages FROM package GROUP BY build'
coffeetree sql '*day/call_tree_*' 'SELECT build, count(*) FROM entry JOIN method USING (build, method_id) GROUP BY 1'
```

`--each` exports many reports with one command, each as a build of its own; a pattern in quotes may have `*` and `**`.
Reports that can't be read are named, the others are exported. Any engine reads the files; DuckDB opens only the tables
that a query names. Export needs pyarrow: `pip install 'coffeetree[arrow]'`.

```sh
coffeetree export --each 'reports/call_tree_*' --to parquet builds --append
```

Spark 4 reads reports themselves, a partition a report, with the same first columns: `pip install 'coffeetree[spark]'`
for the driver and the workers. Spark reads all columns of a Python source, so choose those that the query needs:

```python
from pyspark.sql import SparkSession

from parsers.runtime.spark_source import CoffeetreeSource

spark = SparkSession.builder.getOrCreate()
spark.dataSource.register(CoffeetreeSource)
reports = spark.read.format("coffeetree").option("table", "method").option("columns", "build,package")
reports.load("builds/*/call_tree_*.txt").groupBy("build").count().show()
```

Reports that are not listed below have a table for each of their views, with the columns of the view.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield from _set("All reports", COMMON)
    titles: dict[str, list[str]] = {}
    for format in FORMATS:
        if format.tables:
            titles.setdefault(format.tables, []).append(format.title)
    for home, named in titles.items():
        yield from _set(", ".join(named), own_tables_of(home))


def _set(title: str, tables: TableSet) -> Iterator[str]:
    yield f"## {title}\n"
    for table in tables.types:
        yield from _table(table)
    if tables.views:
        yield "### Views\n"
        for view in tables.views:
            yield f"`{view.name}`: {_text(view.about)}\n"
            yield f"```sql\n{_wrapped(view.query)}\n```\n"
    if tables.questions:
        yield "### Questions\n"
        for question, query in tables.questions:
            yield f"{_text(question)}\n"
            yield f"```sql\n{_wrapped(query)}\n```\n"


def _table(table: TableType) -> Iterator[str]:
    yield f"### `{table.name}`\n"
    yield f"{_text(table.about)}\n"
    yield "| column | type | content |"
    yield "|---|---|---|"
    for column in table.columns:
        yield f"| `{column.name}` | {column.type} | {_text(_about(column))} |"
    yield ""


def _about(column: TableColumn) -> str:
    notes = [column.about, column.unit or "", f"key of `{column.key}`" if column.key else ""]
    return "; ".join([*filter(None, notes), *(["may be NULL"] if column.is_nullable else [])])


def _wrapped(query: str) -> str:
    """A query with a line for each clause."""
    return re.sub(r" (?=(FROM|JOIN|WHERE|GROUP BY|HAVING|ORDER BY) )", "\n", query)


def _text(text: str) -> str:
    """Text in which, outside of code spans, characters with a meaning in Markdown are escaped."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = (re.sub(r"([\\*_<>\[\]`])", r"\\\1", part) for part in parts[::2])
    return "".join(parts).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
