"""Indexing rate of a compilation log, compared with other programs. Prints a table.

    python bench/log.py LOG... [--rounds N] [--slow]

"tasks" is until all tasks and events are known and joined, "insides" until their contents are; both from the start
of the indexer's process, in an empty cache. "scan" is the rate of the first pass alone, from its first chunk to its
last; "second" that of the second pass, from when all tasks are known to when all views have their whole tables. Best of
some rounds; logs are read once before. `--slow` also parses each log by lxml's iterparse, which takes minutes for a
large one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from index import Watch, seconds_of

from parsers.runtime.compile import compile_all


@dataclass(frozen=True)
class Run:
    """One build of an index."""

    scan: float
    second: float
    tasks: float
    insides: float
    anonymous: int
    rows: int
    stored: int


def build(path: str) -> Run:
    """Builds an index in an empty cache, and records its progress."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", cache, path]
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        watch = Watch(child.pid)
        assert child.stdout is not None
        first = last = joined = began_second = whole = None
        news = {}
        for line in child.stdout:
            news = json.loads(line)
            if "lengths" in news and not news["says"]:
                first = first or news
                last = news
            elif "lengths" in news:
                joined = joined or time.perf_counter() - began
                began_second = began_second or news
                whole = news
        took = time.perf_counter() - began
        child.wait()
        watch.stop()
        if news.get("state") != "ready":
            raise SystemExit(news.get("says", "the indexer failed"))
        scan = last["seconds"] - first["seconds"] if first and last else 0.0
        share = (last["done"] - first["done"]) / max(scan, 1e-9) if first and last else 0.0
        taken = whole["seconds"] - began_second["seconds"] if whole and began_second else 0.0
        second = os.path.getsize(path) / taken if taken else 0.0
        stored = sum(file.stat().st_size for file in Path(cache).rglob("ready/*"))
        return Run(share, second, joined or took, took, watch.most, news["rows"], stored)


def iterparse(path: str) -> float:
    """Returns the seconds of lxml for all elements of a well-formed log, keeping none."""
    from lxml import etree

    began = time.perf_counter()
    tasks = 0
    for _, element in etree.iterparse(path, tag=("task", "tty"), recover=True, huge_tree=True):
        tasks += element.tag == "task"
        element.clear()
    return time.perf_counter() - began


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow", action="store_true", help="lxml's iterparse, too")
    options = parser.parse_args()
    compile_all()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    heads = ("MB", "rows", "scan", "second", "tasks", "insides", "anon MB", "index", "wc -l", "grep -c", "iterparse")
    print("file".ljust(30) + "".join(head.rjust(11) for head in heads))
    for path in options.logs:
        size = os.path.getsize(path)
        wc = min(seconds_of("wc", "-l", path) for _ in range(2))
        grep = min(seconds_of("grep", "-c", "<task ", path) for _ in range(2))
        runs = [build(path) for _ in range(options.rounds)]
        best = min(runs, key=lambda run: run.insides)
        cells = (
            f"{size / 1e6:,.1f}",
            f"{best.rows:,}",
            f"{max(run.scan for run in runs) / 1e9:.2f} GB/s",
            f"{max(run.second for run in runs) / 1e6:,.0f} MB/s",
            f"{min(run.tasks for run in runs):.2f} s",
            f"{best.insides:.2f} s",
            f"{best.anonymous / 1e6:.0f}",
            f"{best.stored / size:.1%}",
            f"{wc:.2f} s",
            f"{grep:.2f} s",
            f"{iterparse(path):.1f} s" if options.slow else "-",
        )
        print(os.path.basename(path)[:29].ljust(30) + "".join(cell.rjust(11) for cell in cells))


if __name__ == "__main__":
    main()
