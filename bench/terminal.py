"""Costs of the browser on a terminal and its line: bytes, lag, latency, memory. Prints a table.

    python bench/terminal.py REPORT [--only bytes,start,lag,keys,indexing,memory] [--rounds N]

The terminal is a pty and a line of a fixed rate: output of the program enters a buffer at once, as with sshd and a
network, and leaves it at that rate; a query for the cursor is answered when it leaves. Lag is the time from the last
key of a key held for 2 s to the last byte that it caused. Latency is from writing a key to the
end of the first frame after it, on a line without limit. Times are medians unless stated; machines differ, so compare
with the rows of an empty Textual app and of less.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import glob
import itertools
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from measure import anonymous

COLUMNS, ROWS = 120, 40
QUESTION = b"\x1b[6n"
HOLD, REPEAT = 2.0, 30
"""Seconds a key is held, and keys a second."""

QUIET = 0.25
"""Seconds without a byte after which output has ended: longer than the delay of the detail pane."""

DOWN, UP, PAGE_DOWN, PAGE_UP, HOME, END, ENTER = "j", "k", "\x06", "\x02", "g", "G", "\r"

EMPTY_APP = "from textual.app import App\nApp().run()"

BARE_APP = """
import subprocess, sys
from rich.segment import Segment
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

BUSY = "import os; os.nice(10); parent = os.getppid()\\nwhile os.getppid() == parent: pass"

class Lines(Widget):
    count = 0
    def render_line(self, y):
        return Strip([Segment(f"{y * 7919 + self.count:>10} ".ljust(self.size.width, "x"))])

class Bare(App):
    def compose(self):
        yield Lines()
    def on_key(self, event):
        lines = self.query_one(Lines)
        lines.count += 1
        lines.refresh(*([Region(0, lines.count % 38, lines.size.width, 1)] if event.key == "j" else []))

for _ in range(int(sys.argv[1])):
    subprocess.Popen([sys.executable, "-c", BUSY])
