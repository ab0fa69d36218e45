"""Damages recordings in many ways: both engines must make the same index of each, in bounded time and memory.

    python tests/formats/jfr/search_damage.py [RECORDING...] [--first N] [--count N] [--processes N]

Each number is a cut and a changed byte of each recording, the same ones in every run, so that a search can be continued
with `--first`. Prints what differs, fails or takes too long; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from conftest import TESTS, plain_bytes
from recordings import KernelBuild, PlainBuild, built

CORPUS = TESTS / "corpus" / "jfr"
HEAD = 8
"""Bytes that stay: without them a file is no recording."""
MOST_SECONDS = 300
"""Time for one damaged file, on a busy machine; plain code takes a second for a sound one."""
MOST_MEMORY = 6 << 30


def cut(data: bytes, random: random.Random) -> bytes:
    """Returns the beginning of a file."""
    return data[: random.randint(HEAD, len(data) - 1)]


def changed(data: bytes, random: random.Random) -> bytes:
    """Returns a file with another byte at one place."""
    place = random.randrange(HEAD, len(data))
    return data[:place] + bytes([data[place] ^ random.randint(1, 255)]) + data[place + 1 :]


DAMAGES: Mapping[str, Callable[[bytes, random.Random], bytes]] = {"cut": cut, "changed": changed}


def difference(data: bytes) -> str:
    """Returns the first difference between the indexes of both engines; empty if they are equal."""
    with TemporaryDirectory() as folder:
        plain, plain_arrays = built(data, Path(folder), PlainBuild)
        kernel, kernel_arrays = built(data, Path(folder), KernelBuild)
    for name in ("rows", "totals", "problems", "problem_count"):
        if getattr(plain, name) != getattr(kernel, name):
            return name
    names = sorted(plain_arrays.keys() | kernel_arrays.keys())
    return next((name for name in names if plain_arrays.get(name) != kernel_arrays.get(name)), "")


def try_one(path: Path, kind: str, number: int) -> str:
    """Damages a recording; returns what is wrong, or nothing."""
    data = DAMAGES[kind](plain_bytes(path), random.Random(f"{kind} {number}"))
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(MOST_SECONDS)
    try:
        found = difference(data)
    except Exception:
        found = traceback.format_exc()
    finally:
        signal.alarm(0)
    return found and f"{path.name}, {kind} {number}: {found}"


def _too_long(*ignored: object) -> None:
    raise TimeoutError(f"more than {MOST_SECONDS} s")


def _one(case: tuple[Path, str, int]) -> str:
    return try_one(*case)


def main() -> int:
    """Tries all cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="*", type=Path, help="(default: all samples)")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--processes", type=int)
    options = parser.parse_args()
    paths = options.recordings or sorted(CORPUS.glob("*.xz"))
    numbers = range(options.first, options.first + options.count)
    cases = [(path, kind, number) for number in numbers for path in paths for kind in DAMAGES]
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    wrong = 0
    with Pool(options.processes, limit) as pool:
        for done, found in enumerate(pool.imap(_one, cases), 1):
            if found:
                wrong += 1
                print(found, flush=True)
            if done % (len(paths) * len(DAMAGES)) == 0:
                print(f"numbers to {cases[done - 1][2]}: {wrong} wrong", file=sys.stderr, flush=True)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{len(cases):,} damaged files, {wrong} wrong, at most {memory >> 10} MB of memory in a process")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
