"""SQL over tables of reports, by DuckDB: `source` (tables as DuckDB reads them), `database` (queries and limits)."""
