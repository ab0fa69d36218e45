"""Finders of the lines of a block that match a pattern, by fast and by exact methods.

* `TextFinder`: plain bytes. stringzilla's SIMD search counts them; few are visited one by one, many found by a kernel,
  or by comparing whole arrays while it isn't loaded. Without case, all use a lower-cased copy.
* `StateFinder` (in `parsers.query.search.state_finder`): expressions, by a table of states.
* `checked_lines`: lines proposed by a fast finder are decoded and matched one by one, for expressions without such a
  table.
* `every_line`: proposes all lines, if nothing is known of an expression.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import stringzilla as sz

from parsers.io.charset import PLAIN_CODECS, codec_of
from parsers.kernels.library import loaded
from parsers.model.distinct import begins, distinct
from parsers.query.search.pattern import in_line
from parsers.query.search.regex_facts import few_texts, is_one_text, required_bytes, required_texts
from parsers.query.search.state_finder import LineFinder, state_finder

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array
    from parsers.query.search.pattern import Pattern

MOST_CHOICES = 4
"""Maximum number of required texts of an expression out of which the rarest one is searched."""

FEW = 1 / 4096
"""Matches per byte up to which visiting each is faster than comparing arrays."""

KERNEL = "parsers.query.search.line_kernel:lines_holding"
"""The kernel for many matches."""
WORTH = 32 << 20
"""Bytes with many matches after which loading the kernel pays."""

SLACK = 128
"""Bytes after the valid ones that the kernel may read (`parsers.kernels.vector.SLACK`)."""

PIECE = 1 << 17
"""Bytes whose boolean arrays stay in the cache."""

FOLD = bytes(range(256)).lower()
"""Table from ASCII capitals to small letters."""

_NONE: I64Array = np.empty(0, np.int64)


def finder_of(pattern: Pattern, kind: Literal["regex", "text"], encoding: str) -> LineFinder:
    """Returns a finder for a pattern as a regular expression or as plain text in a file of that encoding."""
    codec = codec_of(encoding)
    expression = pattern.regex if kind == "regex" else pattern.plain
    if expression is None:
        raise ValueError(f"{pattern} is no {kind}")
    ignores_case = bool(expression.flags & re.IGNORECASE)
    if kind == "text":
        exact = pattern.text.isascii() or not ignores_case
        if exact and "\ufffd" not in pattern.text and codec in PLAIN_CODECS:
            return _text_finder(pattern.text, codec, ignores_case)
    choices = required_texts(expression.pattern, ignores_case)
    if codec not in PLAIN_CODECS:
        # In these charsets several bytes may encode one character, so only ASCII is certain to appear unchanged.
        choices = tuple(texts for texts in choices if "".join(texts).isascii())
    finders = [_any_finder(texts, codec, ignores_case) for texts in choices[:MOST_CHOICES]]
    proposes = RarestFinder(finders) if finders else None
    literals = [finder.text for finder in finders if isinstance(finder, TextFinder)]
    required = literals if len(choices) > 1 and not ignores_case else ()
    checked = partial(checked_lines, proposes or every_line, expression, codec, required)
    if not expression.pattern.isascii() or codec not in PLAIN_CODECS:
        return state_finder(expression, codec, proposes, checked) or checked
    texts = few_texts(expression.pattern, ignores_case)
    if is_one_text(texts):
        return TextFinder(b"".join(few[-1:] for few in texts[0]), ignores_case)
    if texts:
        return state_finder(expression, codec, None, checked, texts, is_exact=True) or checked
    is_weak = not choices or min(map(len, choices[0])) < 2
    places = required_bytes(expression.pattern, ignores_case) if is_weak else ()
    return state_finder(expression, codec, None if places else proposes, checked, [places] if places else ()) or checked


def _any_finder(texts: Sequence[str], codec: str, ignores_case: bool) -> LineFinder:
    finders = [_text_finder(text, codec, ignores_case) for text in texts]
    return finders[0] if len(finders) == 1 else partial(_lines_of_any, finders)


def _text_finder(text: str, codec: str, ignores_case: bool) -> LineFinder:
    try:
        encoded = text.encode(codec)
    except UnicodeEncodeError:
        return no_line
    if not encoded:
        return every_line
    if b"\n" in encoded:
        return no_line
    return TextFinder(encoded, ignores_case)


class TextFinder:
    """Lines that contain some bytes; with `ignores_case` ASCII letters in either case."""

    def __init__(self, text: bytes, ignores_case: bool = False) -> None:
        self.text = text.translate(FOLD) if ignores_case else text
        self._ignores_case = ignores_case
        self._folded = bytearray()
        self._looked_at_much = 0

    def __call__(self, data: bytearray, length: int) -> I64Array:
        """Offsets of the lines that contain the text."""
        if length < len(self.text):
            return _NONE
        if self._ignores_case:
            if len(self._folded) != len(data):
                self._folded = bytearray(len(data))
            sz.translate(memoryview(data)[:length], FOLD, out=memoryview(self._folded)[:length])
            data = self._folded
        count = sz.count(memoryview(data)[:length], self.text)
        if not count:
            return _NONE
        return self._few(data, length) if count <= length * FEW else self._many(data, length)

    def lines_plain(self, array: U8Array) -> I64Array:
        """Offsets of the lines that contain the text, by comparing arrays: the twin of the kernel."""
        places = places_of(self.text, array)
        newlines = np.flatnonzero(array == 0x0A)
        lines = np.searchsorted(newlines, places)
        lines = lines[begins(lines)]
        return np.concatenate((np.zeros(1, np.int64), newlines + 1))[lines]

    def lines_compiled(self, kernel: Any, array: U8Array, length: int) -> I64Array:
        """The same for the first `length` bytes by the kernel; `SLACK` more bytes must follow them."""
        text = np.frombuffer(self.text + bytes(SLACK), np.uint8)
        order = rarest(self.text, array[:length])
        starts = np.empty(length // (len(self.text) + 1) + 1, np.int64)
        count = kernel(array, length, text, len(self.text), order[0], order[min(1, len(order) - 1)], starts)
        return starts[:count]

    def _few(self, data: bytearray, length: int) -> I64Array:
        text, found, start = self.text, [], 0
        find, haystack = sz.find, memoryview(data)[:length]
        while (place := find(haystack, text, start, length)) >= 0:
            found.append(data.rfind(b"\n", start, place) + 1 or start)
            start = data.find(b"\n", place, length) + 1
            if not start:
                break
        return np.array(found, np.int64)

    def _many(self, data: bytearray, length: int) -> I64Array:
        array = np.frombuffer(data, np.uint8)
        self._looked_at_much += length
        kernel = loaded(KERNEL) if self._looked_at_much > WORTH else None
        if kernel is None or length + SLACK > len(data):
            return self.lines_plain(array[:length])
        return self.lines_compiled(kernel, array, length)


def _lines_of_any(finders: Sequence[LineFinder], data: bytearray, length: int) -> I64Array:
    """The lines that match any of several finders."""
    found: I64Array = distinct(np.concatenate([find(data, length) for find in finders]))
    return found


class RarestFinder:
    """Lines of the most selective of several finders, chosen by the first block."""

    def __init__(self, finders: Sequence[LineFinder]) -> None:
        self._finders = finders

    def __call__(self, data: bytearray, length: int) -> I64Array:
        """The result of that finder. Each of them finds all wanted lines, and possibly more."""
        found = [find(data, length) for find in self._finders]
        best = min(range(len(found)), key=lambda index: len(found[index]))
        self._finders = [self._finders[best]]
        return found[best]


def every_line(data: bytearray, length: int) -> I64Array:
    """The offsets of all lines."""
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8, length) == 0x0A) + 1
    starts = np.concatenate((np.zeros(1, np.int64), newlines))
    return starts[:-1] if starts[-1] == length else starts


def no_line(data: bytearray, length: int) -> I64Array:
    """No offsets: for texts that can't be encoded in the file's charset."""
    return _NONE


def checked_lines(
    proposes: LineFinder,
    expression: re.Pattern[str],
    codec: str,
    required_literals: Sequence[bytes],
    data: bytearray,
    length: int,
) -> I64Array:
    """Lines proposed by a finder that match an expression, after decoding, without their line end.

    required_literals  texts in each matching line; lines that lack one are not decoded
    """
    found = []
    for start in proposes(data, length).tolist():
        end = data.find(b"\n", start, length)
        end = length if end < 0 else end
        if required_literals and any(data.find(text, start, end) < 0 for text in required_literals):
            continue
        if end > start and data[end - 1] == 0x0D:
            end -= 1
        line = data[start:end].decode(codec, "replace")
        if in_line(expression, line):
            found.append(start)
    return np.array(found, np.int64)


def places_of(text: bytes, array: U8Array) -> I64Array:
    """All places of a text in an array of bytes, including overlapping ones.

    The two bytes of the text that are rarest at the beginning of the array are compared first; the remaining places are
    compared byte by byte.
    """
    order = rarest(text, array)
    stop = len(array) - len(text) + 1
    parts = []
    for start in range(0, stop, PIECE):
        end = min(start + PIECE, stop)
        hits = array[start + order[0] : end + order[0]] == text[order[0]]
        if len(order) > 1:
            hits &= array[start + order[1] : end + order[1]] == text[order[1]]
        places = np.flatnonzero(hits) + start
        for index in order[2:]:
            if not len(places):
                break
            places = places[array[places + index] == text[index]]
        parts.append(places)
    return np.concatenate(parts) if parts else _NONE


def rarest(text: bytes, array: U8Array) -> list[int]:
    """The positions of a text, sorted by the frequency of their bytes at the beginning of an array."""
    frequency = np.bincount(array[: 1 << 14], minlength=256)
    return sorted(range(len(text)), key=lambda index: (frequency[text[index]], index))
