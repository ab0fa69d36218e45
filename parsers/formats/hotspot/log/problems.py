"""Problems of the files of a run, with byte offsets and explanations: missing parts, and why they are missing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import EVENT_KINDS, EventKind
from parsers.formats.hotspot.log.read import tags
from parsers.model.none import NONE
from parsers.model.report import Problem
from parsers.model.row import counted

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.log.part import LogFile
    from parsers.io.source import Source

WITH_ROWS = {
    *EVENT_KINDS,
    *(tags.KEPT[kind] for kind in (tags.TASK, tags.TASK_DONE, tags.FAILURE, tags.START, tags.JVMS)),
}
"""Tags that rows are made of."""
NAMED = 4
"""Maximum files that a problem names."""


def find_problems(log: Log, sources: Sequence[Source]) -> Iterator[Problem]:
    """Returns all problems known to pass 1, file by file, in order of their offsets. Empty until the log is joined."""
    if not log.is_joined:
        return
    stops = [*(part.first_task for part in log.parts[1:]), log.tasks]
    for part, stop, source in zip(log.parts, stops, sources, strict=False):
        yield from sorted(_of_part(log, part, stop - 1, source), key=lambda problem: problem.offset or 0)
    yield from _of_run(log, sources)


def _of_part(log: Log, part: LogFile, last: int, source: Source) -> Iterator[Problem]:
    """Returns the problems of one file; `last` is the number of its last task, if it has one."""

    def line_at(offset: int) -> int:
        return log.line(part.base + offset)[1]

    def at(kind: str, offset: int, what: str, done: str) -> Problem:
        return Problem(kind, what, done, source.path, offset, line_at(min(offset, max(part.size - 1, 0))))

    for offset, name in part.torn:
        done = "its attributes up to there are used" + (", its row is marked as damaged" if name in WITH_ROWS else "")
        yield at("torn", offset, f"the tag <{name}> is torn" if name != "?" else "a tag is torn", done)
    if part.torn_count > len(part.torn):
        more = part.torn_count - len(part.torn)
        yield Problem("torn", f"{more:,} more tags are torn", "they are counted", source.path)
    for first, end, count in part.strays:
        elements = counted(count, "element")
        what = f"{elements} of tasks up to byte {end:,} without their start tags, which were overwritten or lost"
        yield at("task without start", first, what, "counted in the totals; no task has a row for it")
    listed = sum(count for _, _, count in part.strays)
    if part.stray_count > listed:
        what = f"{part.stray_count - listed:,} more elements of tasks without a start tag"
        yield Problem("task without start", what, "counted in the totals", source.path)
    for first, end in part.gaps:
        what = f"{end - first:,} NUL bytes up to byte {end:,}: a gap in the file"
        yield at("gap", first, what, "everything around it is shown")
    if len(part.headers) > 1:
        offset = part.headers[1][0]
        yield at("several logs", offset, "another log begins in this file", "all are read as one run")
    is_main = part.kinds[tags.LOG] > 0 or part.tty[0] >= 0
    is_open = last >= part.first_task and log.column("task_end")[last] == part.base + part.size
    if part.size and (is_open or _is_cut(part, is_main)):
        where = f"in the middle of a tag, which began at byte {part.ends_in:,}" if part.ends_in >= 0 else "early"
        if is_open:
            where = f"inside task {log.column('task_id')[last]}"
        what = f"ends {where}: the VM was killed, is still running, or the file was cut at byte {part.size:,}"
        yield at("cut", part.size, what, "everything before it is shown")


def _is_cut(part: LogFile, is_main: bool) -> bool:
    """True if a file ends before its VM did; a file of a compiler thread has no mark of its end."""
    return part.ends_in >= 0 or part.fragment_is_open or (is_main and not part.kinds[tags.LOG_DONE])


def _of_run(log: Log, sources: Sequence[Source]) -> Iterator[Problem]:
    has_main = any(part.kinds[tags.LOG] for part in log.parts)
    processes = {process for process in log.column("thread_process") if process != NONE}
    main = sources[0]
    if len(processes) > 1:
        names = " and ".join(map(str, sorted(processes)))
        what = f"several JVMs wrote this log, processes {names}: each has overwritten a part of the others"
        yield Problem(
            "several JVMs", what, "shown as runs; indistinguishable parts are assigned to one of them", main.path
        )
    if has_main and not log.tasks and not any(part.kinds[tags.COMPILATION_LOG] for part in log.parts):
        yield Problem("no tasks", _missing_files(log), "events of the main log are shown", main.path)
    if not has_main and log.tasks:
        what = "this is what compiler threads left behind: the main log with its events isn't there"
        yield Problem("no main log", what, "tasks are shown; give the main log with it", main.path)


def _missing_files(log: Log) -> str:
    """Explains a log without tasks: the compiler threads' files are elsewhere."""
    events = zip(log.column("event_kind"), log.column("event_reason"), strict=True)
    words = {log.word(reason): None for kind, reason in events if kind == EventKind.THREAD_LOGFILE}
    names = [os.path.basename(os.fsdecode(word)) for word in words]
    if not names:
        return "there are no tasks: no compiler thread had started"
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return f"there are no tasks: they are in files of the compiler threads ({shown}): see hs_c files in /tmp"
