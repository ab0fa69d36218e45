"""Processor time of `coffeetree info` for files of tiny, extreme or damaged parts, one kind each: the slow ones first.

    python bench/extremes.py [--size BYTES] [--most RATE] [NAME...]

The kinds are those of the tests that measure growth; NAME chooses those with a part of that name. A rate is bytes by
processor seconds of the whole command, without an index; kinds above RATE (in MB/s) are only counted. The table at the
end has a row for each format.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent.parent / "tests"
FORMATS = [TESTS / "formats" / name for name in ("graalvm", "hotspot", "jdkprofilers", "tptp")]
sys.path[:0] = [str(folder) for folder in (TESTS, TESTS / "support", TESTS / "support" / "heaps", *FORMATS)]

MEASURE = """\
import os, subprocess, sys, time
begun = time.perf_counter()
command = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = os.wait4(command.pid, 0)[2]
print(used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss)
"""
"""Runs a command; prints its processor seconds, seconds and KB. This is a program of its own: a new process counts the
memory of the one that starts it."""
Make = Callable[[int], bytes]
"""Returns a file of at least so many bytes."""


def kinds() -> Iterator[tuple[str, str, Make]]:
    """Yields format, name and maker of each kind of file."""
    tiny, tptp = importlib.import_module("tiny_records"), importlib.import_module("test_tptp_growth")
    for kind in (*tiny.RECORDS, *tiny.SUB_RECORDS, *tiny.TEXTS):
        yield "HPROF", kind, lambda size, kind=kind: tiny.tiny_records(kind, size)  # type: ignore[misc]
    recordings = importlib.import_module("tiny_recordings")
    for kind in (*recordings.CHUNKS, *recordings.EVENTS, *recordings.TYPES):
        yield "recording", kind, lambda size, kind=kind: recordings.tiny_recording(kind, size)  # type: ignore[misc]
    for name, element in (tptp.INPUTS | tptp.LONG_INPUTS).items():
        yield "TPTP", name, lambda size, element=element: tptp.made(element, size)  # type: ignore[misc]
    graalvm, hotspot, profilers = (
        importlib.import_module(f"test_{name}_growth") for name in ("graalvm", "hotspot", "jdkprofilers")
    )
    repeated = importlib.import_module("counted_work").repeated
    lines = [("call tree", graalvm.TITLE + graalvm.ENTRY, name, line) for name, line in graalvm.TREES.items()]
    lines += [("log", head, name, line) for head, name, line in hotspot.CASES]
    lines += [("profiler", head, name, line) for _, head, name, line in profilers.CASES]
    for format, head, name, line in lines:
        yield format, name, lambda size, head=head, line=line: head + repeated(line, size)  # type: ignore[misc]


class Cost(NamedTuple):
    """Cost of a whole command with the processes that it starts."""

    kind: str
    rate: float
    """Bytes by processor time, in MB/s."""
    cores: float
    """Processor time by wall-clock time."""
    memory: float
    """Resident memory of the largest process at its peak, mapped files included, in MB."""


def cost_of(kind: str, path: Path) -> Cost:
    """Measures `coffeetree info` of a file."""
    program = os.path.join(os.path.dirname(sys.executable), "coffeetree")
    command = [sys.executable, "-c", MEASURE, program, "info", "--no-cache", str(path)]
    seconds, elapsed, memory = map(float, subprocess.run(command, capture_output=True, check=True).stdout.split())
    return Cost(kind, path.stat().st_size / 1e6 / seconds, seconds / elapsed, memory / 1000)


def print_table(costs: dict[str, list[Cost]], most: float) -> None:
    """Prints a row for each format: its slowest kind, and the largest memory of any."""
    print(f"| format | kinds | below {most:g} MB/s | slowest kind | MB/s | cores | most memory |")
    print("|---|---|---|---|---|---|---|")
    for format, measured in costs.items():
        slowest = min(measured, key=lambda cost: cost.rate)
        below, memory = sum(cost.rate < most for cost in measured), max(cost.memory for cost in measured)
        row = (format, len(measured), below, slowest.kind, f"{slowest.rate:.1f}", f"{slowest.cores:.1f}")
        print(f"| {' | '.join(map(str, row))} | {memory:.0f} MB |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=9_500_000)
    parser.add_argument("--most", type=float, default=5.0)
    arguments = parser.parse_args()
    costs: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for format, name, make in kinds():
            if not arguments.names or any(part in f"{format}: {name}" for part in arguments.names):
                path = Path(folder, "file.txt")
                path.write_bytes(make(arguments.size))
                costs.setdefault(format, []).append(cost_of(name, path))
    measured = [(cost.rate, f"{format}: {cost.kind}") for format in costs for cost in costs[format]]
    slow = sorted(each for each in measured if each[0] < arguments.most)
    print(f"{len(measured)} kinds, {len(slow)} below {arguments.most:g} MB/s")
    for rate, name in slow:
        print(f"{rate:6.1f}  {name}")
    print()
    print_table(costs, arguments.most)


if __name__ == "__main__":
    main()
