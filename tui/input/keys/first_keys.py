"""Keys that are answered before commands are loaded: cursor movements without further dependencies.

The first rows are on the screen some 50 ms before all commands are loaded. Used only without a configuration, which may
bind keys differently; a test compares these keys with the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.tree.viewport import Scrolled

ACTIONS: Mapping[str, Callable[[Scrolled], object]] = {
    "j down": lambda pane: pane.move_by(1),
    "k up": lambda pane: pane.move_by(-1),
    "pagedown ctrl+f": lambda pane: pane.page(1),
    "pageup ctrl+b": lambda pane: pane.page(-1),
}
FIRST_KEYS = {key: action for keys, action in ACTIONS.items() for key in keys.split()}
"""Action on the pane with the cursor, by Textual's name of the key."""
