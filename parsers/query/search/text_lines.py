"""Conversion of texts in other charsets to lines of UTF-8, many at a time, for the line finders.

For arrays or lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.kernels.compiled import compiled
from parsers.kernels.groups import group_of
from parsers.kernels.library import has_kernels
from parsers.model.distinct import distinct
from parsers.model.late import numpy as np
from parsers.query.search.regex_facts import required_texts

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, Numbers, U8Array, U64Array
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.state_finder import LineFinder

LATIN_1, UTF_16_LE, UTF_16_BE = range(3)
"""Encodings of texts. Lone surrogates are written as three bytes, like characters."""
MOST_BYTES = 3
"""Upper bound of UTF-8 bytes per byte of a text: Latin-1 needs two, UTF-16 three per two bytes."""
LONGEST_ID = 19
"""Bytes of a line with an id: `0x`, sixteen digits, the line end."""
ID_SIGNS = frozenset("0123456789abcdefx")


class TextLines(NamedTuple):
    """Lines, and the start of each text; a text that contains line ends is several lines."""

    data: bytearray
    length: int
    starts: Any
    """int64, ascending"""

    def found(self, finder: LineFinder) -> Any:
        """Numbers of the texts that match a finder: int64, ascending."""
        lines = finder(self.data, self.length)
        return distinct(np.searchsorted(self.starts, lines, "right") - 1)


def write_texts(
    data: Numbers,
    places: Numbers,
    lengths: Numbers,
    forms: Numbers,
    before: Numbers,
    after: Numbers,
    lines: U8Array,
    starts: I64Array,
) -> int:
    """Writes texts as lines, with a prefix and a suffix; returns the number of bytes.

    data     uint8: bytes that contain the texts
    places   int64[n]: offset of each
    lengths  int64[n]: its bytes
    forms    uint8[n]: LATIN_1, UTF_16_LE or UTF_16_BE
    before   uint8, prefix of each line
    after    uint8, suffix of each line; a line end follows it
    lines    uint8, filled
    starts   int64[n], filled: start of each text's line
    """
    filled = 0
    for text in range(len(places)):
        starts[text] = filled
        for each in range(len(before)):
            lines[filled] = before[each]
            filled += 1
        at, stop = places[text], places[text] + lengths[text]
        if forms[text] == LATIN_1:
            while at < stop:
                byte = data[at]
                if byte < 0x80:
                    lines[filled] = byte
                    filled += 1
                else:
                    lines[filled] = 0xC0 | byte >> 6
                    lines[filled + 1] = 0x80 | byte & 0x3F
                    filled += 2
                at += 1
        else:
            high = 0 if forms[text] == UTF_16_BE else 1
            while at + 1 < stop:
                unit = data[at + high] * 256 + data[at + 1 - high]
                at += 2
                if unit < 0x80:
                    lines[filled] = unit
                    filled += 1
                    continue
                if unit < 0x800:
                    lines[filled] = 0xC0 | unit >> 6
                    lines[filled + 1] = 0x80 | unit & 0x3F
                    filled += 2
                    continue
                if unit >> 10 == 0x36 and at + 1 < stop:
                    low = data[at + high] * 256 + data[at + 1 - high]
                    if low >> 10 == 0x37:
                        at += 2
                        unit = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF)
                        lines[filled] = 0xF0 | unit >> 18
                        lines[filled + 1] = 0x80 | unit >> 12 & 0x3F
                        lines[filled + 2] = 0x80 | unit >> 6 & 0x3F
                        lines[filled + 3] = 0x80 | unit & 0x3F
                        filled += 4
                        continue
                lines[filled] = 0xE0 | unit >> 12
                lines[filled + 1] = 0x80 | unit >> 6 & 0x3F
                lines[filled + 2] = 0x80 | unit & 0x3F
                filled += 3
        for each in range(len(after)):
            lines[filled] = after[each]
            filled += 1
        lines[filled] = 0x0A
        filled += 1
    return filled


def write_ids(ids: Sequence[list[int]], lines: U8Array, starts: I64Array) -> int:
    """Writes numbers as lines `0x7f…`; returns the number of bytes.

    ids     int64[n] or uint64[n], as uint32[n, 2]: the upper half first
    lines   uint8, filled
    starts  int64[n], filled: start of each line
    """
    filled = 0
    for number in range(len(ids)):
        starts[number] = filled
        lines[filled] = 0x30
        lines[filled + 1] = 0x78
        filled += 2
        is_begun = False
        for place in range(16):
            digit = ids[number][place >> 3] >> 28 - 4 * (place & 7) & 0xF
            if digit or is_begun or place == 15:
                is_begun = True
                lines[filled] = digit + 0x30 if digit < 10 else digit + 0x57
                filled += 1
        lines[filled] = 0x0A
        filled += 1
    return filled


@cache
def lines_kernels() -> Any:
    """The kernels of `write_texts` and `write_ids`; None without kernels."""
    return (compiled(write_texts), compiled(write_ids)) if has_kernels(group_of(__name__)) else None


def lines_of_texts(
    data: U8Array, places: I64Array, lengths: I64Array, forms: U8Array, before: str, after: str, kernel: Any
) -> TextLines:
    """Lines of texts with the parameters of `write_texts`. kernel: the compiled function, or None"""
    starts = np.zeros(len(places), np.int64)
    around = [np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in (before, after)]
    if kernel is None:
        return _plain_lines(data, places, lengths, forms, [each.tobytes() for each in around])
    capacity = int(lengths.sum()) * MOST_BYTES + len(places) * (sum(map(len, around)) + 1)
    lines = _buffer(capacity)
    length = kernel(data, places, lengths, forms, *around, np.frombuffer(lines, np.uint8), starts)
    return TextLines(lines, length, starts)


def lines_of_ids(ids: U64Array, kernel: Any) -> TextLines:
    """Lines of numbers: uint64 or int64. kernel: `write_ids` compiled, or None"""
    if kernel is None:
        return lines_of([f"0x{id:x}" for id in ids.tolist()])
    starts, lines = np.zeros(len(ids), np.int64), _buffer(len(ids) * LONGEST_ID)
    halves = np.ascontiguousarray(ids.astype(np.uint64)).astype(">u8").view(">u4").astype(np.uint32).reshape(-1, 2)
    length = kernel(halves, np.frombuffer(lines, np.uint8), starts)
    return TextLines(lines, length, starts)


def lines_of(texts: Sequence[str]) -> TextLines:
    """Lines of Python strings."""
    return joined_lines([text.encode("utf-8", "surrogatepass") for text in texts])


def joined_lines(texts: Sequence[bytes]) -> TextLines:
    """Lines of texts in UTF-8."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    starts = np.cumsum(lengths) - lengths
    lines = b"\n".join([*texts, b""])
    return TextLines(_buffer(0, lines), len(lines), starts)


