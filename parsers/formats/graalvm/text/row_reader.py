"""Text of rows: one read of the file for a block of rows, cached for the rows on the screen.

The file is read with `pread` and never mapped, so a file truncated meanwhile gives short or empty texts.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar, Union

from parsers.formats.graalvm.text.read.line import CONTINUATION, LONGEST, without_line_end
from parsers.formats.graalvm.text.tree import TextTree

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.label import CallText
    from parsers.formats.graalvm.objects.label import ObjectText
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source

TextRow = Union["CallText", "ObjectText"]
"""The parsed text of a row."""

Parsed = TypeVar("Parsed", bound=TextRow)

ROWS = 64
"""Rows of a block that are read together."""

BLOCKS = 48
"""Capacity of the cache, in blocks."""

LARGEST_BLOCK = 1 << 18
"""Larger blocks, in bytes, are not read as a whole, and so never cached."""

USUAL = 1 << 16
"""Bytes read for a row whose end is not known."""

MOST = LONGEST + 2
"""Most bytes read of a row: enough to see that a line is too long to be parsed."""


class RowReader:
    """Lines of rows by their number."""

    def __init__(self, source: Source | SourceGroup, tree: TextTree) -> None:
        self._source = source
        self._tree = tree
        self._blocks: OrderedDict[int, tuple[int, bytes]] = OrderedDict()

    def line(self, row: int) -> bytes:
        """Returns the row's line without its line end."""
        return self._line(row)[0]

    def continued(self, row: int) -> bytes:
        """The row's line joined by LF with its continuation lines, which directly follow and begin with `at `."""
        line, rest = self._line(row)
        lines = [line]
        for below in map(without_line_end, rest.split(b"\n")):
            if not below.startswith(CONTINUATION):
                break
            lines.append(below)
        return b"\n".join(lines)

    def is_cut(self, row: int) -> bool:
        """Returns True if this is the last line of the file and has no line end."""
        tree = self._tree
        if not tree.is_complete or row + 1 < tree.rows:
            return False
        return b"\n" not in self._read(tree.offset(row), tree.offset(row) + MOST)

    def _line(self, row: int) -> tuple[bytes, bytes]:
        tree = self._tree
        start = tree.offset(row)
        if row + 1 >= tree.rows:
            return self._last(start)
        stop = min(tree.offset(row + 1), start + MOST)
        base, data = self._block(row)
        if start < base or stop > base + len(data):
            base, data = start, self._read(start, stop)
        line, _, rest = data[start - base : stop - base].partition(b"\n")
        return without_line_end(line), rest

    def _last(self, start: int) -> tuple[bytes, bytes]:
        """Line and continuation of the last known row, whose end is unknown."""
        data = self._read(start, start + USUAL)
        if b"\n" not in data and len(data) == USUAL:
            data = self._read(start, start + MOST)
        line, _, rest = data.partition(b"\n")
        return without_line_end(line), rest[: rest.rfind(b"\n") + 1]

    def _block(self, row: int) -> tuple[int, bytes]:
        """Offset and bytes of the block of 64 rows around a row; no bytes if it is incomplete or too long to cache."""
        number = row // ROWS
        kept = self._blocks.get(number)
        if kept is not None:
            self._blocks.move_to_end(number)
            return kept
        tree, first = self._tree, number * ROWS
        if first + ROWS >= tree.rows:
            return 0, b""
        start, stop = tree.offset(first), tree.offset(first + ROWS)
        if stop - start > LARGEST_BLOCK:
            return 0, b""
        kept = start, self._read(start, stop)
        self._blocks[number] = kept
        if len(self._blocks) > BLOCKS:
            self._blocks.popitem(last=False)
        return kept

    def _read(self, start: int, stop: int) -> bytes:
        head = self._source.head
        return head[start:stop] if stop <= len(head) else self._source.pread(stop - start, start)
