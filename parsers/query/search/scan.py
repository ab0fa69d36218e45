"""Looks through a whole file for a pattern: gigabytes a second, block by block, any bytes, any length of line.

The file is read with `pread` into one buffer that stays in the processor's cache. Each block ends at a line end; a line
longer than the buffer may grow is taken in pieces that overlap. What comes out are the byte offsets of the lines that
hold the pattern, each once, in order: as many as `grep -c` counts.

What begins a line may be another byte than the one behind a line end: elements of a file that is one line are lines
for all of this when `<` begins them. Then the byte in front of each is taken for a line end, and line ends for blanks.

numpy and stringzilla are used here, so the screen's process doesn't import this module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from parsers.io.charset import UTF8_BOM
from parsers.query.search.line_finder import SLACK, LineFinder, finder_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.query.search.pattern import Pattern

LINE_END = "\n"

BLOCK = 1 << 20
"""Bytes read at a time: 256 KB to 1 MB stay in the cache and make the cost of a step small."""

LONGEST = 8 << 20
"""Bytes of a line that are looked at as one; of a longer one pieces are."""

OVERLAP = 1 << 16
"""Bytes that two pieces of a long line have in common; a plain text may be that long."""


@dataclass(slots=True)
class Block:
    """Some lines of the file, in a buffer that is used again for the next ones."""

    data: bytearray
    length: int
    """Bytes of `data` that count."""
    offset: int
    """Where they stand in the file."""
    line_offset: int
    """Where the first line begins: before `offset` in a later piece of a long line."""
    is_piece: bool = False
    """Whether this is a piece of a long line that goes on after it."""

    def starts(self, relative: NDArray[np.int64]) -> NDArray[np.int64]:
        """Offsets in the file of lines that begin at these places of the block."""
        absolute = relative + self.offset
        if len(relative) and relative[0] == 0:
            absolute[0] = self.line_offset
        return absolute


@dataclass(slots=True)
class Step:
    """What one block held."""

    kind: Literal["regex", "text"]
    """What the pattern has been taken for so far; once it is `regex` it stays so."""
    regex_lines: NDArray[np.int64]
    """Offsets of the lines that match it as an expression, in the file; empty if it isn't looked for as one."""
    text_lines: NDArray[np.int64]
    """The same for the plain text; empty once the expression has matched."""
    done: int
    """Bytes of the file looked through."""

    @property
    def lines(self) -> NDArray[np.int64]:
        """Those of the kind."""
        return self.regex_lines if self.kind == "regex" else self.text_lines


def scan(
    descriptor: int,
    pattern: Pattern,
    encoding: str,
    start: int = 0,
    stop: int | None = None,
    block: int = BLOCK,
    separator: str = LINE_END,
) -> Iterator[Step]:
    """The matching lines of a file from `start` (where a line begins) to `stop` (None: its end), a step a block.

    encoding   as reports name it (`parsers.io.charset`) or as Python does
    separator  LINE_END, or the character that begins a line

    An `auto` pattern is looked for as both until the expression matches.
    """
    regex = _lines_of(pattern, "regex", encoding) if pattern.regex is not None else None
    text = _lines_of(pattern, "text", encoding) if pattern.plain is not None else None
    kind: Literal["regex", "text"] = "text" if regex is None else "regex"
    nothing = np.empty(0, np.int64)
    if regex is not None and text is not None:
        kind = "text"
    for each in (
        blocks(descriptor, start, stop, block)
        if separator == LINE_END
        else pieces(descriptor, separator.encode(), start, stop, block)
    ):
        by_regex = nothing if regex is None else regex.of(each)
        if kind == "text" and regex is not None and regex.has_matched:
            kind, text = "regex", None
        by_text = nothing if text is None else text.of(each)
        yield Step(kind, by_regex, by_text, each.offset + each.length)


def find_lines(
    path: str, pattern: Pattern, encoding: str = "utf-8"
) -> tuple[Literal["regex", "text"], NDArray[np.int64]]:
    """All matching lines of a plain file at once: what the pattern was taken for, and their offsets."""
    kind: Literal["regex", "text"] = "regex" if pattern.kind == "regex" else "text"
    found: list[NDArray[np.int64]] = []
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for step in scan(descriptor, pattern, encoding):
            if step.kind != kind:
                kind, found = step.kind, []
            if len(step.lines):
                found.append(step.lines)
    finally:
        os.close(descriptor)
    return kind, np.concatenate(found) if found else np.empty(0, np.int64)