def _plain_lines(
    data: U8Array, places: I64Array, lengths: I64Array, forms: U8Array, around: Sequence[bytes]
) -> TextLines:
    """The twin of `write_texts`."""
    charsets, found = ("latin-1", "utf-16-le", "utf-16-be"), []
    for place, length, form in zip(places.tolist(), lengths.tolist(), forms.tolist(), strict=True):
        raw = data[place : place + (length if form == LATIN_1 else length // 2 * 2)].tobytes()
        text = raw.decode(charsets[form], "surrogatepass").encode("utf-8", "surrogatepass")
        found.append(around[0] + text + around[1])
    return joined_lines(found)


def _buffer(size: int, filled: bytes = b"") -> bytearray:
    """A buffer with slack at its end that finders may read."""
    from parsers.query.search.line_finder import SLACK

    return bytearray(filled) + bytearray(size + SLACK)


def may_match(pattern: Pattern, expression: re.Pattern[str], name: str, signs: frozenset[str]) -> bool:
    """True if an expression of a pattern might match a name followed by any of these characters only.

    Fast; True if it can't decide.
    """
    is_folded = bool(expression.flags & re.IGNORECASE)
    required = ((pattern.text,),) if expression is pattern.plain else required_texts(expression.pattern, is_folded)
    both = name.lower() if is_folded else name
    ending = "".join(signs | {sign.upper() for sign in signs}) if is_folded else "".join(signs)

    def fits(text: str) -> bool:
        rest = (text.lower() if is_folded else text).rstrip(ending)
        return not rest or rest in both

    return all(any(fits(text) for text in texts) for texts in required)
