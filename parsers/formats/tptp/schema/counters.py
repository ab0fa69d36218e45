"""Counters of a session that are not in its tables, and kinds of findings; plain code and kernels share them."""

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

FindingKind = IntEnum(
    "FindingKind",
    "NO_END_MARK CUT_ELEMENT TORN_ELEMENT JUNK NOT_WELL_FORMED LYING_ENCODING ZEROS UNDEFINED_THREAD"
    " UNDEFINED_CLASS UNDEFINED_METHOD UNDEFINED_OBJECT FREE_OF_AN_UNKNOWN_OBJECT REDEFINED_ID TIME_STEPS_BACK"
    " ENDS_BEFORE_IT_BEGINS EXIT_WITHOUT_ENTRY ENTRY_WITHOUT_EXIT ENTERED_WITHOUT_ENTER WAITED_WITHOUT_WAIT"
    " UNKNOWN_ELEMENT DOCUMENT_TYPE SECOND_SESSION DAMAGED_ARCHIVE",
    start=0,
)
FINDING_KINDS = tuple(kind.name.lower().replace("_", " ") for kind in FindingKind)
"""Names of the kinds of findings."""
