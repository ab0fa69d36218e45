"""Time to compare two reports of one kind: `python bench/compare.py OLD NEW`.

Both are indexed first. `whole command` is a new process of `coffeetree diff`, which prints all rows; the steps run in
this process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from parsers.model.report import walk
from parsers.runtime.opening import open_compared

ROUNDS = 6


def command(*words: str) -> tuple[float, float, int]:
    """Runs a new process. Returns seconds, seconds of processor time, and its peak memory in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tui.app.main", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def best(*words: str) -> tuple[float, float, int]:
    """Returns the fastest of several runs."""
    return min(command(*words) for _ in range(ROUNDS))


def seconds(step: Callable[[], Any]) -> float:
    """Returns the seconds of a step."""
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def steps(old: str, new: str) -> None:
    """Prints the time of each step."""
    report: Any = open_compared(old, new)
    report.wait()
    for view in report.views:
        made = seconds(lambda view=view: view.differences)  # type: ignore[misc]
        rows = seconds(lambda view=view: [view.tree.row(node) for node, _ in walk(view.tree)])  # type: ignore[misc]
        print(f"| {view.name} | {view.row_count:,} rows | compared {made:.3f} s | all rows {rows:.3f} s |")
    report.close()


def main() -> None:
    """Print a table."""
    old, new = sys.argv[1:]
    for path in (old, new):
        command("index", path)
    print(f"{os.path.getsize(old) / 1e6:,.0f} and {os.path.getsize(new) / 1e6:,.0f} MB\n")
    print("| command | whole command | processor time | memory, mapped pages of indexes among it |\n|---|---|---|---|")
    for words in (("diff", old, new), ("diff", "--limit", "100", old, new), ("diff", "--json", old, new)):
        elapsed, worked, memory = best(*words)
        print(f"| {' '.join(words[:-2])} | {elapsed:.2f} s | {worked:.2f} s | {memory} MB |")
    steps(old, new)


if __name__ == "__main__":
    main()
