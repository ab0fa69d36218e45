"""Latency and bytes of keys in charts, and the cost of a JVM that sends while it is watched. Prints a table.

    python bench/live.py [--points 100,10000,90000] [--keys N] [--seconds N]

The chart is that of heap summaries in a file made for it, on a terminal of 120 × 40 cells; a key is measured as in
`terminal.py`, and how many bytes it sends. The JVM is a socket that sends a stack trace of 30 frames a millisecond and
a heap summary every second; meanwhile its report is shown and keys are pressed.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from terminal import Line, percentile, print_row

COFFEETREE = str(Path(sys.executable).parent / "coffeetree")
HEADER = b"JAVA PROFILE 1.0.1\0" + struct.pack(">IQ", 4, 1_795_233_371_869)
SETTINGS = struct.pack(">BIIIH", 0x0E, 0, 6, 2, 30)
TO_CHART = ":view Heap summaries\r"
KEYS = {"l": "next point", "G": "last point", "+": "zoom in", "j": "another line"}
BACK = {"l": "h", "G": "g", "+": "-", "j": "k"}
"""Keys, and those that undo them."""
FRAMES = 30
LOADED = 1.5
"""Seconds without a byte after which all modules for keys count as loaded."""
PORT = re.compile(rb"net=127.0.0.1:(\d+),")


def summary(second: float) -> bytes:
    """Returns a HEAP_SUMMARY: a heap that fills and empties."""
    live = int(3e6 + 2e6 * math.sin(second / 40) + (second * 70_000) % 3e6)
    total = int(second * 200_000)
    return struct.pack(">BIIIIQQ", 0x07, int(second * 1e6) % 2**32, 24, live, live // 50, total, total // 50)


def record(tag: int, body: bytes) -> bytes:
    """Returns a record."""
    return struct.pack(">BII", tag, 0, len(body)) + body


def trace(serial: int) -> bytes:
    """Returns a trace with frames and names of its own."""
    ids = [serial * FRAMES + place + 1 for place in range(FRAMES)]
    names = b"".join(record(0x01, struct.pack(">I", id) + b"method%d" % id) for id in ids[:3])
    frames = b"".join(record(0x04, struct.pack(">IIIIIi", id, ids[id % 3], ids[0], 0, 1, 7)) for id in ids)
    return names + frames + record(0x05, struct.pack(f">III{FRAMES}I", serial, 1, FRAMES, *ids))


def bench_chart(points: int, keys: int) -> None:
    """Measures keys in a chart of so many points."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.hprof")
        with open(path, "wb") as file:
            file.write(HEADER + SETTINGS + trace(0) + b"".join(map(summary, range(points))))
        subprocess.run([COFFEETREE, "index", "--cache-dir", folder, path], check=True, stdout=subprocess.DEVNULL)
        with Line([COFFEETREE, "--cache-dir", folder, path]) as line:
            line.wait(lambda arrived: b"trace:0" in arrived)
            line.settle(LOADED)
            line.press(TO_CHART)
            line.settle(LOADED)
            for key, what in KEYS.items():
                sent, times = [], []
                for _ in range(keys):
                    before = len(line.arrived)
                    times.append(line.latency(key))
                    line.settle()
                    sent.append(len(line.arrived) - before)
                    line.press(BACK[key])
                    line.settle()
                print_times(f"{points:,} points: {what}", times, f"{statistics.median(sent):.0f} bytes")


def bench_jvm(seconds: float) -> None:
    """Measures keys and processor time while a JVM sends."""
    with tempfile.TemporaryDirectory() as folder, Line([COFFEETREE, "listen", "0", "--into", folder]) as line:
        line.wait(lambda arrived: PORT.search(arrived) is not None)
        found = PORT.search(line.arrived)
        assert found is not None
        with socket.create_connection(("127.0.0.1", int(found[1]))) as jvm:
            jvm.sendall(HEADER + SETTINGS + summary(0) + trace(0))
            line.wait(lambda arrived: b"connected" in arrived.partition(b"1 of 1")[2])
            line.settle()
            line.press("\r")
            line.settle()
            line.press(":view Traces\r")
            line.settle()
            times: list[float] = []
            started, busy, serial = time.perf_counter(), line.busy(), 0
            while (now := time.perf_counter() - started) < seconds:
                while serial < now * 1000:
                    serial += 1
                    jvm.sendall(trace(serial) + (summary(now) if serial % 1000 == 0 else b""))
                line.step(0.01)
                times.append(line.latency("k" if len(times) % 2 else "j"))
            share = (line.busy() - busy) / seconds
            print_times(f"a JVM sends {serial / seconds:,.0f} traces a second", times, f"{100 * share:.0f} % of a core")


def print_times(what: str, times: list[float], more: str) -> None:
    """Prints a line of the table: median, p95, maximum."""
    found: list[Callable[[list[float]], float]] = [statistics.median, lambda all: percentile(all, 0.95), max]
    print_row(what, *(f"{1e3 * each(times):.1f} ms" for each in found), more)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", default="100,10000,90000")
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    print_row("", "median", "95 %", "worst", "")
    for points in map(int, options.points.split(",")):
        bench_chart(points, options.keys)
    bench_jvm(options.seconds)


if __name__ == "__main__":
    main()
