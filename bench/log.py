"""Indexing rate of a compilation log, compared with other programs. Prints a table.

    python bench/log.py LOG... [--rounds N] [--slow]

"tasks" is until all tasks and events are known and joined, "decisions" until their contents are; both from the start
of the indexer's process, in an empty cache. "scan" is the rate of the first pass alone, from its first chunk to its
last; "second" that of the second pass, from when all tasks are known to when all views have their whole tables. Best of
some rounds; logs are read once before. `--slow` also parses each log by lxml's iterparse, which takes minutes for a
large one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from measure import Table, build, cost, options_of, seconds

from parsers.runtime.compile import compile_all


class Stages:
    """The stages of one build, from the messages of the indexer."""

    def __init__(self, path: str) -> None:
        """Builds an index in an empty cache."""
        self._scans: list[Mapping[str, Any]] = []
        """Messages of the first pass."""
        self._joins: list[Mapping[str, Any]] = []
        """Messages of the second pass."""
        self.tasks = 0.0
        """Seconds until all tasks and events are joined."""
        self.build = build(path, follow=self._follow)
        self._size = os.path.getsize(path)

    def _follow(self, news: Mapping[str, Any], elapsed: float) -> None:
        if "lengths" in news and not news["says"]:
            self._scans.append(news)
        elif "lengths" in news:
            self.tasks = self.tasks or elapsed
            self._joins.append(news)

    @property
    def scan(self) -> float:
        """Bytes a second of the first pass."""
        read = self._scans[-1]["done"] - self._scans[0]["done"] if self._scans else 0
        return float(read / max(_between(self._scans), 1e-9))

    @property
    def second(self) -> float:
        """Bytes a second of the second pass."""
        taken = _between(self._joins)
        return self._size / taken if taken else 0.0


def _between(news: Sequence[Mapping[str, Any]]) -> float:
    """Seconds between the first and the last message."""
    return float(news[-1]["seconds"] - news[0]["seconds"]) if news else 0.0


def iterparse(path: str) -> None:
    """Lets lxml go through all elements of a well-formed log, keeping none."""
    from lxml import etree

    tasks = 0
    for _, element in etree.iterparse(path, tag=("task", "tty"), recover=True, huge_tree=True):
        tasks += element.tag == "task"
        element.clear()


def main() -> None:
    """Prints the table."""
    parser = options_of(__doc__)
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--slow", action="store_true", help="lxml's iterparse, too")
    options = parser.parse_args()
    compile_all()
    heads = ("MB", "rows", "scan", "second", "tasks", "decisions", "anon MB", "index", "wc -l", "grep -c", "iterparse")
    table = Table("file", 30, heads, 11)
    for path in options.logs:
        size = os.path.getsize(path)
        wc = min(cost("wc", "-l", path).seconds for _ in range(2))
        grep = min(cost("grep", "-c", "<task ", path).seconds for _ in range(2))
        runs = [Stages(path) for _ in range(options.rounds)]
        best = min((run.build for run in runs), key=lambda each: each.command.seconds)
        cells = (
            f"{size / 1e6:,.1f}",
            f"{best.rows:,}",
            f"{max(run.scan for run in runs) / 1e9:.2f} GB/s",
            f"{max(run.second for run in runs) / 1e6:,.0f} MB/s",
            f"{min(run.tasks or run.build.command.seconds for run in runs):.2f} s",
            f"{best.command.seconds:.2f} s",
            f"{best.command.anonymous / 1e6:.0f}",
            f"{best.stored / size:.1%}",
            f"{wc:.2f} s",
            f"{grep:.2f} s",
            f"{seconds(partial(iterparse, path)):.1f} s" if options.slow else "-",
        )
        table.row(os.path.basename(path), cells)


if __name__ == "__main__":
    main()
