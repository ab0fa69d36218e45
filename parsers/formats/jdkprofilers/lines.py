"""The lines of a file with their offsets, read in blocks; a line of any length takes little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

BLOCK = 1 << 20
"""Bytes read at a time."""

MOST = 1 << 16
"""Maximum bytes of a line that are read: no line of a profile is longer."""


def lines(pread: Callable[[int, int], bytes], stop: int) -> Iterator[tuple[int, bytes, bool]]:
    """Yields offset, text and True if it has a line end, for each line up to an offset.

    pread  count and offset to bytes, fewer at the end
    The text is without its line end (LF or CRLF), and cut at `MOST` bytes. There is no line after the last line end.
    """
    start = offset = 0
    kept = b""
    while offset < stop:
        block = pread(min(BLOCK, stop - offset), offset)
        if not block:
            break
        begin, end = 0, block.find(b"\n")
        while end >= 0:
            text = block[begin : min(end, begin + MOST)] if not kept else (kept + block[begin : min(end, MOST)])[:MOST]
            yield start, text[:-1] if text.endswith(b"\r") and len(text) < MOST else text, True
            kept, begin = b"", end + 1
            start = offset + begin
            end = block.find(b"\n", begin)
        if len(kept) < MOST:
            kept += block[begin : begin + MOST - len(kept)]
        offset += len(block)
    if start < offset:
        yield start, kept, False
