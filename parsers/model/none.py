"""The number that means "none" in stored columns of rows, names and ids."""

from __future__ import annotations

NONE = 0xFFFF_FFFF
"""uint32: no row, no name, no id."""