Bare().run()
"""
"""A Textual app that only draws: one line with `j`, all lines with any other key. In parallel it runs a given number of
processes that are as busy and as nice as indexing threads."""


class Line:
    """A program on a terminal with a line of a fixed rate (bytes a second; None: no limit)."""

    def __init__(self, command: Sequence[str], *, rate: float | None = None, is_mute: bool = False) -> None:
        self.rate = rate
        self.is_mute = is_mute
        self.arrived = b""
        """All bytes that arrived at the far end of the line."""
        self._buffer = b""
        self._credit_since = time.perf_counter()
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environ = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        for name in ("TMUX", "NO_COLOR", "SSH_CONNECTION", "LINES", "COLUMNS", "PYTHONDONTWRITEBYTECODE"):
            environ.pop(name, None)
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.process.poll() is None:
            self.process.kill()
        os.close(self.master)

    def step(self, seconds: float) -> int:
        """Moves bytes along for at most some seconds. Returns how many arrived."""
        wait = seconds if self.rate is None else min(seconds, 0.002)
        ready, _, _ = select.select([self.master], [], [], wait)
        if ready:
            with contextlib.suppress(OSError):
                self._buffer += os.read(self.master, 65536)
        now = time.perf_counter()
        if self.rate is None:
            count = len(self._buffer)
        else:
            count = min(len(self._buffer), int((now - self._credit_since) * self.rate))
        if count or not self._buffer:
            self._credit_since = now
        passed, self._buffer = self._buffer[:count], self._buffer[count:]
        before = len(self.arrived)
        self.arrived += passed
        if not self.is_mute:
            questions = self.arrived.count(QUESTION, max(0, before - len(QUESTION) + 1))
            os.write(self.master, b"\x1b[1;1R" * questions)
        return count

    def settle(self, quiet: float = QUIET) -> float:
        """Waits until nothing has arrived for a while. Returns the time of the last byte."""
        last = time.perf_counter()
        while time.perf_counter() - last < quiet or self._buffer:
            if self.step(0.02):
                last = time.perf_counter()
        return last

    def wait(self, is_there: Callable[[bytes], bool], seconds: float = 30) -> float:
        """Waits until the arrived bytes satisfy a condition. Returns the time."""
        end = time.perf_counter() + seconds
        while not is_there(self.arrived):
            if time.perf_counter() > end:
                raise SystemExit(f"the program never got there; it wrote:\n{self.arrived[-2000:]!r}")
            self.step(0.02)
        return time.perf_counter()

    def press(self, key: str) -> None:
        """Types a key."""
        os.write(self.master, key.encode())

    def bytes_of(self, key: str) -> int:
        """Returns the bytes that a key causes."""
        self.settle()
        before = len(self.arrived)
        self.press(key)
        self.settle()
        return len(self.arrived) - before

    def latency(self, key: str) -> float:
        """Returns the seconds from a key to the end of the frame it causes."""
        before = len(self.arrived)
        start = time.perf_counter()
        self.press(key)
        while QUESTION not in self.arrived[before:]:
            self.step(0.02)
            if time.perf_counter() - start > 5:
                raise SystemExit(f"{key!r} changed nothing")
        return time.perf_counter() - start

    def busy(self) -> float:
        """Returns the seconds of processor time of the program's own threads."""
        nanos = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            with contextlib.suppress(OSError), open(path) as file:
                nanos += int(file.read().split()[0])
        return nanos / 1e9

    def first_answer(self, key: str) -> float:
        """Returns the seconds from a key to the first byte it causes, for programs that don't mark ends of frames."""
        before, start = len(self.arrived), time.perf_counter()
        self.press(key)
        while len(self.arrived) == before and time.perf_counter() - start < 5:
            self.step(0.02)
        return time.perf_counter() - start

    def lag(self, key: str) -> tuple[float, int]:
        """Holds a key. Returns the seconds from its release to the last byte, and the total bytes."""
        self.settle()
        before, start = len(self.arrived), time.perf_counter()
        pressed = 0
        while (now := time.perf_counter()) - start < HOLD:
            if now - start >= pressed / REPEAT:
                self.press(key)
                pressed += 1
            self.step(0.002)
        released = time.perf_counter()
        return max(0.0, self.settle(0.4) - released), len(self.arrived) - before


def shows_rows(arrived: bytes) -> bool:
    """Returns True if a frame with rows of a report has arrived: its status line names the row of the cursor."""
    return re.search(rb"(line|node|id):[0-9]", arrived) is not None and QUESTION in arrived


def shows_anything(arrived: bytes) -> bool:
    """Returns True if a first frame has arrived: an alternate screen, and a screenful of blanks at least."""
    return arrived.count(b" ") > COLUMNS * (ROWS - 5)


def is_indexed(arrived: bytes) -> bool:
    """Returns True if the title has shown that the index is finished."""
    return b"indexed" in arrived


@contextlib.contextmanager
def browsing(command: Sequence[str], **options: object) -> Iterator[Line]:
    """Yields the browser with its first rows on the screen and a finished index."""
    with Line(command, **options) as line:  # type: ignore[arg-type]
        line.wait(shows_rows)
        line.wait(is_indexed, 600)
        line.settle()
        yield line


