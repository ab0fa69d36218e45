"""SQL over tables of reports, by DuckDB.

`source` (tables as DuckDB reads them), `database` (queries and limits), `stored_rows` (results in files), `ranks`
(their order), `result_view` (a result as a view).
"""
