"""Keys that are answered before commands are loaded: those that move the cursor and need nothing else.

The first rows are on the screen some 50 ms before all commands are there. Only where no configuration gives keys
another meaning; a test holds these to what the registry says of them.
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
"""What to do with the pane that has the cursor, by Textual's name of the key."""
