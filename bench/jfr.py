"""Flight Recorder files: indexing rate, flame as a whole command, and a large table, beside other programs.

    python bench/jfr.py RECORDING... [--rounds N] [--jfr PROGRAM] [--converter JAR] [--slow]

"index" is a whole index, from the first byte read to its last array in its place; "processors" the processor time of
the indexer's process; "flame" `coffeetree tree --view Flame` in an empty cache, as a whole command. "open" is the time
from the finished index to the first fifty rows of the type with the most events; "sort" that until the first fifty are
shown by start. Best of some rounds; files are read once before. With `--jfr`, the JDK's program summarises the file
and views its hot methods; with `--slow` it prints the file as JSON, too. With `--converter`, async-profiler's
jfr-converter makes a flame graph of it. Of these and of "flame" processor seconds are in brackets.
"""

from __future__ import annotations

import os
import tempfile

from measure import COFFEETREE, Cost, Table, build, cost, options_of, seconds

from parsers.io.cache import Cache
from parsers.runtime.compile import compile_all
from parsers.runtime.opening import open_report

SHOWN = 50
"""Rows of a screen."""
WIDTH = 16
"""Characters of a column."""


def flame(path: str) -> Cost:
    """Returns the cost of a flame graph of all samples, from nothing."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        return cost(*COFFEETREE, "tree", "--cache-dir", cache, "--view", "Flame", path)


def shown(costs: Cost) -> str:
    """Formats seconds, and those of the processors."""
    return f"{costs.seconds:.2f} ({costs.processors:.2f}) s"


def largest_table(path: str) -> tuple[int, float, float]:
    """Returns the most events of a type, and the seconds until its first rows are there, unsorted and by start."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as folder:
        cache = Cache(folder)
        open_report([path], cache=cache).wait()
        report = open_report([path], cache=cache)
        report.wait()
        tree = report.view("Events").tree

        def rows(order: str | None) -> None:
            largest = next(iter(tree.roots("events")))
            for node in tree.children(largest, order)[:SHOWN]:
                tree.row(node)

        took = seconds(lambda: rows(None)), seconds(lambda: rows("start"))
        most = max(int(tree.row(node).badges["events"]) for node in tree.roots())  # type: ignore[arg-type]
        report.close()
        return most, *took


def main() -> None:
    """Prints the table."""
    parser = options_of(__doc__)
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--jfr", help="the program `jfr` of a JDK")
    parser.add_argument("--converter", help="async-profiler's jfr-converter.jar")
    parser.add_argument("--slow", action="store_true", help="`jfr print --json`, too")
    options = parser.parse_args()
    compile_all()
    heads = ("MB", "events", "index", "rate", "processors", "anon MB", "of file", "wc -l", "flame", "of a type", "open")
    peers = ("sort", "summary", "hot-methods", "converter", "json")
    table = Table("file", 20, (*heads, *peers), WIDTH)
    for path in options.recordings:
        size = os.path.getsize(path)
        cost("cat", path)
        runs = [build(path) for _ in range(options.rounds)]
        best = min(runs, key=lambda run: run.engine)
        most, opened, sorted_ = largest_table(path)
        cells = [
            f"{size / 1e6:,.0f}",
            f"{best.rows:,}",
            f"{best.engine:.2f} s",
            f"{size / best.engine / 1e6:,.0f} MB/s",
            f"{min(run.command.processors for run in runs):.2f} s",
            f"{max(run.command.anonymous for run in runs) / 1e6:.0f}",
            f"{best.stored / size:.1%}",
            f"{min(cost('wc', '-l', path).seconds for _ in range(options.rounds)):.2f} s",
            shown(min(flame(path) for _ in range(options.rounds))),
            f"{most:,}",
            f"{opened:.2f} s",
            f"{sorted_:.2f} s",
        ]
        if options.jfr:
            for words in (("summary",), ("view", "hot-methods")):
                cells.append(shown(min(cost(options.jfr, *words, path) for _ in range(options.rounds))))
        if options.converter:
            command = ("java", "-jar", options.converter, path, os.devnull)
            cells.append(shown(min(cost(*command) for _ in range(options.rounds))))
        if options.jfr and options.slow:
            cells.append(shown(cost(options.jfr, "print", "--json", path)))
        table.row(os.path.basename(path), cells)


if __name__ == "__main__":
    main()
