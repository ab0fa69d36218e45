"""Compiles kernels before they are needed.

    python -m parsers.runtime.compile [GROUP [PROCESS]]

Without a group, all. With a process id it runs only as long as that process does. Kernels compile when they are used:
so indexes of tiny reports are built that need them all.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator

from parsers.formats.registry import FORMATS
from parsers.io.cache import default_folder
from parsers.kernels.groups import (
    COMPLETE,
    SHARED,
    KernelGroup,
    compiler,
    folder_of,
    is_compiled,
    is_ours,
    late,
    prepare,
    remove_others,
)

NEUTRAL = (
    "parsers.heapdump.kernels:KERNELS",
    "parsers.graph.kernels:KERNELS",
    "parsers.query.search.kernels:KERNELS",
    "parsers.reporting.comparison.kernels:KERNELS",
)
"""Groups that serve any format."""

LOCK = "lock"
"""A lock file for the one process that compiles into the folder."""
LOOK = 0.5
"""Seconds between two tests whether the other process still runs."""


def compile_group(group: KernelGroup) -> None:
    """Compiles every kernel of a group by using each for a tiny sample."""
    home = prepare(default_folder())
    folder = folder_of(home, group)
    if not is_compiled(home, group) and is_ours(folder, make=True):
        with _alone(folder):
            if not is_compiled(home, group):
                late(group.warm)()
                with open(os.path.join(folder, COMPLETE), "w"):
                    pass
                remove_others(home, (SHARED, *all_groups()))


def all_groups() -> list[KernelGroup]:
    """The groups of all formats, and those that serve any format."""
    homes = dict.fromkeys((*NEUTRAL, *(home for format in FORMATS for home in format.kernels)))
    return [late(home) for home in homes]


def compile_all() -> None:
    """Compiles every kernel, each group in a process of its own. Raises `OSError` if that fails."""
    home = prepare(default_folder())
    compilers = [compiler(group.home) for group in all_groups() if not is_compiled(home, group)]
    failed = [compiler for compiler in compilers if compiler.wait() != 0]
    if failed:
        raise OSError("kernels can't be compiled")


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Holds the lock of a folder: only one process compiles into it."""
    import fcntl

    descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _end_with(process: int) -> None:
    """Ends this process once another one is gone."""
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            os._exit(1)
        except PermissionError:
            pass
        time.sleep(LOOK)


def _main(arguments: list[str]) -> None:
    """Compiles a group, named as `module:NAME`, or all; optionally only until the process of the given id ends."""
    if len(arguments) > 1:
        threading.Thread(target=_end_with, args=(int(arguments[1]),), daemon=True).start()
    if arguments:
        compile_group(late(arguments[0]))
    else:
        compile_all()


if __name__ == "__main__":
    _main(sys.argv[1:])
