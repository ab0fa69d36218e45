"""The names of numpy, which is imported when the first of them is used: `from parsers.model.late import numpy as np`.

For modules on the path to the first screen, which numpy would delay.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """The object of a name that is used for the first time."""
        found = globals()[name] = getattr(import_module("numpy"), name)
        return found
