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
        self.content: BinaryReading | TextReading = BinaryReading()
        """Knowledge from the bytes so far."""

    def feed(self, data: bytes) -> list[Record]:
        """Returns the completed records with information."""
        if self.layout == "unknown":
            return []
        if not self.layout:
            data = self._head + data
            self._head = data[:HEADER_SIZE]
            if len(data) < HEADER_SIZE:
                return []
            header = HEADER.match(data)
            self.layout = "unknown" if header is None else LAYOUTS[header[1]]
            if header is None:
                return []
            if self.layout == "text":
                self.content = TextReading()
        return self.content.feed(data)
