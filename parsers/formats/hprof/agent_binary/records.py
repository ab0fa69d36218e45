"""Structure of binary files: a header, and records with a tag, a time and a length.

Source: `hprof_b_spec.h` and `hprof_io.c` of JDK 8; checked on recorded output. All numbers are big-endian.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from functools import lru_cache

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


DIGITS = tuple(f"{number:02}" for number in range(60))
"""Two digits, ready because a file may have a million times."""


def version_of(header: bytes) -> bytes:
    """Returns the version in a header."""
    return header[13:18]


def created_ms(header: bytes) -> int:
    """Returns the creation time of a file in milliseconds since 1970; 0 for an incomplete header."""
    return int.from_bytes(header[23:HEADER_SIZE], "big") if len(header) >= HEADER_SIZE else 0


def date_of(millis: int) -> str:
    """Formats a time in milliseconds since 1970 in UTC."""
    days, seconds = divmod(int(millis / 1000 % 1e11), 86_400)
    day, year = _day(days)
    return f"{day} {DIGITS[seconds // 3600]}:{DIGITS[seconds // 60 % 60]}:{DIGITS[seconds % 60]} {year} UTC"


@lru_cache
def _day(days: int) -> tuple[str, int]:
    """Returns weekday, month and day, and the year, of a day since 1970: formatting each of many times takes long."""
    time_of = time.gmtime(days * 86_400)
    return time.strftime("%a %b %d", time_of), time_of.tm_year
