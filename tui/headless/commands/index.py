"""`index`: builds the index now, for later openings, and prints its cost."""

from __future__ import annotations

import os
import resource
import select
import sys
import time
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasMembers
from parsers.model.row import counted

if TYPE_CHECKING:
    from parsers.model.report import Progress, Report
    from tui.headless.session import CommandSession

GRACE = 5.0
"""Maximum seconds for the child to end after it has reported completion."""


def run(session: CommandSession) -> int:
    """Builds the index unless it exists; prints one object, or one line."""
    report, started = session.report, time.perf_counter()
    was_there = True

    def follow(progress: Progress) -> None:
        nonlocal was_there
        was_there = was_there and progress.state == "ready"
        session.remarks.progress(progress)

    report.start_index()
    follow(report.progress)
    report.wait(follow)
    seconds = time.perf_counter() - started
    _release(report)
    opened = report.opened if isinstance(report, HasMembers) else [report]
    size = sum(_bytes_in(folder) for each in opened if (folder := each.index_folder))
    fields = {
        "bytes": report.size,
        "seconds": round(seconds, 6),
        "bytes_per_second": round(report.size / seconds) if seconds > 0 else 0,
        "index_bytes": size,
        "peak_rss": _peak_rss(),
        "cached": was_there and size > 0,
    }
    what = "existed already" if fields["cached"] else f"{seconds:.2f} s, {fields['bytes_per_second'] / 1e9:.2f} GB/s"
    memory = f"peak memory {fields['peak_rss'] / 1e6:,.0f} MB"
    text = f"{counted(report.size, 'byte')}, index {counted(size, 'byte')}: {what}, {memory}"
    session.output.answer(fields, text)
    if not session.cache.is_kept and not fields["cached"]:
        session.remarks.show_message("nothing is kept: the index is gone when this ends")
    return 0


def _release(report: Report) -> None:
    """Waits for the end of the child that built the index: its peak memory is known only then."""
    until = time.monotonic() + GRACE
    while (news := report.fileno()) is not None and time.monotonic() < until:
        # poll, not select: descriptors may be above 1,024.
        poll = select.poll()
        poll.register(news, select.POLLIN | select.POLLHUP)
        poll.poll(100)
        report.follow()


def _peak_rss() -> int:
    """Peak memory, in bytes, of this process or a child of it."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _bytes_in(folder: str) -> int:
    """Bytes of all files below a folder."""
    files = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum(os.lstat(file).st_size for file in files)
