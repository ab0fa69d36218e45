"""`Setup`: what all screens of one program share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tui.input.keys.registry import Registry, every_command
from tui.interaction.navigation.history import Typed
from tui.settings.config import configure
from tui.settings.options import Options
from tui.settings.state_folder import StateFolder, config_path
from tui.terminal.ascii import is_ascii


@dataclass(slots=True)
class Setup:
    """The registry with the user's keys, the options, the stored state."""

    registry: Registry
    options: Options
    state: StateFolder
    typed: Typed
    config: Path
    wrong: list[str] = field(default_factory=list)
    """Errors in the configuration, a line each."""


def set_up(state: StateFolder) -> Setup:
    """Returns registry and options according to the configuration."""
    options, config = Options(ascii=is_ascii(os.environ)), config_path(os.environ)
    registry, wrong = configure(config, options, every_command())
    return Setup(registry, options, state, Typed(state), config, wrong)
