"""Indexing rate of a report, and its cost in memory and on disk, compared with `wc -l` and `cat`. Prints a table.

    python bench/index.py REPORT... [--rounds N]

Each round is a whole `python -m parsers.runtime.indexer` into an empty cache; the best one counts. Files are read once
before, so that they are in memory.
"engine" is from the first byte read to the index in its place, without the start of the
process and the loading of kernels; "command" is all of it. "bare" is the time of two threads that only read the
file and write as many bytes as the index has. Several reports of one kind, from small to large, show whether the cost
of a row stays the same.
"""

from __future__ import annotations

import os
import resource
import tempfile
import threading
import time

from measure import Table, build, cost, options_of

from parsers.formats.folder import tables_in_folder
from parsers.runtime.compile import compile_all

CHUNK = 4 << 20


def bare(path: str, stored: int) -> float:
    """Returns the seconds in which two threads read a file and write so many bytes, chunk by chunk."""
    size = os.path.getsize(path)
    chunks = iter(range(0, size, CHUNK))
    lock = threading.Lock()

    def work() -> None:
        data = memoryview(bytearray(CHUNK))
        while True:
            with lock:
                place = next(chunks, None)
            if place is None:
                return
            os.preadv(source, [data], place)
            first, last = place * stored // size, min(place + CHUNK, size) * stored // size
            os.pwrite(target.fileno(), data[: last - first], first)

    source = os.open(path, os.O_RDONLY)
    with tempfile.TemporaryFile() as target:
        threads = [threading.Thread(target=work) for _ in range(2)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - began
    os.close(source)
    return took


def main() -> None:
    """Prints the table."""
    parser = options_of(__doc__)
    parser.add_argument("reports", nargs="+")
    options = parser.parse_args()
    compile_all()
    heads = ("MB", "rows", "engine", "GB/s", "ns/row", "command", "anon MB", "B/row", "index", "bare", "wc -l", "cat")
    table = Table("file", 34, heads, 10)
    for path in options.reports:
        files = tables_in_folder(path)
        size = sum(map(os.path.getsize, files))
        wc, cat = (min(cost(*words, *files).seconds for _ in range(2)) for words in (("wc", "-l"), ("cat",)))
        best = min((build(path) for _ in range(options.rounds)), key=lambda run: run.engine)
        rows, anonymous = max(best.rows, 1), best.command.anonymous
        cells = (
            f"{size / 1e6:,.1f}",
            f"{best.rows:,}",
            f"{best.engine:.3f} s",
            f"{size / best.engine / 1e9:.2f}",
            f"{best.engine / rows * 1e9:.0f}",
            f"{best.command.seconds:.3f} s",
            f"{anonymous / 1e6:.0f}",
            f"{anonymous / rows:.0f}",
            f"{best.stored / size:.1%}",
            f"{min(bare(path, best.stored) for _ in range(2)):.3f} s",
            f"{size / wc / 1e9:.1f} GB/s",
            f"{size / cat / 1e9:.1f} GB/s",
        )
        table.row(os.path.basename(path), cells)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"\nlargest process, mapped files included: {largest / 1e3:,.0f} MB")


if __name__ == "__main__":
    main()
