"""Follows the records of a text stream: counts them, and tells the sections that have come to their ends.

Source: format page of HPROF text; `hprof_io.c` of JDK 8. Only the first lines of records and the edges of sections are
looked at, and in a heap dump only its end.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from parsers.runtime.live.stream.record import Record

EDGE = re.compile(
    rb"^(?:(THREAD START|THREAD END) \(|(TRACE) \d"
    rb"|(CPU SAMPLES|CPU TIME|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP)(?: \(ms\))? "
    rb"(?:(BEGIN)(?: \((.*?)\))?|(END)\b))",
    re.MULTILINE,
)
NEWLINE = 10
HEAP_DUMP = b"HEAP DUMP"
END_OF_DUMP = b"HEAP DUMP END"
NUMBERS = re.compile(rb"(total) = (-?\d{1,20})|(\d{1,20}) (objects|bytes)")
OTHER_LINE = re.compile(rb"^[^\t]", re.MULTILINE)
"""A line that is no frame."""
LONGEST_LINE = 1 << 20
"""Bytes of a line that are kept until its end comes; of a longer one only these are looked at. Nothing that the agent
prints is longer, as it cuts names."""


class TextReading:
    """One stream. `feed` gets it piece by piece."""

    options: ClassVar[int | None] = None
    """Nothing in text tells what the JVM was started with."""
    depth: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Records by their first words, sections by `NAME BEGIN`."""
        self.whole = 0
        """Up to where no record and no section is half there."""
        self._rest = bytearray()
        """What has come of a line whose end has not."""
        self._offset = 0
        """Where the rest begins."""
        self._is_skipping = False
        """Whether the end of a line is awaited whose beginning was too long to keep and has been looked at."""
        self._section: tuple[bytes, int, dict[str, int]] | None = None
        """Name, offset and facts of the section that has begun and not ended."""
        self._trace: int | None = None
        """Where the last trace begins, to which more lines may belong."""

    @property
    def is_between(self) -> bool:
        """Whether the last that came was the end of a line, in no section."""
        return not self._rest and not self._is_skipping and self._section is None

    @property
    def half(self) -> str:
        """The name of the section that has not ended; empty: none."""
        return self._section[0].decode() if self._section is not None else ""

    def feed(self, data: bytes) -> list[Record]:
        """The sections that are complete now."""
        found: list[Record] = []
        if self._is_skipping:
            data = self._skip(data)
        # Only new bytes are searched and kept ones copied once: work grows with the bytes, not with the pieces.
        stop = data.rfind(b"\n") + 1
        if not stop and len(self._rest) + len(data) > LONGEST_LINE:
            stop, self._is_skipping = len(data), True
        if stop:
            lines = bytes(self._rest) + data[:stop]
            self._read(lines, len(lines), found)
            self._offset += len(lines)
            self._rest.clear()
        self._rest += data[stop:]
        if self._section is not None:
            self.whole = self._section[1]
        elif not self._is_skipping:
            # A line of its frames may still come, so the last trace is whole only once another record begins.
            self.whole = self._offset if self._trace is None else self._trace
        return found

    def _skip(self, data: bytes) -> bytes:
        """Passes by the rest of a line; what follows it."""
        end = data.find(b"\n") + 1
        self._is_skipping = not end
        end = end or len(data)
        self._offset += end
        return data[end:]

    def _read(self, data: bytes, stop: int, found: list[Record]) -> None:
        """Looks through whole lines."""
        at = 0
        while True:
            if self._section is not None and self._section[0] == HEAP_DUMP:
                # Most of a stream, and there is nothing else in it.
                at = _line_that_begins(data, END_OF_DUMP, at, stop)
                if at == stop:
                    break
                self._end_section(self._line_end(data, at), found)
            edge = EDGE.search(data, at, stop)
            if edge is None:
                break
            at, self._trace = edge.end(), None
            thread, trace, section, begin, words, end = edge.groups()
            if begin:
                self.counts[f"{section.decode()} BEGIN"] += 1
                self._section = section, self._offset + edge.start(), _facts(words or b"")
            elif end:
                self._end_section(self._line_end(data, at), found)
            else:
                self.counts[(thread or trace).decode()] += 1
                self._trace = self._offset + edge.start() if trace else None
                at = self._line_end(data, at) - self._offset
        if self._trace is not None and OTHER_LINE.search(data, at, stop):
            self._trace = None

    def _line_end(self, data: bytes, at: int) -> int:
        """The offset behind the line that is at this place."""
        newline = data.find(b"\n", at)
        return self._offset + (len(data) if newline < 0 else newline + 1)

    def _end_section(self, end: int, found: list[Record]) -> None:
        if self._section is not None:
            name, start, facts = self._section
            found.append(Record(name.decode(), start, end, facts))
            self._section = None


def _line_that_begins(data: bytes, text: bytes, start: int, stop: int) -> int:
    """Where a line begins with a text; `stop` if none does."""
    at = data.find(text, start, stop)
    while at > 0 and data[at - 1] != NEWLINE:
        at = data.find(text, at + 1, stop)
    return stop if at < 0 else at


def _facts(words: bytes) -> dict[str, int]:
    """What stands in the brackets of a section's first line."""
    facts: dict[str, int] = {}
    for total, number, value, name in NUMBERS.findall(words):
        facts[(total or name).decode()] = int(number or value)
    return facts
