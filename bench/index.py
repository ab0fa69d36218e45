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

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from parsers.formats.folder import tables_in_folder
from parsers.runtime.compile import compile_all

CHUNK = 4 << 20


@dataclass(frozen=True)
class Run:
    """One build of an index."""

    engine: float
    command: float
    rows: int
    anonymous: int
    """Peak bytes of anonymous memory, as sampled."""
    stored: int
    """Bytes of the index."""


def build(path: str) -> Run:
    """Builds an index in an empty cache."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as cache:
        command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", cache, path]
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        watch = Watch(child.pid)
        output, _ = child.communicate()
        took = time.perf_counter() - began
        watch.stop()
        last = json.loads(output.splitlines()[-1])
        if last["state"] != "ready":
            raise SystemExit(last["says"])
        stored = sum(file.stat().st_size for file in Path(cache).rglob("ready/*"))
        return Run(last["seconds"], took, last["rows"], watch.most, stored)


class Watch:
    """Sampler of the anonymous memory of a process, a hundred times a second."""

    def __init__(self, process: int) -> None:
        self.most = 0
        self._status = Path(f"/proc/{process}/status")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the sampling."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.01):
            try:
                lines = self._status.read_text().splitlines()
            except OSError:
                return
            for line in lines:
                if line.startswith("RssAnon:"):
                    self.most = max(self.most, int(line.split()[1]) << 10)


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


def seconds_of(*command: str) -> float:
    """Returns the seconds of another program for the file."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    compile_all()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    heads = (
        "file",
        "MB",
        "rows",
        "engine",
        "GB/s",
        "ns/row",
        "command",
        "anon MB",
        "B/row",
        "index",
        "bare",
        "wc -l",
        "cat",
    )
    print("".join(head.rjust(10) if number else head.ljust(34) for number, head in enumerate(heads)))
    for path in options.reports:
        files = tables_in_folder(path)
        size = sum(map(os.path.getsize, files))
        wc, cat = (min(seconds_of(*command) for _ in range(2)) for command in (("wc", "-l", *files), ("cat", *files)))
        best = min((build(path) for _ in range(options.rounds)), key=lambda run: run.engine)
        rows = max(best.rows, 1)
        cells = (
            f"{size / 1e6:,.1f}",
            f"{best.rows:,}",
            f"{best.engine:.3f} s",
            f"{size / best.engine / 1e9:.2f}",
            f"{best.engine / rows * 1e9:.0f}",
            f"{best.command:.3f} s",
            f"{best.anonymous / 1e6:.0f}",
            f"{best.anonymous / rows:.0f}",
            f"{best.stored / size:.1%}",
            f"{min(bare(path, best.stored) for _ in range(2)):.3f} s",
            f"{size / wc / 1e9:.1f} GB/s",
            f"{size / cat / 1e9:.1f} GB/s",
        )
        print(os.path.basename(path)[:33].ljust(34) + "".join(cell.rjust(10) for cell in cells))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"\nlargest process, mapped files included: {largest / 1e3:,.0f} MB")


if __name__ == "__main__":
    main()
