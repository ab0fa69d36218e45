"""Records a running JVM with Flight Recorder by the `jcmd` of its JDK: `JFR.start`, and `JFR.stop` after a while.

The JVM writes the file in its own file system when the recording is stopped, or when it ends before. Source: manual of
`jcmd`; observed with JDK 17 and 25.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping

from parsers.model.report import ReportError
from parsers.runtime.live.process.java_process import JavaProcess, jcmd_for
from parsers.runtime.live.process.jcmd import free_path, in_a_line, quoted, run_jcmd

STARTED = "Started recording"
SETTINGS = "profile"
"""Settings of the JDK with samples, allocations and short waits; about 2 % overhead."""
LONGEST = 7 * 86_400
STEP = 0.2
"""Seconds between two looks at the JVM."""
_DURATION = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?)\s*(?P<unit>ms|s|m|h)?")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str) -> float:
    """Returns the seconds of `30s`, `500 ms`, `2m`, `1h` or `30`. Raises `ReportError`."""
    found = _DURATION.fullmatch(text.strip())
    seconds = 0.0 if found is None else float(found["number"]) * UNITS[found["unit"] or "s"]
    if not 0 < seconds <= LONGEST:
        raise ReportError(f"--jfr takes a duration such as 30s or 5m, not {text!r}")
    return seconds


def record(
    process: JavaProcess,
    folder: str,
    environment: Mapping[str, str],
    seconds: float,
    report: Callable[[float], object] = lambda left: None,
) -> str:
    """Records a JVM; returns the path of the file. Raises `ReportError` if that fails.

    folder  target folder; existing files are never overwritten
    report  called with the seconds that are left

    When this process is interrupted, the recording is stopped and its file stays.
    """
    jcmd = jcmd_for(process, environment)
    path = free_path(os.path.abspath(folder), process.number, ".jfr")
    name = f"coffeetree-{os.getpid()}-{time.time_ns()}"
    number = str(process.number)
    file = f"filename={quoted(path)}"
    says = run_jcmd(jcmd, [number, "JFR.start", f"name={name}", f"settings={SETTINGS}", "dumponexit=true", file])
    if STARTED not in says:
        raise ReportError(f"process {number} recorded nothing: {in_a_line(says) or 'no output of jcmd'}")
    end = time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0 and _runs(process.number):
            report(left)
            time.sleep(min(STEP, left))
    finally:
        says = run_jcmd(jcmd, [number, "JFR.stop", f"name={name}"])
    if not os.path.exists(path):
        raise ReportError(f"process {number} wrote no recording: {in_a_line(says) or 'no output of jcmd'}")
    return path


def _runs(number: int) -> bool:
    """True while a process exists."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
