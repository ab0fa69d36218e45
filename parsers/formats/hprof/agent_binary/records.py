"""Structure of binary files: a header, and records with a tag, a time and a length.

Source: `hprof_b_spec.h` and `hprof_io.c` of JDK 8; checked on recorded output. All numbers are big-endian.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

Read = Callable[[int, int], bytes]

VERSIONS = (b"JAVA PROFILE 1.0.1\0", b"JAVA PROFILE 1.0.2\0", b"JAVA PROFILE 1.0.3\0")
HEADER_SIZE = 31
RECORD = struct.Struct(">BII")
"""Tag, microseconds since the header's time, bytes of the body."""
NAMES = {
    0x01: "utf8",
    0x02: "load_class",
    0x03: "unload_class",
    0x04: "frame",
    0x05: "trace",
    0x06: "alloc_sites",
    0x07: "heap_summary",
    0x0A: "start_thread",
    0x0B: "end_thread",
    0x0C: "heap_dump",
    0x0D: "cpu_samples",
    0x0E: "control_settings",
    0x1C: "heap_dump_segment",
    0x2C: "heap_dump_end",
}
TEXT = 0x01


class BodyShape(NamedTuple):
    """Bytes of the body of a record by its tag."""

    least: int
    """Bytes before rows or text."""
    row: int = 0
    """Bytes of a row; 0 for a record of fixed length."""
    count_at: int = -1
    """Offset of the number of rows; -1 if there is none."""


def body_shapes(id_size: int) -> dict[int, BodyShape]:
    """Returns shapes by tag, except those of heap records.

    Sources: `hprof_b_spec.h` and `hprof_io.c` of the agent, `heapDumper.cpp` of HotSpot.
    """
    return {
        TEXT: BodyShape(id_size, 1),
        0x02: BodyShape(8 + 2 * id_size),
        0x03: BodyShape(4),
        0x04: BodyShape(8 + 4 * id_size),
        0x05: BodyShape(12, id_size, 8),
        0x06: BodyShape(34, 25, 30),
        0x07: BodyShape(24),
        0x0A: BodyShape(8 + 4 * id_size),
        0x0B: BodyShape(4),
        0x0D: BodyShape(8, 8, 4),
        0x0E: BodyShape(6),
        0x2C: BodyShape(0),
    }


MOST_TIME = 10**11
"""Modulus of seconds since 1970 that are shown as a date."""
MINUTES = tuple(f"{minute // 60:02}:{minute % 60:02}:" for minute in range(24 * 60))
SECONDS = tuple(f"{second:02}" for second in range(60))
"""Texts of times of a day, ready because a file may have a million times."""


def version_of(header: bytes) -> bytes:
    """Returns the version in a header."""
    return header[13:18]


def created_ms(header: bytes) -> int:
    """Returns the creation time of a file in milliseconds since 1970; 0 for an incomplete header."""
    return int.from_bytes(header[23:HEADER_SIZE], "big") if len(header) >= HEADER_SIZE else 0


def date_of(millis: int) -> str:
    """Formats a time in milliseconds since 1970 in UTC."""
    return dates_of([millis // 1000])[0]


def dates_of(times: Sequence[int]) -> list[str]:
    """Formats times in seconds since 1970 in UTC."""
    times = [time % MOST_TIME for time in times]
    days = {day: _day(day) for day in {time // 86_400 for time in times}}
    return [
        f"{day} {MINUTES[time % 86_400 // 60]}{SECONDS[time % 60]} {year} UTC"
        for time in times
        for day, year in (days[time // 86_400],)
    ]


@lru_cache
def _day(days: int) -> tuple[str, int]:
    """Returns weekday, month and day, and the year, of a day since 1970: formatting each of many times takes long."""
    time_of = time.gmtime(days * 86_400)
    return time.strftime("%a %b %d", time_of), time_of.tm_year
