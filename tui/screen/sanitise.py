"""The border that outside text crosses to reach a terminal: reports, file names, errors, threads, arguments.

Whatever a file contains, nothing that `safe` returns can move the cursor, start an escape sequence, change the
writing direction or hide. The test is `str.isprintable`: false for C0, DEL, C1, bidi controls, zero width characters,
the soft hyphen, surrogates, private use, unassigned characters and all blanks but U+0020. Each character is replaced
by one character, so offsets into the text (spans, matches) stay valid.
"""

from __future__ import annotations

REPLACEMENT = "\ufffd"
"""Replacement of an unprintable character that has no picture of its own."""

CONTROL_PICTURES = 0x2400
"""First of Unicode's pictures of the C0 controls: U+2409 is the picture of a tab."""


def safe(text: str) -> str:
    """Returns the text printable and of equal length; the same object if it was printable already."""
    if text.isprintable():
        return text
    return "".join([character if character.isprintable() else picture(character) for character in text])


def picture(character: str) -> str:
    """Returns the printable character that replaces an unprintable one."""
    code = ord(character)
    return chr(CONTROL_PICTURES + code) if code < 0x20 else REPLACEMENT


def safe_lines(text: str) -> str:
    """Applies `safe` to each line of a text; line feeds stay, any other line end becomes a picture."""
    return "\n".join(map(safe, text.split("\n")))
