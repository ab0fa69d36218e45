"""Dumps the heap of a running JVM by the `jcmd` of its JDK: `jcmd PID GC.heap_dump [-all] [-gz=N] FILE`.

The JVM writes the file, in its own file system and with its own rights, and is paused meanwhile. `jcmd` exits with 0
even on failure, so its output and the file are checked. Source: manual of `jcmd`; observed with JDK 8, 17, 25.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping

from parsers.model.report import ReportError
from parsers.runtime.live.process.java_process import JavaProcess, jcmd_for

POLL_EVERY = 0.2
"""Seconds between two measurements of the file."""
CREATED = "Heap dump file created"
UNKNOWN = "Unknown argument"
MOST_OF_A_NAME = 1000

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
    path = _free_path(os.path.abspath(folder), process.number, ".hprof" if compression is None else ".hprof.gz")
    options = (["-all"] if has_garbage else []) + ([] if compression is None else [f"-gz={compression}"])
    command = [jcmd, str(process.number), "GC.heap_dump", *options, quoted(path)]
    try:
        # Ctrl+C is for this process: it would leave an incomplete dump.
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0)
    except OSError as error:
        raise ReportError(f"{jcmd} can't be run: {(error.strerror or str(error)).lower()}") from error
    with child:
        try:
            says = _wait(child, path, report_size)
        except BaseException:
            child.kill()
            raise
    if CREATED not in says or not os.path.exists(path):
        if compression is not None and UNKNOWN in says:
            says = "its JVM knows no compression (JDK 15 and later do)"
        raise ReportError(f"process {process.number} dumped no heap: {_in_a_line(says) or 'no output of jcmd'}")
    return path


def quoted(path: str) -> str:
    """Quotes a path so that the JVM reads it as one word. Raises `ReportError` if that is impossible."""
    if not any(letter.isspace() or letter in "'\"" for letter in path):
        return path
    for quote in "\"'":
        if quote not in path:
            return f"{quote}{path}{quote}"
    raise ReportError(f"{path}: has both kinds of quotation marks, which jcmd can't say")


def _wait(child: subprocess.Popen[bytes], path: str, report_size: ReportSize) -> str:
    """The output of jcmd after its end."""
    while True:
        try:
            return child.communicate(timeout=POLL_EVERY)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            report_size(_written(path))


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


def _free_path(folder: str, number: int, suffix: str) -> str:
    if not os.path.isdir(folder):
        raise ReportError(f"{folder}: is no folder")
    name = f"java-{number}-{time.strftime('%Y-%m-%dT%H-%M-%S')}"
    for more in range(1, MOST_OF_A_NAME):
        path = os.path.join(folder, f"{name}{f'-{more}' if more > 1 else ''}{suffix}")
        if not os.path.lexists(path):
            return path
    raise ReportError(f"{folder}: has too many dumps of process {number}")


def _in_a_line(says: str) -> str:
    """The output of jcmd without the leading process id and the stack trace at its end."""
    lines = [line.strip() for line in says.splitlines()]
    return " ".join(line for line in lines if line and not line.rstrip(":").isdigit() and not line.startswith("at "))[
        :300
    ]
