"""`python -m parsers.runtime.compile [GROUP [PROCESS]]`: compiles the kernels of a group, or all of them.

With the number of a process it goes on only as long as that runs. Kernels compile when they are used: so indexes of
tiny reports are built that need them all.
A different report for each kernel's signature would cost, so there is but one of each format.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from parsers.index.store import BUILDING
from parsers.io.cache import default_folder
from parsers.kernels.groups import (
    COMPLETE,
    GROUPS,
    SHARED,
    compiler,
    folder_of,
    is_compiled,
    is_ours,
    prepare,
    remove_others,
)

if TYPE_CHECKING:
    from parsers.formats.graalvm.text_format import TextFormat

CALLS = """\
VM Entry Points
├── entry app:a.B.main():void id=0, parsing reason:  root method
│   ├── directly calls a.B.x():void id-ref=1 @bci=1
│   ├── directly calls a.B.y():void id-ref=1 @bci=-1->2
│   └── virtually calls a.B.z():void @bci=3
│       └── is overridden by app:a.C.z():void id=123456789012
└── entry a.B.x():void id=1
    └── directly calls a.C.z():void id=123456789012 @bci=1

"""
OBJECTS = """\
Heap roots
├── root a.B.c:a.D value:
│   └── a.D id=0 toString=D@1 fields:
│       └── e:java.lang.Object value=null
└── root a.B.d:a.D id-ref=0 toString=D@1

"""
TREES = {"graalvm-call-tree": CALLS, "graalvm-object-tree": OBJECTS}
LOG = """\
<tty>
<writer thread='7'/>
<nmethod compile_id='1' compiler='c1' level='3' size='8' method='a.B m ()V' stamp='0.001'/>
</tty>
<compilation_log thread='7'>
<start_compile_thread name='C1 CompilerThread0' thread='7' process='1' stamp='0.000'/>
<task compile_id='1' method='a.B m ()V' level='3' stamp='0.001'>
<task_done success='1' nmsize='8' stamp='0.002'/>
</task>
</compilation_log>
"""
PROFILE = """\
TRACE 1:
\ta.B.m(B.java:1)
HEAP DUMP BEGIN (1 objects, 8 bytes) Sat Nov 21 02:26:20 2026
OBJ 50000001 (sz=8, trace=1, class=a.B@50000002)
\tb\t\t50000001
HEAP DUMP END
"""


def warm_trees() -> None:
    """Kernels of call trees and object trees."""
    from parsers.formats.graalvm.text.read.join_kernel import move_big_ids
    from parsers.formats.graalvm.text_format import FORMATS
    from parsers.kernels.text_table import rehash

    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        for format in FORMATS.values():
            warm_tree(format, folder)
    move_big_ids(*(np.full(2, -1, np.int64), np.zeros(2, np.uint32)) * 2)
    rehash(np.zeros(2, np.uint64), np.zeros(2, np.uint64), np.zeros(2, np.uint64), np.zeros(2, np.uint8))


def warm_tree(format: TextFormat, folder: str) -> None:
    """Kernels that any tree of a format needs: loads them, or compiles them. folder: where files may be meanwhile."""
    from parsers.formats.graalvm.text.read.build import TextBuild
    from parsers.index.writer import Writer
    from parsers.io.charset import CHARSETS
    from parsers.io.identity import Identity

    data = TREES[format.name].encode()
    writer = Writer(folder, format.name, Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
    try:
        with open(os.path.join(writer.path, "report"), "w+b", buffering=0) as file:
            file.write(data)
            build = TextBuild(writer, file.fileno(), len(data), CHARSETS[0], format.number)
            build.read()
        end = format.load(format.end)(build)
        end.run()
        end.totals()
    finally:
        writer.abandon()


def warm_tables() -> None:
    """Kernels of call trees as CSV."""
    from parsers.formats.graalvm.csv.warm import warm

    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        warm(folder)


def warm_builds() -> None:
    """Kernels of two builds compared."""
    from parsers.formats.graalvm.builds.name_blocks import warm

    warm()


def warm_lines() -> None:
    """The kernel that writes rows of CSV call trees as lines."""
    from parsers.formats.graalvm.csv.lines import warm

    warm()


def warm_log() -> None:
    """Kernels of compilation logs."""
    from parsers.formats.hotspot.decisions.tables_thread import warm as warm_statistics
    from parsers.formats.hotspot.log.read.kernel_log import KernelLog
    from parsers.formats.hotspot.log.read.strict_xml import warm as warm_strict
    from parsers.index.writer import Writer
    from parsers.io.source import Identity

    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        path = os.path.join(folder, "log")
        with open(path, "w") as file:
            file.write(LOG)
        descriptor = os.open(path, os.O_RDONLY)
        writer = Writer(folder, "log", Identity(0, 0, 0, 0, ""))
        log = KernelLog(writer, [descriptor], [len(LOG)])
        log.read()
        log.larger_tables()
        writer.abandon()
        os.close(descriptor)
    warm_statistics()
    warm_strict()


def warm_profile() -> None:
    """Kernels of HPROF text."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        warm_profile_text(folder)


