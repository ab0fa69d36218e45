"""Copying by OSC 52: the text is sent to the clipboard of the user's own terminal, over ssh and inside tmux.

There is no answer, so success is unknown: messages read "sent to the terminal", never "copied".
"""

from __future__ import annotations

import base64

LARGEST = 74_994
"""Bytes of text that terminals commonly accept in one OSC 52 (100,000 of base64)."""


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
