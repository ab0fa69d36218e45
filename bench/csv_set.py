"""Time to index a CSV call tree, compared with a database that loads the same tables.

    python bench/csv_set.py SET... [--rounds N] [--duckdb PYTHON]

SET is any table of a set. Each round is a whole `coffeetree index` into an empty cache; the best one counts, also
for the peer. The peer is DuckDB, used for SQL queries: it loads each table as it is, without methods whose names
contain commas, which it misreads. Then it computes the distance of each method from an entry, level by level; an index
has it, too. PYTHON is an interpreter with the package `duckdb`. Finally the first screen and the first rows of the
browser without an index, and a search through all rows: its whole command.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path

from measure import COFFEETREE, cost, options_of, timed

from parsers.formats.folder import tables_in_folder
from parsers.io.report_name import split_name
from parsers.runtime.compile import compile_all
from parsers.runtime.opening import open_report

LOAD = """
import json, os, sys, time, duckdb
folder, tables = sys.argv[1], json.loads(sys.argv[2])
text = ("Name", "Type", "Parameters", "Return", "Display", "Flags", "BytecodeIndexes", "IsEntryPoint", "IsDirect")
began = time.perf_counter()
data = duckdb.connect(os.path.join(folder, "peer.db"))
data.execute("set enable_progress_bar = false")
for table, path in tables.items():
    with open(path) as file:
        names = file.readline().strip().split(",")
    columns = {name: "VARCHAR" if name in text else "BIGINT" for name in names}
    told = "header = true, delim = ',', quote = '', escape = '', strict_mode = false, ignore_errors = true"
    data.execute(f"create table {table} as select * from read_csv('{path}', columns = {columns}, {told})")
loaded = time.perf_counter()
if "invokes" in tables:
    data.execute("create table edge as select MethodId a, t.TargetId b "
                 "from invokes i join targets t on t.InvokeId = i.Id")
    first = "select Id from methods where IsEntryPoint = 'true'"
else:
    data.execute("create table edge as select StartId a, EndId b from direct_edges union all "
                 "select v.StartId, o.EndId from virtual_edges v join override_by_edges o on o.StartId = v.EndId")
    first = "select Id from entry_points"
data.execute(f"create table reached as select Id, 0 level from ({first})")
level, count = 0, 1
while count:
    before, level = level, level + 1
    data.execute(f"insert into reached select distinct b, {level} from edge join reached r on a = r.Id "
                 f"where r.level = {before} and b not in (select Id from reached)")
    count = data.execute(f"select count(*) from reached where level = {level}").fetchone()[0]
ended = time.perf_counter()
data.close()
rows = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
print(json.dumps([loaded - began, ended - loaded, rows, level - 1]))
"""


def index(path: str, cache: str) -> tuple[float, dict[str, float]]:
    """Runs a whole command with an empty cache. Returns its seconds and its output."""
    for file in Path(cache).rglob("*"):
        if file.is_file():
            file.unlink()
    began = time.perf_counter()
    command = [*COFFEETREE, "index", "--json", "--cache-dir", cache, path]
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return time.perf_counter() - began, json.loads(told)


def peer(python: str, tables: dict[str, str]) -> list[float]:
    """Returns seconds of the peer to load and to find distances, bytes of its file, the largest distance."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as folder:
        told = subprocess.run([python, "-c", LOAD, folder, json.dumps(tables)], stdout=subprocess.PIPE, check=True)
        found: list[float] = json.loads(told.stdout)
        return found


def first_rows(path: str) -> int:
    """Opens a set; returns the number of its first rows."""
    with closing(open_report([path])) as report:
        return report.views[0].row_count or 0


def main() -> None:
    """Prints the results."""
    parser = options_of(__doc__, rounds=3)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--duckdb", metavar="PYTHON")
    options = parser.parse_args()
    compile_all()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for path in options.sets:
        tables = {split_name(os.path.basename(each)).table: each for each in tables_in_folder(path)}
        size = sum(map(os.path.getsize, tables.values()))
        for table in tables.values():
            cost("cat", table)
        print(f"\n{os.path.basename(path)}: {len(tables)} tables, {size / 1e6:,.1f} MB")
        with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
            took, told = min((index(path, cache) for _ in range(options.rounds)), key=lambda run: run[0])
            engine, stored = told["seconds"], told["index_bytes"]
            print(f"  index: {engine:.2f} s, {size / engine / 1e6:,.0f} MB/s; whole command {took:.2f} s; ", end="")
            print(f"{stored / 1e6:,.0f} MB")
            for pattern in (("--regex", r"\bget\w+"), ("bci=7",), ("StringBuilder",)):
                words = (*COFFEETREE, "find", "--count", "--cache-dir", cache, path, *pattern)
                print(f"  find {' '.join(pattern)}: {min(cost(*words).seconds for _ in range(options.rounds)):.2f} s")
        found = min(timed(partial(first_rows, path)) for _ in range(options.rounds))
        print(f"  first rows: {found[0] * 1000:.0f} ms, {found[1]:,} of them")
        if options.duckdb is not None:
            loads = [peer(options.duckdb, tables) for _ in range(options.rounds)]
            load, levels = min(each[0] for each in loads), min(each[1] for each in loads)
            print(f"  DuckDB: loading {load:.2f} s, distances {levels:.2f} s, {loads[0][2] / 1e6:,.0f} MB; ", end="")
            print(f"both {(load + levels) / took:.1f} times as long as the whole command")


if __name__ == "__main__":
    main()
