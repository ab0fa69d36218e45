"""Whole commands of queries over the tables of a report with an index: time, processor time, anonymous memory.

    python bench/queries.py REPORT 'SELECT …' ... [--rounds N] [--no-peer]

Without queries those of the kind of the report. Each is `coffeetree sql` in a new process; the best round counts. Its
peer is DuckDB in a new process, on the same tables loaded into a file of its own before (`--no-peer` does without).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

EVERY = 0.02
COFFEETREE = (sys.executable, "-m", "tui")
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


class Run(NamedTuple):
    """A command: seconds, processor seconds, peak anonymous memory in MB."""

    seconds: float
    processors: float
    memory: float


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description="Measure queries over the tables of a report.")
    parser.add_argument("report", type=Path)
    parser.add_argument("query", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    subprocess.run([*COFFEETREE, "index", options.report], check=True, stdout=subprocess.DEVNULL)
    queries = options.query or (HEAP if options.report.suffix == ".hprof" else CALLS)
    with tempfile.TemporaryDirectory() as folder:
        commands: dict[str, Sequence[str | Path]] = {"coffeetree sql": [*COFFEETREE, "sql", options.report]}
        if not options.no_peer:
            commands["DuckDB"] = [sys.executable, "-c", PEER, loaded(options.report, Path(folder))]
        print("| query | program | time | processors | anonymous memory |\n|---|---|---|---|---|")
        for query in ("SELECT 1", *queries):
            for name, command in commands.items():
                best = min(measured([*command, query]) for _ in range(options.rounds))
                numbers = f"{best.seconds:.2f} s | {best.processors:.2f} s | {best.memory:.0f} MB"
                print(f"| `{query}` | {name} | {numbers} |", flush=True)


def loaded(report: Path, folder: Path) -> Path:
    """Loads all tables of a report into a file of DuckDB; prints what that takes."""
    tables, file = folder / "tables", folder / "tables.duckdb"
    export = measured([*COFFEETREE, "export", report, "--to", "parquet", tables])
    size = sum(path.stat().st_size for path in tables.rglob("*.parquet")) / 1e6
    load = measured([sys.executable, "-c", LOAD, file, tables])
    times = f"{export.seconds:.1f} s, {export.processors:.1f} processor seconds, {export.memory:.0f} MB of memory"
    print(f"export: {size:.0f} MB, {times}")
    print(f"DuckDB file: {file.stat().st_size / 1e6:.0f} MB, {load.processors:.1f} processor seconds\n")
    return file


def measured(command: Sequence[str | Path]) -> Run:
    """Runs a command; its memory is that of its process."""
    started = time.perf_counter()
    before = os.times()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    memory = 0
    while child.poll() is None:
        memory = max(memory, anonymous(child.pid))
        time.sleep(EVERY)
    seconds = time.perf_counter() - started
    if child.returncode:
        sys.exit(child.returncode)
    after = os.times()
    processors = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, processors, memory / 1e3)


def anonymous(process: int) -> int:
    """Anonymous memory of a process in KB; 0 if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")), 0)


if __name__ == "__main__":
    main()
