"""Whole commands of queries over the tables of a report with an index: time, processor time, anonymous memory.

    python bench/queries.py REPORT 'SELECT …' ... [--rounds N]

Without queries those of the kind of the report. Each is `coffeetree sql` in a new process; the best round counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

EVERY = 0.02
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
    options = parser.parse_args()
    subprocess.run([sys.executable, "-m", "tui", "index", options.report], check=True, stdout=subprocess.DEVNULL)
    queries = options.query or (HEAP if options.report.suffix == ".hprof" else CALLS)
    print("| query | time | processors | anonymous memory |\n|---|---|---|---|")
    for query in ("SELECT 1", *queries):
        best = min(measured(options.report, query) for _ in range(options.rounds))
        print(f"| `{query}` | {best.seconds:.2f} s | {best.processors:.2f} s | {best.memory:.0f} MB |", flush=True)


def measured(report: Path, query: str) -> Run:
    """Runs a command; its memory is that of its process."""
    started = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "tui", "sql", report, query], stdout=subprocess.DEVNULL)
    memory = 0
    while child.poll() is None:
        memory = max(memory, anonymous(child.pid))
        time.sleep(EVERY)
    seconds = time.perf_counter() - started
    if child.returncode:
        sys.exit(child.returncode)
    before, times = measured.__dict__.get("before", 0.0), os.times()
    measured.__dict__["before"] = times.children_user + times.children_system
    return Run(seconds, times.children_user + times.children_system - before, memory / 1e3)


def anonymous(process: int) -> int:
    """Anonymous memory of a process in KB; 0 if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")), 0)


if __name__ == "__main__":
    main()
