"""Names at the end of rows, before which the program may have printed."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.formats.jdkprofilers.xprof.expression import LAST_WORD, LEGAL_METHOD, NOTE, TOTAL_LAST, TOTAL_NAME


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Numbers of a row (percent, ticks in code, in native code) or of a label (percent, ticks), and the text behind
    them.

    The text is no name: the program printed it, or split the name.
    """

    numbers: tuple[float, ...]
    text: bytes
    flags: int
    offset: int
    line: int


def is_name(text: bytes) -> bool:
    """True if a text is a method, perhaps with the symbol of a stub behind it, or the name of a total."""
    return LEGAL_METHOD.fullmatch(without_note(text)) is not None or TOTAL_NAME.match(text) is not None


def without_note(text: bytes) -> bytes:
    """Returns a name without the symbol of a stub behind it."""
    found = NOTE.search(text) if text.endswith(b")") else None
    return text if found is None else text[: found.start()]


def split_output(text: bytes) -> tuple[bytes, bytes]:
    """Splits output of the program from the name behind it; no output if all is a name, or no name ends the text."""
    total = TOTAL_LAST.fullmatch(text)
    if total is not None:
        return total[1].strip(), total[2]
    found = None if is_name(text) else LAST_WORD.fullmatch(without_note(text))
    # A dot in the first word: that is a name with output in it.
    if found is None or b"." in found[1].split()[0] or not LEGAL_METHOD.fullmatch(found[2]):
        return b"", text
    return found[1].strip(), text[found.start(2) :]
