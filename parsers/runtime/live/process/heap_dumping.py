"""Dumps the heap of a running JVM by the `jcmd` of its JDK: `jcmd PID GC.heap_dump [-all] [-gz=N] FILE`.

The JVM writes the file, in its own file system and with its own rights, and is paused meanwhile. `jcmd` exits with 0
even on failure, so its output and the file are checked. Source: manual of `jcmd`; observed with JDK 8, 17, 25.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping

from parsers.model.report import ReportError
from parsers.runtime.live.process.java_process import JavaProcess, jcmd_for
from parsers.runtime.live.process.jcmd import free_path, in_a_line, quoted, run_jcmd

CREATED = "Heap dump file created"
UNKNOWN = "Unknown argument"

ReportSize = Callable[[int], object]
"""Callback with the number of bytes written."""


def dump_heap(
    process: JavaProcess,
    folder: str,
    environment: Mapping[str, str],
    has_garbage: bool = False,
    compression: int | None = None,
    report_size: ReportSize = lambda size: None,
) -> str:
    """Dumps the heap of a JVM; returns the path of the file. Raises `ReportError` if that fails.

    folder       target folder; existing files are never overwritten
    has_garbage  True: unreachable objects are dumped, too; else garbage is collected before
    compression  from 1 to 9, for JVMs that support it (JDK 15 and later); None: none
    """
    jcmd = jcmd_for(process, environment)
    path = free_path(os.path.abspath(folder), process.number, ".hprof" if compression is None else ".hprof.gz")
    options = (["-all"] if has_garbage else []) + ([] if compression is None else [f"-gz={compression}"])
    words = [str(process.number), "GC.heap_dump", *options, quoted(path)]
    says = run_jcmd(jcmd, words, lambda: report_size(_written(path)))
    if CREATED not in says or not os.path.exists(path):
        if compression is not None and UNKNOWN in says:
            says = "its JVM knows no compression (JDK 15 and later do)"
        raise ReportError(f"process {process.number} dumped no heap: {in_a_line(says) or 'no output of jcmd'}")
    return path


def _written(path: str) -> int:
    """Bytes of the file, and of the parts that JDK 21 and later write beside it first."""
    folder, name = os.path.split(path)
    size = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == name or entry.name.startswith(f"{name}.p"):
                with contextlib.suppress(OSError):
                    size += entry.stat().st_size
    return size
