"""What Textual and numpy read from the environment when they are imported. To be called before they are."""

from __future__ import annotations

from collections.abc import MutableMapping

SETTINGS = {
    "TEXTUAL_FPS": "240",
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""A frame comes within 4 ms of what caused it, as the terminal's answers keep the pace; nothing is animated; sizes come
with SIGWINCH and keys as they always did, so that no terminal is asked for more than it must send. There is no algebra
to do, and starting threads for it would be half of the time that numpy takes to load beside the first keys."""

ESCAPE_DELAY = "250"
"""Milliseconds that the rest of a key may stay behind its escape on a network."""


def prepare(environ: MutableMapping[str, str]) -> None:
    """Set what is not set, and take NO_COLOR out of Textual's sight: our palettes and pen see to it.

    Call `tui.screen.palettes.choose` first: it wants to see NO_COLOR.
    """
    for name, value in SETTINGS.items():
        environ.setdefault(name, value)
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        environ.setdefault("ESCDELAY", ESCAPE_DELAY)
    environ.pop("NO_COLOR", None)
