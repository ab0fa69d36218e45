"""Whole commands of queries over the tables of a report with an index: time, processor time, anonymous memory.

    python bench/queries.py REPORT 'SELECT …' ... [--rounds N] [--no-peer]

Without queries those of the kind of the report. Each is `coffeetree sql` in a new process; the best round counts. Its
peer is DuckDB in a new process, on the same tables loaded into a file of its own before (`--no-peer` does without).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import COFFEETREE, cost, options_of

HEAP = (
    "SELECT class, count(*), sum(retained) FROM object GROUP BY 1 ORDER BY 3 DESC LIMIT 10",
    "SELECT from_class, to_class, count(*) FROM reference GROUP BY ALL ORDER BY 3 DESC LIMIT 10",
    "SELECT * FROM object WHERE object_id = 1000",
)
CALLS = (
    "SELECT caller.package, count(*) FROM call JOIN method AS caller ON caller_id = method_id"
    " GROUP BY ALL ORDER BY 2 DESC LIMIT 10",
    "SELECT caller_package, callee_package, count(*) FROM call GROUP BY ALL ORDER BY 3 DESC LIMIT 10",
    "SELECT * FROM method WHERE method_id = 1000",
)


LOAD = """
import duckdb, pathlib, sys
database = duckdb.connect(sys.argv[1])
for folder in pathlib.Path(sys.argv[2]).iterdir():
    database.execute(f"CREATE TABLE \\"{folder.name}\\" AS FROM '{folder}/*.parquet'")
"""
PEER = "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).sql(sys.argv[2]))"


def main() -> None:
    """Prints a table."""
    parser = options_of(__doc__, rounds=3)
    parser.add_argument("report", type=Path)
    parser.add_argument("query", nargs="*")
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    cost(*COFFEETREE, "index", options.report)
    queries = options.query or (HEAP if options.report.suffix == ".hprof" else CALLS)
    with tempfile.TemporaryDirectory() as folder:
        commands: dict[str, Sequence[str | Path]] = {"coffeetree sql": [*COFFEETREE, "sql", options.report]}
        if not options.no_peer:
            commands["DuckDB"] = [sys.executable, "-c", PEER, loaded(options.report, Path(folder))]
        print("| query | program | time | processors | anonymous memory |\n|---|---|---|---|---|")
        for query in ("SELECT 1", *queries):
            for name, command in commands.items():
                best = min(cost(*command, query) for _ in range(options.rounds))
                numbers = f"{best.seconds:.2f} s | {best.processors:.2f} s | {best.anonymous / 1e6:.0f} MB"
                print(f"| `{query}` | {name} | {numbers} |", flush=True)


def loaded(report: Path, folder: Path) -> Path:
    """Loads all tables of a report into a file of DuckDB; prints what that takes."""
    tables, file = folder / "tables", folder / "tables.duckdb"
    export = cost(*COFFEETREE, "export", report, "--to", "parquet", tables)
    size = sum(path.stat().st_size for path in tables.rglob("*.parquet")) / 1e6
    load = cost(sys.executable, "-c", LOAD, file, tables)
    times = f"{export.seconds:.1f} s, {export.processors:.1f} processor seconds"
    print(f"export: {size:.0f} MB, {times}, {export.anonymous / 1e6:.0f} MB of memory")
    print(f"DuckDB file: {file.stat().st_size / 1e6:.0f} MB, {load.processors:.1f} processor seconds\n")
    return file


if __name__ == "__main__":
    main()
