"""Times of the steps of indexing a binary heap dump, compared with `cat`. Prints a table.

    python bench/heap.py DUMP... [--rounds N]

Each round is a whole index in a process of its own, in an empty cache; the round with the least total time counts. The
file is read once before, so that it is in memory. Times are wall-clock times, followed by processor times;
"memory" is peak anonymous memory, also in relation to 8 bytes for each object and reference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from measure import Watch, cost, options_of

from parsers.runtime.compile import compile_all

STEPS = ("read_heap", "sizes", "references", "transpose", "dominate", "below")
"""Methods of `KernelSteps`: objects and classes, sizes, references, transposed references; dominators, in parallel to
others; sums of dominated objects."""


def main() -> None:
    """Measures the dumps of the command line."""
    parser = options_of(__doc__, rounds=3)
    parser.add_argument("dump", nargs="+", type=Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(str(options.dump[0]))))
        return
    compile_all()
    for path in options.dump:
        cat = min(cost("cat", path).seconds for _ in range(2))
        rounds = [one_round(path) for _ in range(options.rounds)]
        print_table(path, cat, min(rounds, key=lambda each: each["seconds"]))


def one_round(path: Path) -> dict[str, Any]:
    """Indexes a dump in another process."""
    answer = subprocess.run(
        [sys.executable, __file__, "--inside", str(path)], stdout=subprocess.PIPE, check=True, env=os.environ
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def measure(path: str) -> dict[str, Any]:
    """Indexes a dump here."""
    from parsers.formats.hprof.dump.index.build import DumpBuild
    from parsers.formats.hprof.dump.index.heap_engine import KernelSteps
    from parsers.io.cache import Cache
    from parsers.io.group import SourceGroup
    from parsers.io.open_source import open_source

    steps: dict[str, list[float]] = {}
    for name in STEPS:
        setattr(KernelSteps, name, timed(name, getattr(KernelSteps, name), steps))
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder, Watch(os.getpid()) as watch:
        cache = Cache(folder)
        source = SourceGroup([open_source(path, cache)])
        place = cache.index_folder(source.identity, "hprof-binary")
        started, used = time.perf_counter(), time.process_time()
        stages: dict[str, float] = {}

        def report_progress(news: Mapping[str, Any]) -> None:
            known = ["classes"] if news["rows"] else []
            for stage in (*known, *news["whole"]):
                stages.setdefault(stage, time.perf_counter() - started)

        header = DumpBuild(source, place, "hprof-binary", report_progress).run()
        seconds, processors = time.perf_counter() - started, time.process_time() - used
    return {
        "steps": steps,
        "stages": stages,
        "seconds": seconds,
        "processors": processors,
        "bytes": header.size,
        "objects": header.totals["objects"],
        "references": header.totals["references"],
        "memory": watch.most,
        "stored": sum(array.size for array in header.arrays.values()),
    }


def timed(name: str, step: Callable[..., Any], steps: dict[str, list[float]]) -> Callable[..., Any]:
    """Wraps a step, to record its time."""

    def run(*arguments: Any) -> Any:
        started, used = time.perf_counter(), time.process_time()
        result = step(*arguments)
        steps[name] = [time.perf_counter() - started, time.process_time() - used]
        return result

    return run


def print_table(path: Path, cat: float, found: dict[str, Any]) -> None:
    """Prints the results of one dump."""
    giga = found["bytes"] / 1e9
    allowed = 8 * (found["objects"] + found["references"])
    print(f"{path.name}: {giga:.2f} GB, {found['objects']:,} objects, {found['references']:,} references")
    print(f"  {'cat':12} {cat:7.2f} s {cat / giga:6.2f} s a GB")
    for name, (seconds, processors) in found["steps"].items():
        print(f"  {name:12} {seconds:7.2f} s {seconds / giga:6.2f} s a GB   {processors:6.2f} s of processors")
    for name, seconds in found["stages"].items():
        print(f"  {name:12} {seconds:7.2f} s {seconds / giga:6.2f} s a GB   from the start until readers have them")
    seconds, processors = found["seconds"], found["processors"]
    print(f"  {'all':12} {seconds:7.2f} s {seconds / giga:6.2f} s a GB   {processors:6.2f} s of processors")
    memory = found["memory"]
    print(f"  memory {memory / 1e6:,.0f} MB, {memory / allowed:.2f} × 8 bytes for each object and reference")
    print(f"  index {found['stored'] / 1e6:,.0f} MB, {found['stored'] / found['bytes']:.0%} of the dump")


if __name__ == "__main__":
    main()
