"""Measurements that the scripts of this folder share: steps, whole commands, builds of an index; and their tables."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

COFFEETREE = (sys.executable, "-P", "-m", "tui")
"""The words of the program."""

EVERY = 0.01
"""Seconds between two samples of a process's memory."""


Result = TypeVar("Result")


def timed(step: Callable[[], Result]) -> tuple[float, Result]:
    """Returns the seconds of a step in this process, and its result."""
    began = time.perf_counter()
    result = step()
    return time.perf_counter() - began, result


def seconds(step: Callable[[], object]) -> float:
    """Returns the seconds of a step in this process."""
    return timed(step)[0]


def milliseconds(step: Callable[[], object]) -> float:
    """Returns the milliseconds of a step in this process."""
    return seconds(step) * 1000


class Watch:
    """Sampler of the anonymous memory of a process, within `with`."""

    def __init__(self, process: int) -> None:
        self.most = 0
        """Peak bytes."""
        self._status = Path(f"/proc/{process}/status")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(EVERY):
            self.most = max(self.most, anonymous(self._status))


def anonymous(status: Path) -> int:
    """Returns the bytes of anonymous memory in a status file of `/proc`; 0 if the process has ended."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:")), 0)


class Cost(NamedTuple):
    """Cost of a whole command."""

    seconds: float
    processors: float
    """Processor seconds, with those of the processes that it started."""
    anonymous: int
    """Peak bytes of anonymous memory of its process."""
    resident: int
    """Peak bytes of memory of its process, mapped files included."""


def cost(*command: str | Path) -> Cost:
    """Runs a command and drops its output. Ends this program if it fails: 0 and 1 are answers."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return ended(child, began, lambda: None)


def ended(child: subprocess.Popen[bytes], began: float, read: Callable[[], object]) -> Cost:
    """Reads the output of a command, waits for its end, and returns its cost. Ends this program if it fails."""
    with Watch(child.pid) as watch:
        read()
        _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"{child.args!r}: exit status {child.returncode}")
    return Cost(took, used.ru_utime + used.ru_stime, watch.most, used.ru_maxrss << 10)


@dataclass(frozen=True)
class Build:
    """One build of an index."""

    engine: float
    """Seconds from the first byte read to the index in its place, without the start of the process."""
    command: Cost
    rows: int
    stored: int
    """Bytes of the index."""


def build(
    path: str, cache: str | None = None, follow: Callable[[Mapping[str, Any], float], object] | None = None
) -> Build:
    """Builds an index in an empty cache, which is deleted unless it is given.

    follow: called with each message of the indexer, and the seconds since its start
    """
    news: dict[str, Any] = {}

    def read() -> None:
        assert child.stdout is not None
        for line in child.stdout:
            news.clear()
            news.update(json.loads(line))
            if follow is not None:
                follow(dict(news), time.perf_counter() - began)

    with tempfile.TemporaryDirectory(prefix="coffeetree-bench-") as empty:
        folder = cache or empty
        began = time.perf_counter()
        words = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", folder, path]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        command = ended(child, began, read)
        if news.get("state") != "ready":
            raise SystemExit(news.get("says", "the indexer failed"))
        stored = sum(file.stat().st_size for file in Path(folder).rglob("ready/*"))
        return Build(news["seconds"], command, news["rows"], stored)


def options_of(description: str | None, rounds: int = 5) -> argparse.ArgumentParser:
    """Returns a parser of the command line, with the option for the number of rounds."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser


class Table:
    """A table with columns of equal widths, printed row by row, below a line about the machine."""

    def __init__(self, name: str, names: int, heads: Sequence[str], width: int) -> None:
        """
        name   heading of the first column, which is `names` cells wide
        heads  those of all other columns, each `width` cells wide
        """
        self._names, self._width = names, width
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        self.row(name, heads)

    def row(self, name: str, cells: Sequence[str]) -> None:
        """Prints a row."""
        print(name[: self._names - 1].ljust(self._names) + "".join(cell.rjust(self._width) for cell in cells))
