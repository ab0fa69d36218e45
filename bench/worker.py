"""Times of keystrokes in the name search and of filters, through the worker as in the browser. Prints a table.

    python bench/worker.py REPORT [--names N] [WORD …]

The report's index is built first if it isn't there. Each word is typed letter by letter; a keystroke's time is from the
question to the answer in this process, with its 200 names. With `--names N` the names are N generated
ones, to compare with the target of 50 ms at 250,000. Filters are timed from the question to a selection that can be
shown.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from measure import milliseconds, timed

from parsers.formats.graalvm.text.report import TextReport
from parsers.query.search.names import NameSearch
from parsers.query.search.pattern import compile_pattern
from parsers.query.selection.selection import Filters
from parsers.runtime.opening import open_report
from parsers.runtime.worker.job import FindJob
from parsers.runtime.worker.worker import Worker

WORDS = ("hashmap", "jdbcclose", "Buffer.get", "java util init", "zzz")
PARTS = (
    "Map",
    "Hash",
    "Entry",
    "Node",
    "Buffer",
    "Stream",
    "Value",
    "Key",
    "String",
    "Handler",
    "Factory",
    "Close",
    "Init",
)


def made_names(count: int) -> Iterator[bytes]:
    """Returns names of methods as in a large image, some 90 bytes long."""
    chance = random.Random(1)
    for number in range(count):
        package = ".".join(chance.choice(PARTS).lower() for _ in range(4))
        holder = "".join(chance.choice(PARTS) for _ in range(3)) + str(number % 997)
        method = chance.choice(PARTS).lower() + chance.choice(PARTS)
        yield f"{package}.{holder}.{method}(java.lang.Object, int):java.lang.String".encode()


def print_keystrokes(word: str, ask: Callable[[str], int]) -> None:
    """Types a word and prints the times of its letters."""
    answers = [timed(partial(ask, word[:end])) for end in range(1, len(word) + 1)]
    times, count = [1000 * took for took, _ in answers], answers[-1][1]
    print(f"{word:18} {count:10,} {times[0]:8.1f} {statistics.median(times):8.1f} {max(times):8.1f}")


def print_filters(worker: Worker, report: TextReport[Any]) -> None:
    """Searches, then makes selections of all views that have filters, with and without the search."""
    found = worker.find(report.source.plain_files[0][0], compile_pattern("String"), report.encoding)
    taken = milliseconds(found.wait)
    print(f"\n{'view':14} {'filter':32} {'rows left':>12} {'ms':>8}")
    print(f"{'':14} {'(the search for String itself)':32} {found.count:12,} {taken:8.0f}")
    suppress = {"suppress_methods": "java.*", "suppress_types": "java.*"}
    asked: tuple[tuple[str, Filters, FindJob | None], ...] = (
        ("rows with String", Filters(), found),
        ("without JDK packages", Filters(("jdk",)), None),
        ("without lambdas and synthetic", Filters(("synthetic",)), None),
        ("without references", Filters(("references",)), None),
        ("java.* suppressed", Filters((), suppress), None),
        ("roots *Context* suppressed", Filters((), {"suppress_roots": "*Context*"}), None),
        ("all of these", Filters(("jdk", "references"), suppress), found),
    )
    for view in (view for view in report.views if view.tree.preorder is not None):
        for words, filters, matches in asked:
            job = worker.select(filters, view.name, matches)
            taken = milliseconds(job.wait)
            print(f"{view.name:14} {words:32} {job.count:12,} {taken:8.0f}{'  ' + str(job.error) if job.error else ''}")
            job.close()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("report")
    parser.add_argument("words", nargs="*", default=WORDS)
    parser.add_argument("--names", type=int, default=0)
    options = parser.parse_args()
    report = open_report([options.report])
    if not isinstance(report, TextReport):
        raise SystemExit(f"{options.report}: has no names")
    report.wait()
    worker = Worker()
    worker.open([report.source.stored_path], report.format, report.source.cache.folder, is_ready=True)

    def asked(query: str) -> int:
        job = worker.names(query)
        job.wait()
        return job.count

    ask = asked
    if options.names:
        names = NameSearch(list(made_names(options.names)), bytes.decode)
        names.prepare()
        while not names.search("a", str.encode).is_fuzzy:
            time.sleep(0.1)

        def asked_here(query: str) -> int:
            return names.search(query, str.encode).count

        ask = asked_here
    else:
        print(f"first question, with the child's start: {milliseconds(lambda: asked('a')):.0f} ms")
        time.sleep(3)
    print(f"{options.names or len(report.names):,} names")
    print(f"{'typed':18} {'fit':>10} {'first':>8} {'median':>8} {'worst':>8}  ms")
    for word in options.words:
        print_keystrokes(word, ask)
    print_filters(worker, report)
    worker.close()
    report.close()


if __name__ == "__main__":
    main()
