"""Depth and body of a line of a text tree. Plain twin of the line handling in the kernels."""

from __future__ import annotations

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


def split_line(line: bytes, boxes: Boxes) -> tuple[int, int] | None:
    """Returns the depth of a row and the offset of its body in the line; None if the line has no branch.

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
