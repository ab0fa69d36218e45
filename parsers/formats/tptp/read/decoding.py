"""Decoding of a recording: in the encoding that it declares, or in the one that its bytes are really in.

Agents write bytes of their platform regardless of the prologue, and names in the encoding of the virtual machine: UTF-8
with characters beyond the first plane as two groups of three bytes, NUL as two bytes (modified UTF-8).
"""

from __future__ import annotations

import codecs
import string
from functools import lru_cache

UTF_8 = "UTF-8"
LATIN_1 = "ISO-8859-1"
WINDOWS = "windows-1252"
USED_NAMES = ("", UTF_8, LATIN_1, WINDOWS)
NO_CHARACTER, IS_CHARACTER, BEGINS_PAIR, BEGINS_LONGER, LIKE_MARKUP = range(5)
"""Kinds of bytes and pairs. LIKE_MARKUP: a character whose second byte is one that markup consists of"""
_ASCII = bytes(range(128)) + rb"\x41\u0041"
_SAMPLE = "<?xml version='1.0'?><a b=\"0\">&;/ \n"
_MARKUP = b"\t\n\r \"&'/<=>"
_FIXED = _MARKUP + string.ascii_letters.encode() + string.digits.encode() + b"_:.-"


@lru_cache(maxsize=64)
def codec_of(declared: str | None) -> str | None:
    """Returns Python's name of a declared encoding; None if it is UTF-8, unknown, or incompatible with markup."""
    if declared is None:
        return None
    try:
        name = codecs.lookup(declared).name
        is_fit = _SAMPLE.encode(name) == _SAMPLE.encode()
    except (LookupError, ValueError, TypeError, AttributeError):
        return None
    return name if is_fit and name not in ("utf-8", "utf-7", "utf-8-sig") else None


@lru_cache(maxsize=8)
def characters_of(codec: str) -> bytes | None:
    """Returns the kinds of the bytes of an encoding; None if it has escapes or differs from ASCII in more than signs.

    The first 256 are of single bytes. Those of pairs follow, by both bytes, where the first one is BEGINS_PAIR.
    """

    def kind_of(data: bytes, pending: int) -> int:
        try:
            return IS_CHARACTER if codecs.getincrementaldecoder(codec)().decode(data) else pending
        except UnicodeError:
            return NO_CHARACTER

    try:
        ascii = _ASCII.decode(codec)
    except UnicodeError:
        return None
    if len(ascii) != len(_ASCII) or any(ord(ascii[byte]) != byte for byte in _FIXED):
        return None
    found = bytearray(kind_of(bytes((byte,)), BEGINS_PAIR) for byte in range(256)) + bytes(1 << 16)
    for first in range(128, 256):
        if found[first] == BEGINS_PAIR:
            for second in range(256):
                kind = kind_of(bytes((first, second)), BEGINS_LONGER)
                is_markup = kind == IS_CHARACTER and second in _MARKUP
                found[256 + first * 256 + second] = LIKE_MARKUP if is_markup else kind
    return bytes(found)


@lru_cache(maxsize=8)
def differs_from_ascii(codec: str) -> bool:
    """True if an encoding has other characters at some ASCII codes, as in `100%`."""
    return _ASCII.decode(codec).encode("ascii", "replace") != _ASCII


def undecodable(data: bytes, codec: str) -> list[int] | None:
    """Returns positions of bytes that are no character: the first one, and the first one behind each `<`.

    None if a character may be one that no strict parser takes.
    """
    if any(odd in data for each in "\ufffe\uffff" if (odd := each.encode(codec, "ignore"))):
        return None
    found, at = list[int](), 0
    for piece in data.split(b"<"):
        if not piece.isascii():
            try:
                piece.decode(codec)
            except UnicodeDecodeError as error:
                found.append(at + error.start)
        at += len(piece) + 1
    return found


def decode(data: bytes, codec: str | None) -> tuple[str, str | None]:
    """Decodes bytes. Also returns their real encoding if it differs from that of the session.

    codec  encoding of the session, from `codec_of`
    """
    if data.isascii():
        return data.decode("ascii"), None
    if codec is not None:
        try:
            return data.decode(codec), None
        except UnicodeError:
            pass
    text = as_utf_8(data)
    if text is not None:
        return text, None if codec is None else UTF_8
    return as_windows(data), LATIN_1 if not any(0x80 <= byte < 0xA0 for byte in data) else WINDOWS


def as_utf_8(data: bytes) -> str | None:
    """Decodes UTF-8, also that of virtual machines; None if the bytes are not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def as_windows(data: bytes) -> str:
    """Decodes Windows-1252; bytes without a character in it as Latin-1."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
