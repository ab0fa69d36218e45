"""The places of the panes of a report's screen, for any size of the window."""

from __future__ import annotations

from collections.abc import Mapping

WIDE = 110
"""Columns from which the detail pane is beside the tree."""

NARROW = 80
"""Columns below which there is no detail pane, and names are short."""

LOW = 24
"""Lines below which there is no detail pane under the tree."""

LEAST = (20, 5)
"""Minimum columns and lines of the screen."""

SHARES = "panes"
"""File of the state folder with the size of the detail pane."""

LEAST_SHARE, MOST_SHARE = 10, 80
"""Least and most percent of the window for the detail pane."""

DEFAULT_SHARES: Mapping[bool, float] = {True: 33, False: 25}
"""Percent of the window that the detail pane occupies beside the tree (True), and below it."""

ABOVE, BELOW = 3, 2
"""Lines above the panes: title, crumbs and headings; and below them: status and keys."""


def is_too_small(width: int, height: int) -> bool:
    """True if the window is too small for anything."""
    return width < LEAST[0] or height < LEAST[1]


def has_details(width: int, height: int, is_side_by_side: bool) -> bool:
    """True if there is space for the detail pane beside the tree, or below it."""
    return width >= WIDE if is_side_by_side else width >= NARROW and height >= LOW


def tree_size(width: int, height: int, shares: Mapping[bool, float]) -> tuple[int, int]:
    """Columns and lines of the tree in a window of that size, before the user has rearranged the panes."""
    lines, is_side_by_side = height - ABOVE - BELOW, width >= WIDE
    if not has_details(width, height, is_side_by_side):
        return width, lines
    share = shares[is_side_by_side]
    return (width - int(width * share / 100), lines) if is_side_by_side else (width, lines - int(lines * share / 100))


def stored_shares(text: str) -> Mapping[bool, float]:
    """The stored sizes of the detail pane beside and below the tree, in percent; the default ones for another text."""
    try:
        beside, below = map(float, text.split())
    except ValueError:
        return DEFAULT_SHARES
    if not all(LEAST_SHARE <= share <= MOST_SHARE for share in (beside, below)):
        return DEFAULT_SHARES
    return {True: beside, False: below}
