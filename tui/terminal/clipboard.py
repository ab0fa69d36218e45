"""Copying by OSC 52: the text is sent to the clipboard of the user's own terminal, over ssh and inside tmux.

There is no answer, so success is unknown: messages read "sent to the terminal", never "copied". Inside tmux its own
command answers: it stores the text as a buffer of tmux and forwards it to the terminal.
"""

from __future__ import annotations

import base64

LARGEST = 74_994
"""Bytes of text that terminals commonly accept in one OSC 52 (100,000 of base64)."""

TMUX_SECONDS = 1.0
"""Maximum seconds to wait for tmux, which answers within milliseconds."""


def osc52(text: str, is_in_tmux: bool) -> str | None:
    """The sequences that put a text into the clipboard; None if it is too long.

    Inside tmux both forms: `set-clipboard on` passes the plain one, `allow-passthrough on` only the wrapped one.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return None
    plain = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    if not is_in_tmux:
        return plain
    wrapped = plain.replace("\x1b", "\x1b\x1b")
    return f"{plain}\x1bPtmux;{wrapped}\x1b\\"


def load_tmux_buffer(text: str) -> bool:
    """Copies a text by `tmux load-buffer -w -`, which also sends it to the terminal; False if that is impossible.

    Source of `-w`: tmux(1) of 3.2. An older tmux, or one that has ended, returns an error.
    """
    # Imports much that browsing does not need.
    import subprocess

    command = ["tmux", "load-buffer", "-w", "-"]
    try:
        done = subprocess.run(
            command, input=text.encode("utf-8", "replace"), capture_output=True, timeout=TMUX_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
