"""Indexing rate of a TPTP recording, compared with other programs. Prints a table.

    python bench/recording.py RECORDING... [--rounds N] [--slow]

"index" is a whole index, from the first byte read to its last array in its place; "command" the indexer's process
around it, in an empty cache. "elements" is reading them alone: the processor time of the kernel and of the steps in
file order, by two threads in a process that has done it before, as a rate of one core. Best of some rounds; files
are read once before. `--slow` also lets a regular expression count elements, and lxml's iterparse go through them.
"""

from __future__ import annotations

import mmap
import os
import re
import time
from functools import partial

from measure import Table, build, cost, options_of, seconds

from parsers.formats.tptp.read.kernel_reader import KernelReader
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.schema.vocabulary import PLAIN
from parsers.io.plain import PlainFile
from parsers.runtime.compile import compile_all


def elements(path: str) -> float:
    """Returns the seconds of processor time in which all elements are read."""
    with open(path, "rb") as file:
        reader = KernelReader(PlainFile(file.fileno()), [DocumentPart(None, 0, os.path.getsize(path))], PLAIN)
        began = time.process_time()
        reader.read(lambda batch: None)
        return time.process_time() - began


def expression(path: str) -> None:
    """Lets a regular expression count beginnings of elements in the mapped file."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        sum(1 for _ in re.finditer(rb"<(\w+)", data))


def iterparse(path: str) -> None:
    """Lets lxml go through all elements and their attributes, keeping none."""
    from lxml import etree

    for _, element in etree.iterparse(path, recover=True):
        element.attrib.get("time")
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def main() -> None:
    """Prints the table."""
    parser = options_of(__doc__)
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--slow", action="store_true", help="a regular expression and lxml's iterparse, too")
    options = parser.parse_args()
    compile_all()
    heads = ("MB", "rows", "index", "rate", "command", "anon MB", "of file", "elements", "wc -c", "regex", "iterparse")
    table = Table("file", 24, heads, 12)
    for path in options.recordings:
        size = os.path.getsize(path)
        cost("cat", path)
        runs = [build(path) for _ in range(options.rounds)]
        best = min(runs, key=lambda run: run.engine)
        cells = (
            f"{size / 1e6:,.1f}",
            f"{best.rows:,}",
            f"{best.engine:.2f} s",
            f"{size / best.engine / 1e6:,.0f} MB/s",
            f"{min(run.command.seconds for run in runs):.2f} s",
            f"{max(run.command.anonymous for run in runs) / 1e6:.0f}",
            f"{best.stored / size:.1%}",
            f"{size / min(elements(path) for _ in range(options.rounds)) / 1e6:,.0f} MB/s",
            f"{min(cost('wc', '-c', path).seconds for _ in range(2)):.2f} s",
            f"{seconds(partial(expression, path)):.1f} s" if options.slow else "-",
            f"{seconds(partial(iterparse, path)):.1f} s" if options.slow else "-",
        )
        table.row(os.path.basename(path), cells)


if __name__ == "__main__":
    main()
