"""The lines of a file with their offsets, read in blocks; a line of any length takes little memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Generic, TypeVar

from parsers.formats.jdkprofilers.line_rows import LinesRecording

Recording = TypeVar("Recording", bound=LinesRecording)

BLOCK = 1 << 20
"""Bytes read at a time."""

MOST = 1 << 16
"""Maximum bytes of a line that are read: no line of a profile is longer."""


MOST_PAUSE = 7
"""Maximum lines that are read one by one before it is tried again to read several at once."""

BLANK_LINES = re.compile(rb"\s*\n")
"""All blank lines from the beginning of a line on."""

Run = Callable[[bytes, int, int], int]
"""Takes lines of a block that need not be read one by one: block, position and offset of a line; the position behind
the lines, or the same one if there are none."""


def lines(pread: Callable[[int, int], bytes], stop: int, run: Run | None = None) -> Iterator[tuple[int, bytes, bool]]:
    """Yields offset, text and True if it has a line end, for each line up to an offset.

    pread  count and offset to bytes, fewer at the end
    run    is offered lines before they are yielded, after failures only some of them
    The text is without its line end (LF or CRLF), and cut at `MOST` bytes. There is no line behind the last line end.
    """
    start = offset = 0
    kept = b""
    misses = pause = 0
    while offset < stop:
        block = pread(min(BLOCK, stop - offset), offset)
        if not block:
            break
        begin = 0
        while True:
            if pause:
                pause -= 1
            elif run is not None and not kept:
                after = run(block, begin, offset + begin)
                if after > begin:
                    begin, start, misses = after, offset + after, 0
                    continue
                pause = misses = min(2 * misses + 1, MOST_PAUSE)
            end = block.find(b"\n", begin)
            if end < 0:
                break
            text = kept + block[begin:end]
            if len(text) >= MOST:
                text = text[:MOST]
            elif text.endswith(b"\r"):
                text = text[:-1]
            yield start, text, True
            kept, begin = b"", end + 1
            start = offset + begin
        if len(kept) < MOST:
            kept += block[begin : begin + MOST - len(kept)]
        offset += len(block)
    if start < offset:
        yield start, kept, False


def lines_of(
    expression: re.Pattern[bytes], block: bytes, begin: int, end: int, offset: int
) -> tuple[list[Any], list[int]]:
    """Returns the groups of each line of a part of a block, all of which an expression matches, and their offsets.

    offset  of the first one
    """
    lengths = map(len, block[begin:end].split(b"\n"))
    return expression.findall(block, begin, end), [*accumulate(map((1).__add__, lengths), initial=offset)][:-2]


class LineReader(Generic[Recording]):
    """Reads the lines of a file one after the other into `recording`. Derived classes know their meaning."""

    recording: Recording

    def __init__(self, path: str = "") -> None:
        self._path = path

    def run(self, block: bytes, begin: int, offset: int) -> int:
        """Reads lines of a block that need not be read one by one, as `Run`."""
        raise NotImplementedError

    def feed(self, offset: int, text: bytes, has_end: bool = True) -> None:
        """Reads one line without its end."""
        raise NotImplementedError

    def finish(self, is_all: bool) -> None:
        """Ends the file. `is_all`: all of it has been read."""
        self.recording.is_complete = is_all

    def read(
        self,
        pread: Callable[[int, int], bytes],
        stop: int,
        is_all: bool,
        report_progress: Callable[[int], None] | None = None,
    ) -> Recording:
        """Reads a file up to an offset.

        `is_all`: the file ends there, so its last line may have no end; `report_progress` receives the offset reached.
        """

        def pread_and_report(count: int, offset: int) -> bytes:
            if report_progress is not None:
                report_progress(offset)
            return pread(count, offset)

        for offset, text, has_end in lines(pread_and_report, stop, self.run):
            if has_end or is_all:
                self.feed(offset, text, has_end)
        self.finish(is_all)
        return self.recording
