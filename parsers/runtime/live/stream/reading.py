"""Incremental parser of a stream of either layout: counts and returns its records, from pieces cut anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping

from parsers.runtime.live.command import Layout
from parsers.runtime.live.stream.binary_reading import BinaryReading
from parsers.runtime.live.stream.record import Record
from parsers.runtime.live.stream.text_reading import TextReading

HEADER = re.compile(rb"JAVA PROFILE 1\.0\.\d([\0,])")
"""First bytes of both layouts. Source: `hprof_io.c` of JDK 8."""
HEADER_SIZE = 19
LAYOUTS: Mapping[bytes, Layout] = {b"\0": "binary", b",": "text"}
NO_COUNTS: Mapping[str, int] = {}


class StreamParser:
    """Parser of one stream. If it is not HPROF, its layout is `unknown` and it is not parsed further."""

    def __init__(self) -> None:
        self.layout: Layout = ""
        self._head = b""
        self._reading: BinaryReading | TextReading | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """Complete records by name, sections of text by `NAME BEGIN`."""
        return NO_COUNTS if self._reading is None else self._reading.counts

    @property
    def whole(self) -> int:
        """Offset up to which all records and heap dumps are complete."""
        return 0 if self._reading is None else self._reading.whole

    @property
    def options(self) -> int | None:
        """Flags of CONTROL_SETTINGS."""
        return None if self._reading is None else self._reading.options

    @property
    def depth(self) -> int | None:
        """Maximum frames of a trace, by CONTROL_SETTINGS."""
        return None if self._reading is None else self._reading.depth

    @property
    def is_between(self) -> bool:
        """True if the stream is at the end of a record."""
        return self._reading is not None and self._reading.is_between

    @property
    def half(self) -> str:
        """The name of the incomplete record or section; empty: none."""
        return "" if self._reading is None else self._reading.half

    def feed(self, data: bytes) -> list[Record]:
        """Returns the completed records with information."""
        if self._reading is None:
            if self.layout == "unknown":
                return []
            data = self._head + data
            self._head = data[:HEADER_SIZE]
            if len(data) < HEADER_SIZE:
                return []
            header = HEADER.match(data)
            self.layout = "unknown" if header is None else LAYOUTS[header[1]]
            if header is None:
                return []
            self._reading = BinaryReading() if self.layout == "binary" else TextReading()
        return self._reading.feed(data)
