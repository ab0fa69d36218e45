"""Rows of the sums of classes."""

from __future__ import annotations

from parsers.heapdump.graph.columns import NONE

SUMS = 7
OBJECTS, BYTES, PRINTED, GARBAGE, GARBAGE_BYTES, SMALLEST, LARGEST = range(SUMS)
"""Rows of the sums: objects, bytes in the heap, printed bytes; both of garbage; sizes of single objects."""
MOST_SIZE = NONE
"""Larger objects are sorted as if they had this size."""
