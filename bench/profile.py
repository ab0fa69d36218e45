"""Rate of indexing and showing HPROF text, compared with `wc -l` and regular expressions. Prints tables.

    python bench/profile.py DUMP [--samples PROFILE] [--rounds N] [--slow]

DUMP is a text heap dump, PROFILE a file with CPU samples. "engine" is from the first to the last byte, without the
start of the process; "processor" the processor time of that process, start and loading of kernels included: the
number to compare on a busy machine. `--slow` also reads the dump by a plain reader: one expression a line,
dictionaries of objects and references, nothing joined.

Then: the first rows with an empty cache and with a full one; the time to show the trace of each sample in the side
pane; merging 100,000 generated traces of depth 30.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from index import Watch, seconds_of

from parsers.formats.hprof.profile_report import ProfileReport
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.profile.merge import merge
from parsers.profile.stacks import Stacks
from parsers.runtime.compile import compile_all

ROWS = 40
"""Rows of a screen."""
FRAME = 1 / 60
TRACES, DEPTH = 100_000, 30
RECORD = re.compile(
    rb"(?:OBJ|ARR) ([0-9a-f]+) \(sz=(\d+), trace=(\d+), (?:nelems=(\d+), elem type|class)=(.*)\)|\t(.*?)\t+([0-9a-f]+)"
)


@dataclass(frozen=True)
class Run:
    """One build of an index."""

    engine: float
    command: float
    processor: float
    rows: int
    anonymous: int
    stored: int


def build(path: str, cache: str) -> Run:
    """Builds an index in an empty cache."""
    command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", cache, path]
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    watch = Watch(child.pid)
    assert child.stdout is not None
    last = json.loads(child.stdout.read().splitlines()[-1])
    took = time.perf_counter() - began
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    watch.stop()
    if last["state"] != "ready":
        raise SystemExit(last["says"])
    stored = sum(file.stat().st_size for file in Path(cache).rglob("ready/*"))
    return Run(last["seconds"], took, used.ru_utime + used.ru_stime, last["rows"], watch.most, stored)


def plain_reader(path: str) -> float:
    """Returns the seconds of one expression a line, into dictionaries."""
    began = time.perf_counter()
    objects: dict[bytes, tuple[Any, ...]] = {}
    references: list[tuple[bytes, bytes]] = []
    with open(path, "rb") as file:
        for line in file:
            found = RECORD.match(line)
            if found is None:
                continue
            if found[1] is None:
                references.append((found[6], found[7]))
            else:
                objects[found[1]] = (int(found[2]), int(found[3]), found[4], found[5])
    return time.perf_counter() - began


def first_rows(path: str, cache: str) -> tuple[str, float, float]:
    """Returns the first view of a report; seconds until it is open, and until the view has its first rows."""
    began = time.perf_counter()
    place = Cache(cache)
    report = ProfileReport([open_source(path, place)], place)
    opened = time.perf_counter() - began
    report.start_index()
    try:
        while not (report.views[0].is_ready and len(rows_of(report.views[0]))):
            time.sleep(0.001)
            report.follow()
        return report.views[0].name, opened, time.perf_counter() - began
    finally:
        report.close()


def rows_of(view: Any) -> list[Any]:
    """Returns the rows of the first screen of a view."""
    return [view.tree.row(node) for node in view.tree.roots()[:ROWS]]


def trace_times(path: str) -> list[float]:
    """Returns the seconds until each row of the samples has its side pane with its trace."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        place = Cache(cache)
        report = ProfileReport([open_source(path, place)], place)
        report.wait()
        view = report.views[0]
        prepare = getattr(view, "preparation", lambda: None)
        while (preparation := prepare()) is not None:
            preparation.run()
            preparation.finish()
        times = []
        for node in view.tree.roots():
            began = time.perf_counter()
            view.tree.row(node)
            view.sections(node)
            times.append(time.perf_counter() - began)
        report.close()
        return times


def merging_time(rounds: int) -> tuple[float, int]:
    """Merges generated traces with common prefixes, as those of a program. Returns the seconds and the nodes."""
    random = np.random.default_rng(7)
    frames = random.integers(0, 4, (TRACES, DEPTH)).cumsum(axis=1).astype(np.uint32)
    paths = Stacks(np.arange(TRACES + 1, dtype=np.int64) * DEPTH, frames.reshape(-1))
    weights = [random.integers(1, 100, TRACES)]
    best, nodes = 1e9, 0
    for _ in range(rounds):
        began = time.perf_counter()
        nodes = merge(paths, weights).count
        best = min(best, time.perf_counter() - began)
    return best, nodes


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    parser.add_argument("--samples")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    compile_all()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    size = os.path.getsize(options.dump)
    lines = min(seconds_of("wc", "-l", options.dump) for _ in range(2))
    runs = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
            runs.append(build(options.dump, cache))
    best = min(runs, key=lambda run: run.engine)
    cells = {
        "MB": f"{size / 1e6:,.0f}",
        "rows": f"{best.rows:,}",
        "engine": f"{best.engine:.3f} s",
        "MB/s": f"{size / best.engine / 1e6:,.0f}",
        "command": f"{min(run.command for run in runs):.2f} s",
        "processor": f"{min(run.processor for run in runs):.2f} s",
        "anon MB": f"{best.anonymous / 1e6:.0f}",
        "index": f"{best.stored / size:.1%}",
        "wc -l": f"{lines:.2f} s",
        "plain": f"{plain_reader(options.dump):.1f} s" if options.slow else "-",
    }
    print("".join(head.rjust(12) for head in cells))
    print("".join(cell.rjust(12) for cell in cells.values()))
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        for says in ("empty cache", "full cache"):
            name, opened, shown = first_rows(options.dump, cache)
            print(f"\n{says}: open after {opened * 1e3:.0f} ms, rows of {name} after {shown * 1e3:.0f} ms")
            build(options.dump, cache)
    if options.samples:
        times = trace_times(options.samples)
        print(
            f"\ntraces of {len(times):,} rows: median {statistics.median(times) * 1e3:.2f} ms, worst "
            f"{max(times) * 1e3:.1f} ms, {sum(each > FRAME for each in times)} of them above a frame"
        )
    seconds, nodes = merging_time(options.rounds)
    print(f"\nmerging {TRACES:,} traces of depth {DEPTH}: {seconds:.2f} s, {nodes:,} nodes")


if __name__ == "__main__":
    main()
