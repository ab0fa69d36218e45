"""Indices of the counters of a session that are not in its tables; plain code and kernels share them."""

from __future__ import annotations

COUNTERS = (
    "redefined",
    "came_back_as_same",
    "came_back_as_other",
    "undefined_thread",
    "undefined_class",
    "undefined_method",
    "undefined_object",
    "steps_back",
    "negative_block",
    "negative_wait",
    "negative_call",
    "frees_of_unknown",
    "frees_outside",
    "entered_alone",
    "waited_alone",
    "exits_alone",
    "entries_alone",
    "deepest",
    "elements",
)
(
    REDEFINED,
    CAME_BACK_AS_SAME,
    CAME_BACK_AS_OTHER,
    UNDEFINED_THREADS,
    UNDEFINED_CLASSES,
    UNDEFINED_METHODS,
    UNDEFINED_OBJECTS,
    STEPS_BACK,
    NEGATIVE_BLOCK,
    NEGATIVE_WAIT,
    NEGATIVE_CALL,
    FREES_OF_UNKNOWN,
    FREES_OUTSIDE,
    ENTERED_ALONE,
    WAITED_ALONE,
    EXITS_ALONE,
    ENTRIES_ALONE,
    DEEPEST,
    ELEMENTS,
) = range(len(COUNTERS))

THREAD, CLASS, METHOD, OBJECT = range(4)
"""Kinds of elements with an id."""
