"""A line of a text tree: its depth and where its body begins. The plain twin of what the kernels do with a line."""

from __future__ import annotations

from parsers.io.charset import Boxes

BLANKS = b"    "
"""A group of the prefix below a last child."""
CONTINUATION = b"at "
"""How the second and later lines of a parsing reason or of a root's source begin."""
DEEPEST = 65_535
"""Deeper rows count as this deep: depths are kept in 16 bits."""

LONGEST = 1 << 20
"""Lines with more bytes are not taken apart: a row of that length is an unknown one, without id. The lines of a row are
joined up to that length too."""


def without_line_end(line: bytes) -> bytes:
    """A line without its LF and the CR before it. An unterminated last line loses its CR too: half a line end."""
    return line.removesuffix(b"\n").removesuffix(b"\r")


def split_line(line: bytes, boxes: Boxes) -> tuple[int, int] | None:
    """Depth of a row and the byte its body begins at; None if the line has no branch.

    `line` is without line end. Depth is the number of groups before the branch, not more than `DEEPEST`.
    """
    bar, tee, corner = boxes.bar, boxes.tee, boxes.corner
    depth = at = 0
    while True:
        if line.startswith(bar, at):
            at += len(bar)
        elif line.startswith(BLANKS, at):
            at += len(BLANKS)
        else:
            break
        depth += 1
    if line.startswith(tee, at):
        at += len(tee)
    elif line.startswith(corner, at):
        at += len(corner)
    else:
        return None
    return min(depth, DEEPEST), at