def percentile(values: Sequence[float], part: float) -> float:
    """Returns the value below which that part of all values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def print_row(what: str, *values: str) -> None:
    """Prints one line of the table."""
    print(f"| {what:<58} | {' | '.join(f'{value:>12}' for value in values)} |", flush=True)


def bench_start(report: Sequence[str], rounds: int) -> None:
    """Measures exec to first frame: an empty app, and the browser with and without an index."""
    empty, cold, warm = [], [], []
    for _ in range(rounds):
        with Line([sys.executable, "-c", EMPTY_APP]) as line:
            empty.append(line.wait(shows_anything) - line.started)
        with Line([*report, "--no-cache"]) as line:
            cold.append(line.wait(shows_rows) - line.started)
        with Line(report) as line:
            warm.append(line.wait(shows_rows) - line.started)
    base = statistics.median(empty)
    for what, times in (("an empty Textual app", empty), ("no index yet", cold), ("with its index", warm)):
        middle = statistics.median(times)
        print_row(
            f"first frame: {what}", f"{middle * 1e3:.0f} ms", f"best {min(times) * 1e3:.0f}", f"{middle / base:.2f} x"
        )


def bench_bytes(report: Sequence[str], rounds: int) -> None:
    """Measures the bytes of the start, of moves and of pages."""
    with browsing(report) as line:
        print_row("bytes: start", f"{len(line.arrived):,}", "", "")
        line.press("zR")
        for what, keys in (("with the detail pane", ""), ("without it", "i")):
            line.press(keys)
            line.press(HOME)
            line.settle()
            moves = [line.bytes_of(DOWN) for _ in range(3 * rounds)]
            pages = [line.bytes_of(PAGE_DOWN) for _ in range(rounds)]
            for name, values in (("a cursor move", moves), ("a page", pages)):
                print_row(
                    f"bytes: {name} {what}",
                    f"{statistics.median(values):,.0f}",
                    f"p90 {percentile(values, 0.9):,}",
                    f"max {max(values):,}",
                )
    less = shutil.which("less")
    if less:
        with Line([less, "-S", report[-1]]) as line:
            line.settle()
            values = [line.bytes_of(DOWN), line.bytes_of(PAGE_DOWN)]
            print_row("bytes: less -S, a line and a page", f"{values[0]:,}", f"{values[1]:,}", "")


def bench_lag(report: Sequence[str], rounds: int) -> None:
    """Measures lag after a held key on lines of three rates, and on a mute terminal."""
    for rate in (1_000_000, 100_000, 30_000):
        for what, key in (("j", DOWN), ("page down", PAGE_DOWN)):
            with browsing(report, rate=rate) as line:
                lags = []
                for _ in range(max(1, rounds // 5)):
                    for first in ("zR", HOME):
                        line.press(first)
                        line.settle()
                    lags.append(line.lag(key))
            worst, sent = max(lags)
            print_row(f"lag: {what} held, {rate // 1000:,} KB/s", f"{worst:.2f} s", f"{sent:,} B", "")
    with browsing(report, rate=100_000, is_mute=True) as line:
        line.press("zR")
        worst, sent = line.lag(PAGE_DOWN)
        print_row("lag: page down held, 100 KB/s, a mute terminal", f"{worst:.2f} s", f"{sent:,} B", "")


Latency = tuple[float, float]
"""Seconds from a key to its frame, and the part of them in which the program had a processor."""


def latency(line: Line, key: str) -> Latency:
    """Measures the latency of a key, pressed now."""
    before = line.busy()
    seconds = line.latency(key)
    return seconds, line.busy() - before


def latencies(line: Line, keys: Sequence[str], count: int, quiet: float) -> list[Latency]:
    """Measures the latency of keys pressed in turn, each after a rest."""
    times = []
    for number in range(count):
        line.settle(quiet)
        times.append(latency(line, keys[number % len(keys)]))
    return times


def print_latencies(what: str, times: Sequence[Latency]) -> None:
    """Prints percentiles of latencies, in ms: on a busy machine those of processor time are the program's part."""
    p50, p99 = (percentile([time for time, _ in times], part) * 1e3 for part in (0.5, 0.99))
    busy50, busy99 = (percentile([busy for _, busy in times], part) * 1e3 for part in (0.5, 0.99))
    print_row(
        f"key to frame: {what} ({len(times)})", f"{p50:.1f} ms", f"p99 {p99:.1f}", f"{busy50:.1f}, {busy99:.1f} busy"
    )


