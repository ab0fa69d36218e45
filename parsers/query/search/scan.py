"""Scans a whole file for a pattern: gigabytes a second, block by block, any bytes, any length of line.

The file is read with `pread` into one buffer that stays in the processor's cache. Each block ends at a line end; a line
longer than the largest buffer is scanned in overlapping pieces. The result is the byte offsets of the matching lines,
each once, in order: as many as `grep -c` counts.

Rows may also begin with a character instead of following a line end: in a file of one line, elements begin with `<`.
Then the byte before each is replaced by a line end, and real line ends by blanks.

This module uses numpy and stringzilla, so the screen's process doesn't import it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from parsers.io.charset import UTF8_BOM
from parsers.query.search.line_finder import SLACK, every_line, finder_of
from parsers.query.search.state_finder import LineFinder

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.query.search.pattern import Pattern

LINE_END = "\n"

BLOCK = 1 << 20
"""Bytes read at a time: 256 KB to 1 MB stay in the cache and make the cost of a step small."""

LONGEST = 8 << 20
"""Longest line scanned as a whole; a longer one is scanned in pieces."""

OVERLAP = 1 << 16
"""Bytes common to two pieces of a long line; a plain text may be that long."""


@dataclass(slots=True)
class LineBlock:
    """Some lines of the file, in a buffer that is reused for the next ones."""

    data: bytearray
    length: int
    """Number of valid bytes of `data`."""
    offset: int
    """Their offset in the file."""
    line_offset: int
    """Offset of the first line: before `offset` in a later piece of a long line."""
    is_piece: bool = False
    """True if this is a piece of a long line that continues after it."""

    def starts(self, relative: I64Array) -> I64Array:
        """Converts places of lines in the block to offsets in the file."""
        absolute = relative + self.offset
        if len(relative) and relative[0] == 0:
            absolute[0] = self.line_offset
        return absolute


@dataclass(slots=True)
class BlockMatches:
    """The matches of one block."""

    kind: Literal["regex", "text"]
    """The interpretation of the pattern so far; once `regex` it never changes."""
    regex_lines: I64Array
    """File offsets of the lines that match as an expression; empty if it isn't searched as one."""
    text_lines: I64Array
    """The same for the plain text; empty once the expression has matched."""
    done: int
    """Bytes of the file scanned."""

    @property
    def lines(self) -> I64Array:
        """The lines for the current kind."""
        return self.regex_lines if self.kind == "regex" else self.text_lines


def scan(
    descriptor: int,
    pattern: Pattern,
    encoding: str,
    start: int = 0,
    stop: int | None = None,
    block: int = BLOCK,
    separator: str = LINE_END,
) -> Iterator[BlockMatches]:
    """Yields the matching lines of a file from `start` (a line start) to `stop` (None: its end), a step a block.

    encoding   as reports name it (`parsers.io.charset`) or as Python does
    separator  LINE_END, or the character that begins a line

    An `auto` pattern is searched as both until the expression matches.
    """
    regex = _lines_of(pattern, "regex", encoding) if pattern.regex is not None else None
    text = _lines_of(pattern, "text", encoding) if pattern.plain is not None else None
    kind: Literal["regex", "text"] = "text" if regex is None else "regex"
    nothing = np.empty(0, np.int64)
    if regex is not None and text is not None:
        kind = "text"
    for each in blocks(descriptor, start, stop, block, separator):
        by_regex = nothing if regex is None else regex.of(each)
        if kind == "text" and regex is not None and regex.has_matched:
            kind, text = "regex", None
        by_text = nothing if text is None else text.of(each)
        yield BlockMatches(kind, by_regex, by_text, each.offset + each.length)


def blocks(
    descriptor: int, start: int, stop: int | None, size: int = BLOCK, separator: str = LINE_END
) -> Iterator[LineBlock]:
    """Yields a file in blocks of whole lines, all in one buffer. A file that was truncated just ends.

    separator: LINE_END, or the character that begins a line: blocks end before one, as if a line end were there
    """
    begins = b"" if separator == LINE_END else separator.encode()
    data, kept, offset, line_offset = bytearray(size + SLACK), 0, start, start
    while True:
        capacity = size - kept if stop is None else min(size - kept, stop - offset - kept)
        count = os.preadv(descriptor, [memoryview(data)[kept : kept + capacity]], offset + kept) if capacity > 0 else 0
        length = kept + count
        if not length:
            return
        end = data.rfind(begins, 1, length) if begins else data.rfind(b"\n", kept, length) + 1
        if not count:
            end = length
        is_piece = end <= 0
        if is_piece and length < size:
            kept = length
            continue
        if is_piece and size < LONGEST:
            data, size, kept = data[:size] + bytes(size + SLACK), 2 * size, length
            continue
        rest = data[(length - min(OVERLAP, length // 2) if is_piece else end) : length]
        end = length if is_piece else end
        if begins:
            _end_lines(data, begins, end, is_piece or not count)
        yield LineBlock(data, end, offset, line_offset, is_piece)
        if not count:
            return
        offset += length - len(rest)
        line_offset = line_offset if is_piece else offset
        kept = len(rest)
        data[:kept] = rest


def _end_lines(data: bytearray, begins: bytes, length: int, continues: bool) -> None:
    """Puts line ends before bytes that begin a line, and nowhere else. continues: no line end at the end."""
    array = np.frombuffer(data, np.uint8, length)
    array[array == 0x0A] = 0x20
    places = np.flatnonzero(array == begins[0])
    array[places[places > 0] - 1] = 0x0A
    if not continues:
        array[-1] = 0x0A


class _Lines:
    """The matching (or not matching) lines of successive blocks, as offsets in the file."""

    def __init__(self, finder: LineFinder, is_negated: bool, mark: bytes = b"") -> None:
        self._mark = mark
        self._is_negated = is_negated
        self._finder = finder
        self._last = -1
        self._piece_matched = False
        self.has_matched = False
        """True if the pattern itself has matched anywhere, negated or not."""

    def of(self, block: LineBlock) -> I64Array:
        """The lines of the next block."""
        return self._others(block) if self._is_negated else self._matching(block)

    def _found(self, block: LineBlock) -> I64Array:
        mark = self._mark
        if block.offset or not mark or not block.data.startswith(mark):
            return self._finder(block.data, block.length)
        # A byte order mark doesn't belong to the file's first line.
        found = self._finder(block.data[len(mark) :], block.length - len(mark))
        return np.where(found > 0, found + len(mark), found)

    def _matching(self, block: LineBlock) -> I64Array:
        relative = self._found(block)
        if not len(relative):
            return relative
        self.has_matched = True
        lines = block.starts(relative)
        # A long line may match in several of its pieces.
        lines = lines[1:] if lines[0] == self._last else lines
        if len(lines):
            self._last = int(lines[-1])
        return lines

    def _others(self, block: LineBlock) -> I64Array:
        relative = self._found(block)
        self.has_matched |= bool(len(relative))
        if block.is_piece:
            self._piece_matched |= bool(len(relative))
            return np.empty(0, np.int64)
        starts = every_line(block.data, block.length)
        others = np.ones(len(starts), np.bool_)
        others[np.searchsorted(starts, relative)] = False
        if self._piece_matched:
            others[0] = False
            self._piece_matched = False
        return block.starts(starts[others])


def _lines_of(pattern: Pattern, kind: Literal["regex", "text"], encoding: str) -> _Lines:
    mark = UTF8_BOM if encoding == "utf-8" else b""
    return _Lines(finder_of(pattern, kind, encoding), pattern.is_negated, mark)