def blocks(descriptor: int, start: int, stop: int | None, size: int = BLOCK) -> Iterator[Block]:
    """A file in blocks of whole lines, one after the other in one buffer. A file that got shorter just ends."""
    data, kept, offset, line_offset = bytearray(size + SLACK), 0, start, start
    while True:
        room = size - kept if stop is None else min(size - kept, stop - offset - kept)
        count = os.preadv(descriptor, [memoryview(data)[kept : kept + room]], offset + kept) if room > 0 else 0
        length = kept + count
        if not length:
            return
        if count == 0:
            yield Block(data, length, offset, line_offset)
            return
        end = data.rfind(b"\n", kept, length) + 1
        if end:
            yield Block(data, end, offset, line_offset)
            line_offset = offset + end
        elif length < size:
            kept = length
            continue
        elif size < LONGEST:
            data, size, kept = data[:size] + bytes(size + SLACK), 2 * size, length
            continue
        else:
            yield Block(data, length, offset, line_offset, is_piece=True)
            end = length - min(OVERLAP, length // 2)
        kept = length - end
        data[:kept] = data[end:length]
        offset += end


def pieces(descriptor: int, begins: bytes, start: int, stop: int | None, size: int = BLOCK) -> Iterator[Block]:
    """The same where a line begins with a byte: blocks end in front of one, and look as if a line end stood there."""
    data, kept, offset, line_offset = bytearray(size + SLACK), 0, start, start
    while True:
        room = size - kept if stop is None else min(size - kept, stop - offset - kept)
        count = os.preadv(descriptor, [memoryview(data)[kept : kept + room]], offset + kept) if room > 0 else 0
        length = kept + count
        if not length:
            return
        end = length if count == 0 else data.rfind(begins, 1, length)
        is_piece = end <= 0
        if is_piece and length < size:
            kept = length
            continue
        if is_piece and size < LONGEST:
            data, size, kept = data[:size] + bytes(size + SLACK), 2 * size, length
            continue
        rest = data[(length - min(OVERLAP, length // 2) if is_piece else end) : length]
        end = length if is_piece else end
        _end_lines(data, begins, end, is_piece or count == 0)
        yield Block(data, end, offset, line_offset, is_piece)
        if count == 0:
            return
        offset += length - len(rest)
        line_offset = line_offset if is_piece else offset
        kept = len(rest)
        data[:kept] = rest


def _end_lines(data: bytearray, begins: bytes, length: int, goes_on: bool) -> None:
    """Puts line ends in front of what begins a line, and nowhere else. goes_on: none at the end."""
    array = np.frombuffer(data, np.uint8, length)
    array[array == 0x0A] = 0x20
    places = np.flatnonzero(array == begins[0])
    array[places[places > 0] - 1] = 0x0A
    if not goes_on:
        array[-1] = 0x0A


class _Lines:
    """The matching (or not matching) lines of one block after the other, as offsets in the file."""

    def __init__(self, finder: LineFinder, is_negated: bool, mark: bytes = b"") -> None:
        self._mark = mark
        self._find: Callable[[Block], NDArray[np.int64]] = self._others if is_negated else self._matching
        self._finder = finder
        self._last = -1
        self._piece_matched = False
        self.has_matched = False
        """Whether the pattern itself has matched anywhere, negated or not."""

    def of(self, block: Block) -> NDArray[np.int64]:
        """The lines of the next block."""
        return self._find(block)

    def _found(self, block: Block) -> NDArray[np.int64]:
        mark = self._mark
        if block.offset or not mark or not block.data.startswith(mark):
            return self._finder.find(block.data, block.length)
        # A byte order mark is no part of the file's first line.
        found = self._finder.find(block.data[len(mark) :], block.length - len(mark))
        return np.where(found > 0, found + len(mark), found)

    def _matching(self, block: Block) -> NDArray[np.int64]:
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

    def _others(self, block: Block) -> NDArray[np.int64]:
        relative = self._found(block)
        self.has_matched |= bool(len(relative))
        if block.is_piece:
            self._piece_matched |= bool(len(relative))
            return np.empty(0, np.int64)
        starts = line_starts(block.data, block.length)
        others = np.ones(len(starts), np.bool_)
        others[np.searchsorted(starts, relative)] = False
        if self._piece_matched:
            others[0] = False
            self._piece_matched = False
        return block.starts(starts[others])


def _lines_of(pattern: Pattern, kind: Literal["regex", "text"], encoding: str) -> _Lines:
    mark = UTF8_BOM if encoding == "utf-8" else b""
    return _Lines(finder_of(pattern, kind, encoding), pattern.is_negated, mark)


def line_starts(data: bytearray, length: int) -> NDArray[np.int64]:
    """Where lines begin in the first `length` bytes: 0, and after each LF but one at the very end."""
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8, length) == 0x0A)
    starts = np.empty(len(newlines) + 1, np.int64)
    starts[0] = 0
    np.add(newlines, 1, out=starts[1:])
    return starts[:-1] if length and data[length - 1] == 0x0A else starts
