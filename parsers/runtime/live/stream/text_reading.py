"""Parser of the records of a text stream: counts them, and returns completed sections.

Source: `hprof_io.c` of JDK 8. Only the first lines of records and the limits of sections are parsed, and of a heap dump
only its end.
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
"""Maximum bytes kept and parsed of an incomplete line. The agent cuts names, so its lines are never longer."""


class TextReading:
    """Parser of one stream, fed piece by piece."""

    options: ClassVar[int | None] = None
    """None: text streams don't contain the options of the JVM."""
    depth: ClassVar[int | None] = None

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Records by their first words, sections by `NAME BEGIN`."""
        self.whole = 0
        """Offset up to which all records and sections are complete."""
        self._rest = bytearray()
        """The incomplete last line."""
        self._offset = 0
        """Offset of the incomplete line."""
        self._is_skipping = False
        """True while skipping the rest of a line that was too long to keep; its beginning has been parsed."""
        self._section: tuple[bytes, int, dict[str, int]] | None = None
        """Name, offset and facts of the open section."""
        self._trace: int | None = None
        """Offset of the last trace, which may get more lines."""

    @property
    def is_between(self) -> bool:
        """True if the stream is at the end of a line outside of sections."""
        return not self._rest and not self._is_skipping and self._section is None

    @property
    def half(self) -> str:
        """The name of the open section; empty: none."""
        return self._section[0].decode() if self._section is not None else ""

    def feed(self, data: bytes) -> list[Record]:
        """Returns the sections completed by these bytes."""
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
            # More frame lines may follow, so the last trace is complete only once another record begins.
            self.whole = self._offset if self._trace is None else self._trace
        return found

    def _skip(self, data: bytes) -> bytes:
        """Skips the rest of a line; returns the bytes after it."""
        end = data.find(b"\n") + 1
        self._is_skipping = not end
        end = end or len(data)
        self._offset += end
        return data[end:]

    def _read(self, data: bytes, stop: int, found: list[Record]) -> None:
        """Parses whole lines."""
        at = 0
        while True:
            if self._section is not None and self._section[0] == HEAP_DUMP:
                # A heap dump is most of a stream, and contains no other sections.
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
        """The offset after the line at this place."""
        newline = data.find(b"\n", at)
        return self._offset + (len(data) if newline < 0 else newline + 1)

    def _end_section(self, end: int, found: list[Record]) -> None:
        if self._section is not None:
            name, start, facts = self._section
            found.append(Record(name.decode(), start, end, facts))
            self._section = None


def _line_that_begins(data: bytes, text: bytes, start: int, stop: int) -> int:
    """Offset of a line that begins with a text; `stop` if there is none."""
    at = data.find(text, start, stop)
    while at > 0 and data[at - 1] != NEWLINE:
        at = data.find(text, at + 1, stop)
    return stop if at < 0 else at


def _facts(words: bytes) -> dict[str, int]:
    """The numbers in the brackets of a section's first line."""
    facts: dict[str, int] = {}
    for total, number, value, name in NUMBERS.findall(words):
        facts[(total or name).decode()] = int(number or value)
    return facts
