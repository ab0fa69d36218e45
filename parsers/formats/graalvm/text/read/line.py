"""Depth and body of a line of a text tree. Plain twin of the line handling in the kernels."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.io.charset import Boxes

BLANKS = b"    "
"""A group of the prefix below a last child."""
CONTINUATION = b"at "
"""Start of the second and later lines of a parsing reason or of a root's source."""
DEEPEST = 65_535
"""Largest depth: depths are stored in 16 bits, and deeper rows get this depth."""

LONGEST = 1 << 20
"""Lines with more bytes are not parsed: such a row is unknown and without id. The lines of a row are joined up to this
length too."""


def without_line_end(line: bytes) -> bytes:
    """Removes the LF of a line and the CR before it. An unterminated last line loses its CR too: half a line end."""
    return line.removesuffix(b"\n").removesuffix(b"\r")


@lru_cache
def _prefix(bar: bytes, tee: bytes, corner: bytes) -> re.Pattern[bytes]:
    """Matches the groups of a row, and then its branch."""
    return re.compile(b"((?>%s|%s)*+)(?:%s|%s)" % tuple(map(re.escape, (bar, BLANKS, tee, corner))))


def split_line(line: bytes, boxes: Boxes) -> tuple[int, int] | None:
    """Returns the depth of a row and the offset of its body in the line; None if the line has no branch.

    `line` is without line end. Depth is the number of groups before the branch, not more than `DEEPEST`.
    """
    found = _prefix(boxes.bar, boxes.tee, boxes.corner).match(line)
    if found is None:
        return None
    bars = found[1].count(boxes.bar)
    depth = bars + (found.end(1) - bars * len(boxes.bar)) // len(BLANKS)
    return min(depth, DEEPEST), found.end()
