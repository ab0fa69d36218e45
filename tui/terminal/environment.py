"""Environment variables that Textual and numpy read at import. To be called before that."""

from __future__ import annotations

from collections.abc import MutableMapping

SETTINGS = {
    "TEXTUAL_FPS": "240",
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Settings: frames appear within 4 ms of their cause, as the terminal's answers set the pace; no animation; sizes by
SIGWINCH and keys in the traditional encoding, so that terminals send no more than necessary. Linear algebra is unused,
and its threads would be half of numpy's load time beside the first keys."""

ESCAPE_DELAY = "250"
"""Maximum milliseconds between the escape and the rest of a key on a network."""


def prepare(environ: MutableMapping[str, str]) -> None:
    """Sets variables that are not set, and hides NO_COLOR from Textual: palettes and pen implement it.

    `tui.screen.palettes.choose` must be called first: it reads NO_COLOR.
    """
    for name, value in SETTINGS.items():
        environ.setdefault(name, value)
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        environ.setdefault("ESCDELAY", ESCAPE_DELAY)
    environ.pop("NO_COLOR", None)
