"""Room for tables that are needed for a while: in memory, or in files that are gone at the end.

Pages of such files are the disk's, not the process's: where memory is short they are written out in place of somebody
being killed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Scratch = Callable[[str, str, int], Any]
"""Of a name, a type and a length: an array of zeros."""


def anonymous(name: str, type: str, length: int) -> Any:
    """In memory."""
    return np.zeros(length, np.dtype(type))
