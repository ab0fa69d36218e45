"""`dump`: takes a heap dump or a recording of a running local JVM, or lists local JVMs."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.runtime.live.process.heap_dumping import dump_heap
from parsers.runtime.live.process.java_process import JavaProcess, find_process, java_processes
from parsers.runtime.opening import open_report
from tui.headless.problems import DONE
from tui.headless.session import NOTHING_FOUND
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from tui.command_line.arguments import Arguments
    from tui.headless.session import Invocation, Remarks


def run(invocation: Invocation) -> int:
    """Takes a dump and prints its path and facts; without a process number lists the JVMs."""
    arguments, output = invocation.arguments, invocation.output
    if not arguments.word:
        return _list(invocation)
    process, started = process_of(arguments.word), time.perf_counter()
    path = take_dump(process, arguments, invocation.remarks)
    seconds = time.perf_counter() - started
    report = open_report([path], cache=invocation.cache)
    try:
        fields = {
            "file": path,
            "pid": process.number,
            "program": process.program,
            "bytes": os.path.getsize(path),
            "seconds": round(seconds, 3),
            "format": report.format,
            "format_version": report.format_version,
            "facts": dict(report.facts),
        }
    finally:
        report.close()
    output.answer(fields, f"{safe(path)}  {fields['bytes']:,} bytes, {seconds:.1f} s, {report.format_title}")
    return DONE


def process_of(word: str) -> JavaProcess:
    """The JVM of a typed process number. Raises `ReportError`."""
    if not (word.isascii() and word.isdigit() and 0 < int(word) < 1 << 31):
        raise ReportError(f"{word}: is no process number; `coffeetree dump` lists the JVMs there are")
    return find_process(int(word))


def take_dump(process: JavaProcess, arguments: Arguments, remarks: Remarks) -> str:
    """Takes a dump or recording; returns its path. Raises `ReportError`."""
    folder, compression = arguments.text("into") or ".", arguments.given.get("gz")
    if compression is not None and not (isinstance(compression, int) and 1 <= compression <= 9):
        raise ReportError("--gz takes a number from 1 to 9")
    duration = arguments.text("jfr")
    try:
        if duration is not None:
            return _record(process, folder, duration, arguments, remarks)
        return dump_heap(
            process,
            folder,
            os.environ,
            arguments.is_given("all"),
            compression if isinstance(compression, int) else None,
            lambda size: remarks.show(f"process {process.number} writes its heap: {size / 1e6:,.0f} MB"),
        )
    except KeyboardInterrupt:
        if duration is None:
            remarks.show_message(f"process {process.number} may continue writing its heap to {os.path.abspath(folder)}")
        else:
            remarks.show_message(f"the recording so far is in {os.path.abspath(folder)}")
        raise
    finally:
        remarks.done()


def _record(process: JavaProcess, folder: str, duration: str, arguments: Arguments, remarks: Remarks) -> str:
    from parsers.runtime.live.process.recording import record, seconds_of

    for name in ("all", "gz"):
        if name in arguments.given:
            raise ReportError(f"--{name} is for heap dumps, not for recordings")

    def show(left: float) -> None:
        remarks.show(f"process {process.number} is recorded: {left:,.0f} s left")

    return record(process, folder, os.environ, seconds_of(duration), show)


def _list(invocation: Invocation) -> int:
    output = invocation.output
    processes = java_processes()
    for process in processes if output.is_json else ():
        output.json({"pid": process.number, "program": process.program, "executable": process.executable})
    if processes and not output.is_json:
        lines = [(str(each.number), safe(each.program) or "?", safe(each.executable)) for each in processes]
        output.table([("PID", "Program", "Executable"), *lines], right=(0,))
    if not processes:
        invocation.remarks.show_message("no JVM of this user runs on this machine")
    return DONE if processes else NOTHING_FOUND
