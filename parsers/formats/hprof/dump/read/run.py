"""Selection of one of several heap dumps in a file: the agent writes one at each signal or request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hprof.dump.records.records import DumpRecords, read_header
from parsers.formats.hprof.dump.records.tags import HEAP_DUMP_END
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.io.source import Source


def narrow(source: Source, number: int) -> None:
    """Limits a file to its bytes up to the end of dump `number`, from 1; so that dump is the last one.

    Raises `ReportError` if there is no such dump.
    """
    source.unpack()
    header = read_header(source.pread, source.size)
    records = DumpRecords(source.pread, source.size, header[1] if header is not None else 4)
    ends: dict[int, int] = {}
    for _, tag, _, end in records.walk() if header is not None else ():
        if tag == HEAP_DUMP_END and records.dumps and ends.get(records.dumps) is None:
            ends[records.dumps] = end
    last = {segment.dump + 1: segment.end for segment in records.segments}
    if number not in last:
        there = "one heap dump" if records.dumps == 1 else f"{records.dumps:,} heap dumps" if records.dumps else "none"
        raise ReportError(f"{source.path}#{number}: there is no such heap dump: the file has {there}")
    source.narrow(number, records.dumps, max(ends.get(number, 0), last[number]))