def bench_keys(report: Sequence[str], rounds: int) -> None:
    """Measures the latency of keys with a finished index, and while it is built."""
    jobs = {
        "j": [DOWN, DOWN, DOWN, "k"],
        "page down, page up": [PAGE_DOWN, PAGE_DOWN, "\x02"],
        "fold and open the first entry": [" "],
        "End, Home": [END, HOME],
        "fold all, open all": ["zM", "zR"],
    }
    with browsing(report) as line:
        line.press("zR")
        for what, keys in jobs.items():
            line.press(HOME)
            print_latencies(what, latencies(line, keys, 10 * rounds, QUIET))
        line.press(HOME)
        print_latencies("pages never seen before", latencies(line, [PAGE_DOWN], 10 * rounds, 2 * QUIET))
        times = []
        for number in range(10 * rounds):
            line.settle()
            line.press(f":{1 + number * 7919 % 90_000}")
            line.settle()
            times.append(latency(line, ENTER))
        print_latencies("go to a row by its number", times)
        line.press(f"{HOME}/getName{ENTER}")
        line.settle(1)
        print_latencies("next match", latencies(line, ["n"], 10 * rounds, QUIET))


def bench_indexing(report: Sequence[str], rounds: int) -> None:
    """Measures the latency of keys while the index is built, and of an idle app on an equally busy machine.

    Only keys that change the screen: pages of the first rows, to and fro, until there are more rows.
    """
    firsts: list[Latency] = []
    times: list[Latency] = []
    for _ in range(rounds):
        with Line([*report, "--no-cache"]) as line:
            line.wait(shows_rows)
            firsts.append(latency(line, DOWN))
            keys = itertools.cycle([PAGE_DOWN, UP, PAGE_UP, DOWN])
            while not is_indexed(line.arrived) and b" %" not in line.arrived:
                line.settle(0.01)
                times.append(latency(line, next(keys)))
            line.settle(0.3)
            keys = itertools.cycle([DOWN, PAGE_DOWN])
            while not is_indexed(line.arrived):
                line.settle(0.01)
                times.append(latency(line, next(keys)))
    print_latencies("the first key, at once after the first frame", firsts)
    print_latencies("j and page down while indexing", times)
    for count in (0, 2):
        with Line([sys.executable, "-c", BARE_APP, str(count)]) as line:
            line.settle(0.5)
            times = []
            for number in range(20 * rounds):
                line.settle(0.01)
                times.append((line.first_answer([DOWN, PAGE_DOWN][number % 2]), 0.0))
        print_latencies(f"a bare app, {count} busy threads beside", times)


def bench_memory(report: Sequence[str], rounds: int) -> None:
    """Measures anonymous memory of the browser's own process: after the start, and after moving around."""
    with browsing(report) as line:
        print_row("anonymous memory: after the start", f"{anonymous_of(line):.0f} MB", "", "")
        for key in [PAGE_DOWN] * rounds + [END, HOME, "zR", END, "50%", "zM"]:
            line.press(key)
            line.settle()
        print_row("anonymous memory: after pages, End, open all, fold all", f"{anonymous_of(line):.0f} MB", "", "")


def anonymous_of(line: Line) -> float:
    """Returns the anonymous memory of the program, in MB."""
    return anonymous(Path(f"/proc/{line.process.pid}/status")) / (1 << 20)


BENCHES = {
    "start": bench_start,
    "bytes": bench_bytes,
    "lag": bench_lag,
    "keys": bench_keys,
    "indexing": bench_indexing,
    "memory": bench_memory,
}


def main() -> None:
    """Runs the selected measurements and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("report")
    parser.add_argument("--only", default=",".join(BENCHES), help="some of " + ", ".join(BENCHES))
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    command = [os.path.join(os.path.dirname(sys.executable), "coffeetree"), arguments.report]
    size = os.path.getsize(arguments.report)
    print(
        f"{os.path.basename(arguments.report)}, {size / 1e6:,.0f} MB; {COLUMNS} x {ROWS}; {os.cpu_count()} processors\n"
    )
    print_row("what", "median", "", "")
    print(f"| {'-' * 58} | {' | '.join('-' * 12 for _ in range(3))} |")
    for name in arguments.only.split(","):
        BENCHES[name](command, arguments.rounds)


if __name__ == "__main__":
    main()
