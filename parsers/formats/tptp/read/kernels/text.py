"""Texts of attributes, by kernels: UTF-8, and references to characters. Twin: `scanner`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.read.decoding import BEGINS_PAIR, IS_CHARACTER
from parsers.formats.tptp.read.kernels.element import BAD, BLANK, CR, LF, TAB
from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.vector import load64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array

AMPERSAND, HASH, SEMICOLON = 38, 35, 59
LT, GT, AMP, QUOT, APOS = (
    uint64(int.from_bytes(word, "little")) for word in (b"lt;", b"gt;", b"amp;", b"quot;", b"apos;")
)
LOW_3, LOW_4, LOW_5 = (uint64((1 << 8 * count) - 1) for count in (3, 4, 5))


@part
def hex_digit(byte: int) -> int:
    """Value of a hexadecimal digit; BAD if a byte is none."""
    if 48 <= byte <= 57:
        return byte - 48
    if 65 <= byte <= 70:
        return byte - 55
    return byte - 87 if 97 <= byte <= 102 else BAD


@apart
def reference_at(data: U8Array, at: int) -> tuple[int, int]:
    """Character that the reference at a `&` means, and where it ends; BAD if it means none. Twin: `_referred`."""
    at += 1
    if data[at] == HASH:
        at += 1
        is_hex = data[at] == 120
        if is_hex:
            at += 1
        value, digits = int64(0), 0
        while digits < 8:
            digit = hex_digit(int64(data[at]))
            if digit < 0 or (digit > 9 and not is_hex):
                break
            value = value * (16 if is_hex else 10) + digit
            digits += 1
            at += 1
        if digits == 0 or digits > (6 if is_hex else 7) or data[at] != SEMICOLON:
            return int64(BAD), at
        is_character = value == 9 or value == 10 or value == 13 or 0x20 <= value < 0xD800
        if is_character or 0xE000 <= value < 0xFFFE or 0x10000 <= value < 0x110000:
            return value, at + 1
        return int64(BAD), at
    word = load64(data, at)
    if word & LOW_3 == LT:
        return int64(60), at + 3
    if word & LOW_3 == GT:
        return int64(62), at + 3
    if word & LOW_4 == AMP:
        return int64(38), at + 4
    if word & LOW_5 == QUOT:
        return int64(34), at + 5
    if word & LOW_5 == APOS:
        return int64(39), at + 5
    return int64(BAD), at


@part
def put_character(data: U8Array, at: int, character: int) -> int:
    """Writes a character in UTF-8; its end."""
    if character < 0x80:
        data[at] = character
        return at + 1
    if character < 0x800:
        data[at] = 0xC0 | character >> 6
    else:
        if character < 0x10000:
            data[at] = 0xE0 | character >> 12
        else:
            data[at] = 0xF0 | character >> 18
            at += 1
            data[at] = 0x80 | character >> 12 & 63
        at += 1
        data[at] = 0x80 | character >> 6 & 63
    data[at + 1] = 0x80 | character & 63
    return at + 2


@apart
def resolve(data: U8Array, at: int, length: int) -> int:
    """Replaces references and line ends of a value in place: it never becomes longer. Its length; its quote follows.

    Twin: `scanner.resolved`
    """
    read, write, end = at, at, at + length
    while read < end:
        byte = int64(data[read])
        if byte == AMPERSAND:
            character, behind = reference_at(data, read)
            if character >= 0:
                write = put_character(data, write, character)
                read = behind
                continue
        elif byte in (CR, LF, TAB):
            if byte == CR and data[read + 1] == LF:
                read += 1
            byte = BLANK
        data[write] = byte
        write += 1
        read += 1
    data[write] = data[end]
    return write - at


UTF_8, MODIFIED, DECLARED, WINDOWS, LATIN = range(5)
"""Encodings of words: UTF-8, that of virtual machines, the session's one, windows-1252, Latin-1."""
VALID, IS_MODIFIED, HAS_CONTROLS = 1, 2, 4
"""Bits of the result of `checked_utf_8`."""


@apart
def checked_utf_8(data: U8Array, at: int, stop: int) -> int:
    """Returns bits: bytes are UTF-8 as Python reads it, or that of virtual machines; 0: neither.

    Controls are those that no strict parser takes: U+0000, U+FFFE, U+FFFF. Twin: `decoding.as_utf_8`
    """
    found = VALID
    while at < stop:
        byte = int64(data[at])
        if byte < 128:
            at += 1
            continue
        second, third, fourth = int64(data[at + 1]), int64(data[at + 2]), int64(data[at + 3])
        if byte == 0xC0 and second == 0x80:
            found |= IS_MODIFIED | HAS_CONTROLS
            at += 2
            continue
        if byte < 0xC2 or byte > 0xF4 or second & 0xC0 != 0x80:
            return 0
        if byte < 0xE0:
            at += 2
        elif byte < 0xF0:
            if third & 0xC0 != 0x80 or (byte == 0xE0 and second < 0xA0):
                return 0
            if byte == 0xED and second >= 0xA0:
                found |= IS_MODIFIED
            if byte == 0xEF and second == 0xBF and third >= 0xBE:
                found |= HAS_CONTROLS
            at += 3
        else:
            if third & 0xC0 != 0x80 or fourth & 0xC0 != 0x80:
                return 0
            if (byte == 0xF0 and second < 0x90) or (byte == 0xF4 and second >= 0x90):
                return 0
            at += 4
    return found if at == stop else 0


@apart
def checked_characters(characters: U8Array, data: U8Array, at: int, stop: int) -> int:
    """Returns IS_CHARACTER if bytes are characters of an encoding, or the kind of the first ones that are none.

    characters  result of `decoding.characters_of`
    """
    while at < stop:
        byte = int64(data[at])
        if byte >= 128:
            kind = int64(characters[byte])
            if kind == BEGINS_PAIR:
                at += 1
                kind = int64(characters[256 + byte * 256 + int64(data[at])])
            if kind != IS_CHARACTER:
                return kind
        at += 1
    return IS_CHARACTER


@part
def first_from(positions: I64Array, at: int) -> int:
    """The first of ascending positions that is not before `at`. The last one is behind all."""
    low, high = 0, len(positions) - 1
    while low < high:
        middle = (low + high) // 2
        if positions[middle] < at:
            low = middle + 1
        else:
            high = middle
    return int64(positions[low])


@part
def is_foreign(data: U8Array, at: int, stop: int) -> bool:
    """True if there is a byte beyond ASCII."""
    found = False
    for place in range(at, stop):
        found |= data[place] >= 128
    return found


@part
def windows_or_latin(data: U8Array, at: int, stop: int) -> tuple[int, int]:
    """How bytes that are no UTF-8 are decoded, and as what they are counted. Twins: `decoding.decode`, `as_windows`."""
    encoding, counted = WINDOWS, LATIN
    for place in range(at, stop):
        byte = data[place]
        if byte >= 0x80 and byte < 0xA0:
            counted = WINDOWS
            if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D):
                encoding = LATIN
    return encoding, counted
