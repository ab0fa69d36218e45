"""Latency of keys in a time line. Prints a table.

    python bench/timeline.py RECORDING [--keys N]

The recording is a TPTP trace with events of monitors; it is indexed first if it isn't. Keys are measured as in
`terminal.py`, on a terminal of 120 × 40 cells.
"""

from __future__ import annotations

import argparse
import subprocess

from live import COFFEETREE, LOADED
from terminal import Line, latency, print_latencies, print_row

TO_TIME_LINE = ":view Time line\r"
KEYS = (
    ("zoom in", "+", "-"),
    ("pan", ".", ","),
    ("next change", "l", "h"),
    ("very next change", "J", "K"),
    ("next lane", "j", "k"),
)
"""Names of measurements, their keys, and the keys that undo them."""
DEPTHS = (1, 12)
"""Numbers of zoom steps before a measurement."""


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording")
    parser.add_argument("--keys", type=int, default=20)
    options = parser.parse_args()
    subprocess.run([COFFEETREE, "index", options.recording], check=True, stdout=subprocess.DEVNULL)
    print_row("", "median", "99 %", "processor time")
    with Line([COFFEETREE, options.recording]) as line:
        line.settle(LOADED)
        print_row("shown", f"{1e3 * line.first_answer(TO_TIME_LINE):.0f} ms", "", "")
        line.settle(LOADED)
        zoomed = 0
        for depth in DEPTHS:
            for _ in range(depth - zoomed):
                line.press("+")
                line.settle()
            zoomed = depth
            for what, key, back in KEYS:
                times = []
                for _ in range(options.keys):
                    line.settle()
                    times.append(latency(line, key))
                    line.settle()
                    line.press(back)
                print_latencies(f"{what}, zoomed in {depth} times", times)


if __name__ == "__main__":
    main()
