"""Time to compare two reports of one kind: `python bench/compare.py OLD NEW`.

Both are indexed first. `whole command` is a new process of `coffeetree diff`, which prints all rows; the steps run in
this process.
"""

from __future__ import annotations

import os
import sys

from measure import COFFEETREE, cost, seconds

from parsers.model.trees.tree import walk
from parsers.runtime.opening import open_compared

ROUNDS = 6


def steps(old: str, new: str) -> None:
    """Prints the time of each step."""
    report = open_compared(old, new)
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
        cost(*COFFEETREE, "index", path)
    print(f"{os.path.getsize(old) / 1e6:,.0f} and {os.path.getsize(new) / 1e6:,.0f} MB\n")
    print("| command | whole command | processor time | memory, mapped pages of indexes among it |\n|---|---|---|---|")
    for words in (("diff", old, new), ("diff", "--limit", "100", old, new), ("diff", "--json", old, new)):
        best = min(cost(*COFFEETREE, *words) for _ in range(ROUNDS))
        numbers = f"{best.seconds:.2f} s | {best.processors:.2f} s | {best.resident >> 20} MB"
        print(f"| {' '.join(words[:-2])} | {numbers} |")
    steps(old, new)


if __name__ == "__main__":
    main()
