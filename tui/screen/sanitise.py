"""The border that text from outside crosses on its way to a terminal: reports, file names, errors, threads, arguments.

Whatever a file holds, nothing that leaves `safe` can move the cursor, start an escape sequence, turn the direction of
writing or hide. The test is `str.isprintable`: false for C0, DEL, C1, bidi controls, zero width characters, the soft
hyphen, surrogates, private use, unassigned characters and all blanks but U+0020. Every character is replaced by one
character, so offsets into the text (spans, matches) keep their meaning.
"""

from __future__ import annotations

REPLACEMENT = "\ufffd"
"""What stands for an unprintable character that has no picture of its own."""

CONTROL_PICTURES = 0x2400
"""Unicode's pictures of the C0 controls start here: U+2409 is the picture of a tab."""


def safe(text: str) -> str:
    """The same text, printable and of equal length; the very same object if it was printable already."""
    if text.isprintable():
        return text
    return "".join([character if character.isprintable() else picture(character) for character in text])


def picture(character: str) -> str:
    """The one printable character that stands for an unprintable one."""
    code = ord(character)
    return chr(CONTROL_PICTURES + code) if code < 0x20 else REPLACEMENT


def safe_lines(text: str) -> str:
    """`safe` for each line of a text of several; line feeds stay, any other line end becomes a picture."""
    return "\n".join(map(safe, text.split("\n")))


def is_safe(text: str) -> bool:
    """Whether `safe` would leave the text as it is."""
    return text.isprintable()
