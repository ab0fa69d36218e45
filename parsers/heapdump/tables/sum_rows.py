"""Rows of the arrays of sums: by class in text dumps (int64[SUMS, classes]), by type in binary ones."""

from __future__ import annotations

from parsers.model.none import NONE

SUMS = 7
OBJECTS, BYTES, PRINTED, GARBAGE, GARBAGE_BYTES, SMALLEST, LARGEST = range(SUMS)
"""Rows of the sums: objects, bytes in the heap, printed bytes; both of garbage; sizes of single objects."""
MOST_SIZE = NONE
"""Larger objects are sorted as if they had this size."""

TYPE_OBJECTS, TYPE_INSTANCES, TYPE_UNITS, TYPE_SMALLEST, TYPE_LARGEST = range(5)
"""Rows of the counts by type: objects that are not classes; instances among them; units of all; those of the smallest
and of the largest one.
"""
