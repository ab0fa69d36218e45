"""Counters of a session that are not in its tables; plain code and kernels share them."""

from __future__ import annotations

from enum import IntEnum

SessionCounter = IntEnum(
    "SessionCounter",
    "REDEFINED CAME_BACK_AS_SAME CAME_BACK_AS_OTHER UNDEFINED_THREAD UNDEFINED_CLASS UNDEFINED_METHOD UNDEFINED_OBJECT"
    " STEPS_BACK NEGATIVE_BLOCK NEGATIVE_WAIT NEGATIVE_CALL FREES_OF_UNKNOWN FREES_OUTSIDE ENTERED_ALONE WAITED_ALONE"
    " EXITS_ALONE ENTRIES_ALONE DEEPEST ELEMENTS",
    start=0,
)
"""Counters by their index; those of undefined elements are in the order of the kinds of elements."""

THREAD, CLASS, METHOD, OBJECT = range(4)
"""Kinds of elements with an id."""
