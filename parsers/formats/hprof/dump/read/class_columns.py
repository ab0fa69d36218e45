"""Positions in the columns of classes, and sums over superclasses: for plain code and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers

ID, SUPER, LOADER, SIGNERS, DOMAIN = range(5)
HEADS = 5
"""Columns of `ClassColumns.heads`, and their number."""
TRACE, SIZE, CONSTANTS, STATICS, FIELDS = range(5)
NUMBERS = 5
"""Columns of `ClassColumns.numbers`, and their number."""
NO_CLASS, ON_PATH = -1, -2
"""No superclass, or a sum that is not known yet; the sum of a class whose superclasses are being summed."""


def add_supers(supers: Numbers, values: Numbers, sums: Numbers, nexts: Numbers, path: Numbers) -> None:
    """Sums the values of each class and of all its superclasses; in a cycle each counts once.

    supers  the superclass of each class, or NO_CLASS
    values  not negative
    sums    NO_CLASS, filled
    nexts   NO_CLASS, filled: the next superclass with a value
    path    of the same length: classes whose superclasses are being summed

    Each class is visited once, so the time is linear in the number of classes.
    """
    for row in range(len(supers)):
        at, length = row, 0
        while at != NO_CLASS and sums[at] == NO_CLASS:
            sums[at] = ON_PATH
            path[length] = at
            length += 1
            at = supers[at]
        if at != NO_CLASS and sums[at] == ON_PATH:
            first, total = length, 0
            while first == length or path[first] != at:
                first -= 1
                total += values[path[first]]
            # Twice, as the next superclass of the last one may be any of them.
            for turn in range(2 * (length - first)):
                each = path[length - 1 - turn % (length - first)]
                sums[each] = total
                nexts[each] = supers[each] if values[supers[each]] > 0 else nexts[supers[each]]
            length = first
        for place in range(length - 1, -1, -1):
            each = path[place]
            above = supers[each]
            sums[each] = values[each]
            if above != NO_CLASS:
                sums[each] += sums[above]
                nexts[each] = above if values[above] > 0 else nexts[above]
