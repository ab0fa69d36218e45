"""Storage of user data between sessions: marks, and texts typed at prompts.

A private folder (0700) of small text files (0600), each written completely under another name and then renamed.
Browsing works without it: unreadable files are empty, failed writes are lost, and neither is an error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

LARGEST = 4 << 20
"""Maximum bytes read from a state file."""


def state_path(environment: Mapping[str, str]) -> Path:
    """`$XDG_STATE_HOME/coffeetree`, or its default in the home folder; a relative variable is ignored."""
    home = environment.get("XDG_STATE_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path(environment.get("HOME") or "/nonexistent") / ".local" / "state"
    return base / "coffeetree"


def live_path(environment: Mapping[str, str]) -> Path:
    """Default folder for the streams of live JVMs."""
    return state_path(environment) / "live"


def config_path(environment: Mapping[str, str]) -> Path:
    """Path of the configuration, whether it exists or not."""
    home = environment.get("XDG_CONFIG_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path(environment.get("HOME") or "/nonexistent") / ".config"
    return base / "coffeetree" / "config.toml"


class StateFolder:
    """Named files in one folder, created at the first write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> str:
        """The text of a file; empty if there is none or it can't be read."""
        try:
            with open(self.path / name, "rb") as file:
                return file.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            return ""

    def write(self, name: str, text: str) -> bool:
        """Stores a text under a name; False if impossible."""
        from parsers.io.whole_file import whole_file

        target = self.path / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with whole_file(str(target), mode=0o600) as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError:
            return False
        return True

    def is_first_start(self) -> bool:
        """True once: the first time that it is asked, if that can be stored."""
        return not self.read("started") and self.write("started", "1\n")
