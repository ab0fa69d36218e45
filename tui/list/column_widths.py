"""Widths of the columns of a list in a pane: pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

LEAST_FLEXIBLE = 24
"""Minimum cells of a column without a width of its own; columns after it are omitted first."""

GAP = 2
"""Cells between two columns."""


def column_widths(usual: Sequence[int | None], longest: Sequence[int], space: int) -> list[int]:
    """Width of each column; 0: omitted. The last ones are omitted first, so that names keep some cells.

    usual    of each column; 0: the remaining cells; None: it is omitted
    longest  maximum width of the texts of each column
    space     cells for all of them and the gaps after them

    Columns with a width of their own get the cells for their texts that columns without one can spare; these keep what
    they need, at most half of `space`.
    """
    flexible = [index for index, width in enumerate(usual) if width == 0]
    taken = [width + GAP if width else 0 for width in usual]
    for index in range(len(usual) - 1, 0, -1):
        if (space - sum(taken)) // max(1, len(flexible)) < LEAST_FLEXIBLE:
            taken[index] = 0
    needed = max(LEAST_FLEXIBLE * len(flexible), min(space // 2, sum(longest[index] + GAP for index in flexible)))
    spare = space - sum(taken) - needed
    for index, width in enumerate(usual):
        more = min(longest[index] - (width or 0), spare)
        if taken[index] and more > 0:
            taken[index] += more
            spare -= more
    widths = [max(0, cells - GAP) for cells in taken]
    rest = space - sum(taken)
    # A column that needs less than an equal share leaves it to others; the widest gets the remainder.
    for left, index in zip(range(len(flexible), 0, -1), sorted(flexible, key=longest.__getitem__), strict=True):
        share = max(4, rest // left - GAP)
        widths[index] = min(share, longest[index]) if left > 1 else share
        rest -= widths[index] + GAP
    return widths