def warm_profile_text(folder: str) -> None:
    """Kernels of HPROF text: loads them, or compiles them. folder: where files may be meanwhile."""
    from parsers.formats.hprof.text.build import KernelText
    from parsers.index.writer import Writer
    from parsers.io.identity import Identity

    data = PROFILE.encode()
    writer = Writer(folder, "hprof-text", Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
    try:
        with open(os.path.join(writer.path, "profile"), "w+b", buffering=0) as file:
            file.write(data)
            reading = KernelText(writer, file.fileno(), len(data))
            reading.read()
            reading.tables.larger_slots()
    finally:
        writer.abandon()
    warm_heap()


def warm_heap() -> None:
    """Kernels of heap dumps."""
    from parsers.heapdump.paths.reachability_kernel import find_steps, find_ways
    from parsers.heapdump.tables import class_kernel
    from parsers.heapdump.tables.class_sums import SUMS, fixed

    one, two, none = np.zeros(1, np.uint32), np.zeros(2, np.uint32), np.empty(0, np.uint32)
    find_ways(two, none, np.empty(0, np.uint8), one, one.copy(), none, one.copy(), one.copy(), 0)
    find_steps(one, 0, two, none, one.copy())
    objects, zero = (fixed(one), fixed(np.zeros(1, np.uint8)), 0), np.zeros(1, np.int64)
    sums, buckets = np.zeros((SUMS, 1), np.int64), np.zeros((2, 1), np.int64)
    class_kernel.measure(*objects, fixed(one), fixed(one), zero, one.copy(), sums)
    class_kernel.add_garbage(*objects, fixed(one), fixed(one), sums)
    class_kernel.count(*objects, fixed(one), buckets, zero.copy())
    class_kernel.place(*objects, fixed(one), buckets, zero.copy(), 0, one.copy())


def warm_search() -> None:
    """Kernels that search; each of these functions compiles one by using it."""
    for module in ("line_finder", "state_finder", "names", "text_lines"):
        import_module(f"parsers.search.{module}")._load_kernel()


def warm_dump() -> None:
    """Kernels of binary heap dumps."""
    from parsers.formats.hprof.dump.index.warm import warm

    warm()


def warm_recording() -> None:
    """Kernels of TPTP traces."""
    from parsers.formats.tptp.read.warm import warm

    warm()


def warm_graph() -> None:
    """Kernels of graphs of calls."""
    from parsers.graph.warm import warm

    warm()


def warm_comparison() -> None:
    """Kernels of comparing."""
    from parsers.reporting.comparison.text_numbers import warm

    warm()


WARM: dict[str, Callable[[], None]] = {
    "graalvm": warm_trees,
    "graalvm-csv": warm_tables,
    "graalvm-builds": warm_builds,
    "graalvm-lines": warm_lines,
    "hotspot": warm_log,
    "hprof": warm_profile,
    "heap": warm_dump,
    "callgraph": warm_graph,
    "compare": warm_comparison,
    "search": warm_search,
    "tptp": warm_recording,
}
"""What compiles the kernels of each group of `parsers.kernels.groups`; those that all share come with any of them."""

LOCK = "lock"
"""A file that the one process holds which compiles into the folder."""
LOOK = 0.5
"""Seconds between two looks whether somebody still waits for kernels."""


def compile_group(group: str) -> None:
    """Compiles every kernel of a group by using each for a tiny report."""
    home = prepare(default_folder())
    folder = folder_of(home, group)
    if not is_compiled(home, group) and is_ours(folder, make=True):
        with _alone(folder):
            if not is_compiled(home, group):
                WARM[group]()
                with open(os.path.join(folder, COMPLETE), "w"):
                    pass
                remove_others(home)


def compile_all() -> None:
    """Compiles every kernel, each group in a process of its own. Raises `OSError` if that fails."""
    home = prepare(default_folder())
    compilers = [compiler(group) for group in GROUPS if group != SHARED and not is_compiled(home, group)]
    failed = [compiler for compiler in compilers if compiler.wait() != 0]
    if failed:
        raise OSError("kernels can't be compiled")


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Waits until no other process compiles into a folder, and keeps others waiting."""
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
    """Compiles a group; perhaps until a process ends, whose number is told. Without a group all."""
    if len(arguments) > 1:
        threading.Thread(target=_end_with, args=(int(arguments[1]),), daemon=True).start()
    if arguments:
        compile_group(arguments[0])
    else:
        compile_all()


if __name__ == "__main__":
    _main(sys.argv[1:])
