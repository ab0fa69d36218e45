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

import os
import re
import statistics
import tempfile
import time
from functools import partial

import numpy as np
from measure import Table, build, cost, options_of, seconds, timed

from parsers.formats.hprof.profile_report import ProfileReport
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.model.row import Row
from parsers.model.view import View
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


def read_plainly(path: str) -> None:
    """Reads a dump by one expression a line, into dictionaries."""
    objects: dict[bytes, tuple[int, int, bytes, bytes]] = {}
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


def rows_of(view: View) -> list[Row]:
    """Returns the rows of the first screen of a view."""
    return [view.tree.row(node) for node in view.tree.roots()[:ROWS]]


def trace_times(path: str) -> list[float]:
    """Returns the seconds until each row of the samples has its side pane with its trace."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        place = Cache(cache)
        report = ProfileReport([open_source(path, place)], place)
        report.wait()
        view = report.views[0]
        while (preparation := view.preparation()) is not None:
            preparation.run()
            preparation.finish()

        def show(node: int) -> None:
            view.tree.row(node)
            view.sections(node)

        times = [seconds(partial(show, node)) for node in view.tree.roots()]
        report.close()
        return times


def merging_time(rounds: int) -> tuple[float, int]:
    """Merges generated traces with common prefixes, as those of a program. Returns the seconds and the nodes."""
    random = np.random.default_rng(7)
    frames = random.integers(0, 4, (TRACES, DEPTH)).cumsum(axis=1).astype(np.uint32)
    paths = Stacks(np.arange(TRACES + 1, dtype=np.int64) * DEPTH, frames.reshape(-1))
    weights = [random.integers(1, 100, TRACES)]
    return min(timed(lambda: merge(paths, weights).count) for _ in range(rounds))


def main() -> None:
    """Prints the tables."""
    parser = options_of(__doc__)
    parser.add_argument("dump")
    parser.add_argument("--samples")
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    compile_all()
    size = os.path.getsize(options.dump)
    lines = min(cost("wc", "-l", options.dump).seconds for _ in range(2))
    runs = [build(options.dump) for _ in range(options.rounds)]
    best = min(runs, key=lambda run: run.engine)
    cells = {
        "MB": f"{size / 1e6:,.0f}",
        "rows": f"{best.rows:,}",
        "engine": f"{best.engine:.3f} s",
        "MB/s": f"{size / best.engine / 1e6:,.0f}",
        "command": f"{min(run.command.seconds for run in runs):.2f} s",
        "processor": f"{min(run.command.processors for run in runs):.2f} s",
        "anon MB": f"{best.command.anonymous / 1e6:.0f}",
        "index": f"{best.stored / size:.1%}",
        "wc -l": f"{lines:.2f} s",
        "plain": f"{seconds(partial(read_plainly, options.dump)):.1f} s" if options.slow else "-",
    }
    Table("", 1, list(cells), 12).row("", list(cells.values()))
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
    took, nodes = merging_time(options.rounds)
    print(f"\nmerging {TRACES:,} traces of depth {DEPTH}: {took:.2f} s, {nodes:,} nodes")


if __name__ == "__main__":
    main()
