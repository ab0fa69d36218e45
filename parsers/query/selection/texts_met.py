"""Which of many texts patterns meet, such as all names of a report: without a step of Python for each.

Texts lie as bytes one behind the other, and so are looked through with numpy: for a beginning or an end a byte of all
texts at a time, for a part by finding all its places. What a pattern says of a text it says of its bytes too, where a
letter's bytes can be no part of another one's; texts in other charsets are decoded and asked one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import stringzilla as sz

from parsers.io.charset import codec_of
from parsers.model.capabilities import NameArrays
from parsers.model.java_name import SYNTHETIC_HINTS, SYNTHETIC_TEXTS, is_synthetic
from parsers.model.patterns import PatternSet, element_type
from parsers.query.search.line_finder import places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Find = Callable[[bytes, "NDArray[Any]"], "NDArray[np.int64]"]

BLOCK = 1 << 22
"""Bytes that are looked through at a time."""

PLAIN_CODECS = frozenset({"utf-8", "ascii", "cp437", "koi8_r", "latin-1", "iso8859-1", "cp1252"})
"""Charsets in which the bytes of a text are found in other bytes only where the text is in theirs."""

SYNTHETIC = PatternSet(tuple(f"*{text}*" for text in SYNTHETIC_TEXTS))
HINTS = PatternSet(tuple(f"*{text}*" for text in SYNTHETIC_HINTS))


class TextsMet:
    """Texts, to be asked which of them patterns meet.

    starts, ends  int64[n]    where each lies in the bytes, in their order
    data          uint8       the bytes
    encoding      as reports name it
    decode        bytes of the file to text
    """

    def __init__(
        self,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        data: NDArray[np.uint8],
        encoding: str,
        decode: Callable[[bytes], str],
    ) -> None:
        self._starts, self._ends, self._data = starts, ends, data
        self._decode = decode
        self._codec = codec_of(encoding)

    @classmethod
    def of_names(cls, names: Sequence[bytes], encoding: str, decode: Callable[[bytes], str]) -> TextsMet:
        """The unique names of a report."""
        starts, data = arrays_of(names)
        return cls(starts[:-1], starts[1:], data, encoding, decode)

    def __len__(self) -> int:
        return len(self._starts)

    def of(self, patterns: PatternSet) -> NDArray[np.bool_]:
        """By text: whether a pattern meets it."""
        return self._met(patterns, self._ends, str)

    def of_elements(self, patterns: PatternSet) -> NDArray[np.bool_]:
        """By text, a type: whether a pattern meets it, an array by its innermost element type."""
        return self._met(patterns, self._without_brackets(), element_type)

    def equal(self, text: str) -> NDArray[np.int64]:
        """Numbers of the texts that are exactly this one."""
        if self._codec not in PLAIN_CODECS or "\ufffd" in text:
            return np.array([number for number in range(len(self)) if self._text(number) == text], np.int64)
        try:
            encoded = text.encode(self._codec)
        except UnicodeEncodeError:
            return np.empty(0, np.int64)
        which = np.flatnonzero(self._lengths == len(encoded))
        # Names of one package differ late.
        for index in range(len(encoded) - 1, -1, -1):
            if not len(which):
                break
            which = which[self._data[self._starts[which] + index] == encoded[index]]
        return which

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self._ends - self._starts

    def text(self, number: int) -> str:
        """One of them."""
        return self._text(number)

    def synthetic(self) -> NDArray[np.bool_]:
        """By text: whether it is a method, or of a class, that was made up by compiler or JVM."""
        ends = self._before_types()
        met = self._met(SYNTHETIC, ends, _before_types)
        for number in np.flatnonzero(self._met(HINTS, ends, _before_types) & ~met).tolist():
            met[number] = is_synthetic(self._text(number))
        return met

    # -- private ------------------------------------------------------------------------------------------------------

    def _met(self, patterns: PatternSet, ends: NDArray[Any], part: Callable[[str], str]) -> NDArray[np.bool_]:
        """Whether patterns meet the texts up to some ends; `part` gives that piece of a text."""
        if patterns.is_all:
            return np.ones(len(self), np.bool_)
        if self._codec not in PLAIN_CODECS or any("\ufffd" in pattern for pattern in patterns.patterns):
            texts = (part(self._text(number)) for number in range(len(self)))
            return np.fromiter((text in patterns for text in texts), np.bool_, len(self))
        met = np.zeros(len(self), np.bool_)
        ways: tuple[tuple[Iterable[str], _Find], ...] = (
            (patterns.exact, self._equal),
            (patterns.starts, self._begin),
            (patterns.ends, self._end),
            (patterns.parts, self._hold),
        )
        for asked, find in ways:
            for text in asked:
                try:
                    encoded = text.encode(self._codec)
                except UnicodeEncodeError:
                    continue
                met[find(encoded, ends)] = True
        return met

    def _text(self, number: int) -> str:
        return self._decode(self._data[self._starts[number] : self._ends[number]].tobytes())

    def _equal(self, text: bytes, ends: NDArray[Any]) -> NDArray[np.int64]:
        return having(self._data, text, np.flatnonzero(ends - self._starts == len(text)), self._starts)

    def _begin(self, text: bytes, ends: NDArray[Any]) -> NDArray[np.int64]:
        return having(self._data, text, np.flatnonzero(ends - self._starts >= len(text)), self._starts)

    def _end(self, text: bytes, ends: NDArray[Any]) -> NDArray[np.int64]:
        return having(self._data, text, np.flatnonzero(ends - self._starts >= len(text)), ends - len(text))

    def _hold(self, text: bytes, ends: NDArray[Any]) -> NDArray[np.int64]:
        """Texts that have a piece somewhere before their ends."""
        found, first = [np.empty(0, np.int64)], 0
        while first < len(self._starts):
            last, start, places = self._places(text, first)
            which = np.searchsorted(self._starts[first:last], places + start, "right") - 1 + first
            found.append(which[places + start + len(text) <= ends[which]])
            first = last
        return np.concatenate(found)

    def _places(self, text: bytes, first: int) -> tuple[int, int, NDArray[np.int64]]:
        """Of a block of texts from one on: the first one behind it, where the block begins, all places of a piece."""
        start = int(self._starts[first])
        last = max(int(np.searchsorted(self._ends, start + BLOCK, "right")), first + 1)
        data = self._data[start : int(self._ends[last - 1])]
        return last, start, places_of(text, data) if sz.count(data.data, text) else np.empty(0, np.int64)

    def _without_brackets(self) -> NDArray[np.int64]:
        """Ends of the texts without pairs of brackets at their ends."""
        ends = self._ends.copy()
        which = np.arange(len(ends))
        while len(which):
            which = which[ends[which] - self._starts[which] >= 2]
            behind = ends[which]
            which = which[(self._data[behind - 1] == 0x5D) & (self._data[behind - 2] == 0x5B)]
            ends[which] -= 2
        return ends

    def _before_types(self) -> NDArray[np.int64]:
        """Where the types of methods begin; ends of those without types."""
        ends, first = self._ends.copy(), 0
        while first < len(ends):
            last, start, places = self._places(b"(", first)
            which = np.searchsorted(self._starts[first:last], places + start, "right") - 1 + first
            # The first of several counts: it is written last.
            ends[which[::-1]] = places[::-1] + start
            first = last
        return ends


def _before_types(name: str) -> str:
    return name.partition("(")[0]


def arrays_of(names: Any) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each name begins, with the end of the last one, and the bytes of all."""
    if isinstance(names, NameArrays):
        starts, texts = names.arrays()
        return starts.astype(np.int64), texts
    lengths = np.fromiter((len(name) for name in names), np.int64, len(names))
    return np.concatenate(([0], np.cumsum(lengths))), np.frombuffer(b"".join(names), np.uint8)


def having(
    data: NDArray[np.uint8], text: bytes, which: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those of some numbers that have a text at their places in the data, of all places."""
    for index, byte in enumerate(text):
        if not len(which):
            break
        which = which[data[places[which] + index] == byte]
    return which
