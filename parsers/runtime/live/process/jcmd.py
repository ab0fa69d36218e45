"""Runs the `jcmd` of a JVM's JDK. It exits with 0 even on failure, so its output is returned.

Source: manual of `jcmd`; observed with JDK 8, 17, 25.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence

from parsers.model.report import ReportError

POLL_EVERY = 0.2
"""Seconds between two calls while a command runs."""
MOST_OF_A_NAME = 1000


def run_jcmd(jcmd: str, words: Sequence[str], poll: Callable[[], object] = lambda: None) -> str:
    """Runs a command of `jcmd`; returns its output. Raises `ReportError` if it can't be run.

    poll  called now and then while it runs
    """
    try:
        # Ctrl+C is for this process: it would leave an incomplete file.
        child = subprocess.Popen([jcmd, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0)
    except OSError as error:
        raise ReportError(f"{jcmd} can't be run: {(error.strerror or str(error)).lower()}") from error
    with child:
        try:
            while True:
                try:
                    return child.communicate(timeout=POLL_EVERY)[0].decode("utf-8", "replace")
                except subprocess.TimeoutExpired:
                    poll()
        except BaseException:
            child.kill()
            raise


def quoted(path: str) -> str:
    """Quotes a path so that the JVM reads it as one word. Raises `ReportError` if that is impossible."""
    if not any(letter.isspace() or letter in "'\"" for letter in path):
        return path
    for quote in "\"'":
        if quote not in path:
            return f"{quote}{path}{quote}"
    raise ReportError(f"{path}: has both kinds of quotation marks, which jcmd can't say")


def free_path(folder: str, number: int, suffix: str) -> str:
    """Returns a path for a file of a process; existing files are never overwritten. Raises `ReportError`."""
    if not os.path.isdir(folder):
        raise ReportError(f"{folder}: is no folder")
    name = f"java-{number}-{time.strftime('%Y-%m-%dT%H-%M-%S')}"
    for more in range(1, MOST_OF_A_NAME):
        path = os.path.join(folder, f"{name}{f'-{more}' if more > 1 else ''}{suffix}")
        if not os.path.lexists(path):
            return path
    raise ReportError(f"{folder}: has too many dumps of process {number}")


def in_a_line(says: str) -> str:
    """The output of jcmd without the leading process id and the stack trace at its end."""
    lines = [line.strip() for line in says.splitlines()]
    return " ".join(line for line in lines if line and not line.rstrip(":").isdigit() and not line.startswith("at "))[
        :300
    ]
