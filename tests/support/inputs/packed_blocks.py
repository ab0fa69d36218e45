"""Gzip files of independent members, as HotSpot writes heap dumps."""

from __future__ import annotations

import struct
import zlib

COMMENT = b"\x1f\x8b\x08\x10\0\0\0\0\x04\0HPROF BLOCKSIZE=%d\0"


def in_blocks(data: bytes, size: int, level: int = 1) -> tuple[bytes, list[int]]:
    """Compresses bytes into members of so many plain bytes. Returns the file, offsets of members, and its end."""
    packed, starts = b"", list[int]()
    for at in range(0, max(len(data), 1), size):
        starts.append(len(packed))
        block = data[at : at + size]
        if at:
            member = zlib.compressobj(level, wbits=31)
            packed += member.compress(block) + member.flush()
        else:
            member = zlib.compressobj(level, wbits=-15)
            packed += COMMENT % size + member.compress(block) + member.flush()
            packed += struct.pack("<II", zlib.crc32(block), len(block))
    return packed, [*starts, len(packed)]
