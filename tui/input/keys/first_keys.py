"""Keys that are answered before commands are loaded: cursor movements without further dependencies.

The first rows are on the screen some 50 ms before all commands are loaded. Used only without a configuration, which may
bind keys differently; a test compares these keys with the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

FIRST_KEYS: Mapping[str, Callable[[Any], object]] = {
    "j": lambda pane: pane.move_by(1),
    "down": lambda pane: pane.move_by(1),
    "k": lambda pane: pane.move_by(-1),
    "up": lambda pane: pane.move_by(-1),
    "pagedown": lambda pane: pane.page(1),
    "ctrl+f": lambda pane: pane.page(1),
    "pageup": lambda pane: pane.page(-1),
    "ctrl+b": lambda pane: pane.page(-1),
}
"""Action on the pane with the cursor, by Textual's name of the key."""
