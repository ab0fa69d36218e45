"""Which lines of a block hold a pattern: the quick ways and the sure ones.

* `TextFinder`: plain bytes. stringzilla's SIMD search tells how many there are; few are walked one by one, many found
  by comparing whole arrays. Without case, both run over a folded copy of the block.
* `CheckedFinder`: lines that a quick finder proposes are decoded and asked one by one.
* `EveryLine`: proposes all of them, for expressions of which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import stringzilla as sz

from parsers.graalvm.charset import CHARSETS
from parsers.regex_facts import required_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.search import Pattern

FEW = 1 / 4096
"""Matches a byte up to which walking from one to the next is quicker than comparing arrays."""

PIECE = 1 << 17
"""Bytes whose arrays of truth values stay in the cache."""

FOLD = bytes(range(256)).lower()
"""ASCII capitals to small letters."""

_SINGLE_BYTE = frozenset({"ascii", "cp437", "koi8_r", "latin-1", "iso8859-1", "cp1252"})
_CODECS = {boxes.encoding: boxes.codec for boxes in CHARSETS}
_NONE: NDArray[np.int64] = np.empty(0, np.int64)


class LineFinder(Protocol):
    """Finds lines in the first `length` bytes of a buffer that begins with a line and holds whole ones."""

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Where the lines begin that match: each once, in order."""
        ...


def finder_of(pattern: Pattern, kind: Literal["regex", "text"], encoding: str) -> LineFinder:
    """How to look for a pattern as a regular expression or as plain text in a file of that encoding."""
    codec = _CODECS.get(encoding, encoding)
    expression = pattern.regex if kind == "regex" else pattern.plain
    if expression is None:
        raise ValueError(f"{pattern} is no {kind}")
    ignores_case = bool(expression.flags & re.IGNORECASE)
    if kind == "text":
        exact = pattern.text.isascii() or not ignores_case
        if exact and "\ufffd" not in pattern.text and (codec == "utf-8" or codec in _SINGLE_BYTE):
            return _text_finder(pattern.text, codec, ignores_case)
        texts = required_texts(expression.pattern, ignores_case)
    else:
        texts = required_texts(pattern.text, ignores_case)
    if codec != "utf-8" and codec not in _SINGLE_BYTE:
        # Several bytes may stand for one character there, so only ASCII is sure to be written as it is.
        texts = texts if all(text.isascii() for text in texts) else ()
    proposes: LineFinder = EveryLine()
    if texts:
        finders = [_text_finder(text, codec, ignores_case) for text in texts]
        proposes = finders[0] if len(finders) == 1 else AnyFinder(finders)
    return CheckedFinder(proposes, expression, codec)


def _text_finder(text: str, codec: str, ignores_case: bool) -> LineFinder:
    try:
        encoded = text.encode(codec)
    except UnicodeEncodeError:
        return NoLine()
    if not encoded:
        return EveryLine()
    if b"\n" in encoded:
        return NoLine()
    return TextFinder(encoded, ignores_case)


class TextFinder:
    """Lines that hold some bytes; with `ignores_case` ASCII letters in either case."""

    def __init__(self, text: bytes, ignores_case: bool = False) -> None:
        self._text = text.translate(FOLD) if ignores_case else text
        self._ignores_case = ignores_case
        self._folded = bytearray()

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Where the lines begin that hold the text."""
        if length < len(self._text):
            return _NONE
        if self._ignores_case:
            if len(self._folded) != len(data):
                self._folded = bytearray(len(data))
            # In place in a copy: with `out` stringzilla wants equal sizes of both.
            self._folded[:length] = memoryview(data)[:length]
            sz.translate(memoryview(self._folded)[:length], FOLD, inplace=True)
            data = self._folded
        count = sz.count(memoryview(data)[:length], self._text)
        if not count:
            return _NONE
        return self._few(data, length) if count <= length * FEW else self._many(data, length)

    def _few(self, data: bytearray, length: int) -> NDArray[np.int64]:
        text, found, start = self._text, [], 0
        find, haystack = sz.find, memoryview(data)[:length]
        while (place := find(haystack, text, start, length)) >= 0:
            found.append(data.rfind(b"\n", start, place) + 1 or start)
            start = data.find(b"\n", place, length) + 1
            if not start:
                break
        return np.array(found, np.int64)

    def _many(self, data: bytearray, length: int) -> NDArray[np.int64]:
        array = np.frombuffer(data, np.uint8, length)
        places = places_of(self._text, array)
        newlines = np.flatnonzero(array == 0x0A)
        lines = np.searchsorted(newlines, places)
        lines = lines[np.flatnonzero(np.diff(lines, prepend=-1))]
        starts = np.empty(len(lines), np.int64)
        np.add(newlines[lines - 1], 1, out=starts)
        if len(lines) and lines[0] == 0:
            starts[0] = 0
        return starts


class AnyFinder:
    """Lines that any of several finders finds."""

    def __init__(self, finders: list[LineFinder]) -> None:
        self._finders = finders

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Their union."""
        return np.unique(np.concatenate([finder.find(data, length) for finder in self._finders]))


class EveryLine:
    """All lines."""

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Where lines begin."""
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8, length) == 0x0A) + 1
        starts = np.concatenate((np.zeros(1, np.int64), newlines))
        return starts[:-1] if starts[-1] == length else starts


class NoLine:
    """No lines: for texts that the file's charset can't write."""

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Nothing."""
        return _NONE


class CheckedFinder:
    """Lines that another finder proposes and that match an expression, decoded, without their line end."""

    def __init__(self, proposes: LineFinder, expression: re.Pattern[str], codec: str) -> None:
        self._proposes = proposes
        self._search: Callable[[str], object] = expression.search
        self._codec = codec

    def find(self, data: bytearray, length: int) -> NDArray[np.int64]:
        """Where the lines begin that match."""
        search, codec, found = self._search, self._codec, []
        for start in self._proposes.find(data, length).tolist():
            end = data.find(b"\n", start, length)
            end = length if end < 0 else end
            if end > start and data[end - 1] == 0x0D:
                end -= 1
            if search(data[start:end].decode(codec, "replace")) is not None:
                found.append(start)
        return np.array(found, np.int64)


def places_of(text: bytes, array: NDArray[np.uint8]) -> NDArray[np.int64]:
    """All places of a text in an array of bytes, overlapping ones too.

    The two bytes of the text that are rarest in the beginning of the array are compared first, everywhere; what is left
    is compared byte by byte.
    """
    frequency = np.bincount(array[: 1 << 14], minlength=256)
    order = sorted(range(len(text)), key=lambda index: (frequency[text[index]], index))
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
