"""Binary HPROF files of HEAP_SUMMARY records."""

from __future__ import annotations

import struct


def summary(micros: int, *numbers: int) -> bytes:
    """A HEAP_SUMMARY record: live bytes and objects, allocated bytes and objects."""
    return struct.pack(">BIIIIQQ", 0x07, micros % (1 << 32), 24, *numbers)


HEADER = b"JAVA PROFILE 1.0.1\0" + struct.pack(">IQ", 4, 1_795_233_371_869)


def summaries(count: int) -> bytes:
    """A file of summaries, one a second; live bytes rise and fall again."""
    rows = [(min(each, count - each) * 1000, each, each * 2000, each * 3) for each in range(count)]
    return HEADER + b"".join(summary(second * 1_000_000, *row) for second, row in enumerate(rows))
