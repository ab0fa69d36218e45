"""Texts of an index: unique texts by number."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.index.writer import GrowingArray, Writer
    from parsers.model.arrays import U8Array, U64Array

PIECE = 1 << 12
"""Texts that are read together."""


class Texts(Sequence[bytes]):
    """Unique texts by number, from the arrays of an index."""

    def __init__(self, starts: memoryview, blob: memoryview) -> None:
        self._starts, self._blob = starts, blob

    def __len__(self) -> int:
        return max(len(self._starts) - 1, 0)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if number < 0:
            raise IndexError(number)
        starts = self._starts
        return bytes(self._blob[starts[number] : starts[number + 1]])

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, len(self), PIECE):
            ends = self._starts[start : start + PIECE + 1].tolist()
            piece = bytes(self._blob[ends[0] : ends[-1]])
            yield from (piece[begin - ends[0] : end - ends[0]] for begin, end in pairwise(ends))

    def with_part(self, part: bytes) -> list[int]:
        """Returns the numbers of the texts that contain some bytes, which are searched in all texts at once."""
        found = list[int]()
        # Matches may overlap, but the first byte is searched for: an expression without one takes 20 times as long.
        for match in re.finditer(b"%b(?=%b)" % (re.escape(part[:1]), re.escape(part[1:])), self._blob):
            number = bisect_right(self._starts, match.start()) - 1
            if match.start() + len(part) <= self._starts[number + 1] and found[-1:] != [number]:
                found.append(number)
        return found


def numbers_with(texts: Sequence[bytes], part: bytes) -> list[int]:
    """Returns the numbers of the texts that contain some bytes, ascending."""
    if isinstance(texts, Texts):
        return texts.with_part(part)
    return [number for number, text in enumerate(texts) if part in text]


def text_arrays(table: str, texts: Sequence[bytes]) -> dict[str, Any]:
    """The arrays of a table of texts."""
    starts = np.cumulative_sum([len(text) for text in texts], dtype=np.uint64, include_initial=True)
    return {f"{table}_starts": starts, f"{table}_bytes": np.frombuffer(b"".join(texts), np.uint8)}


def arrays_from(texts: Sequence[bytes], first: int) -> tuple[U64Array, U8Array]:
    """The starts of the texts from a number on, and the end of the last one; and the bytes of these texts."""
    starts, data = text_arrays("", texts[first:]).values()
    return starts, data


def append_texts(
    arrays: Mapping[str, GrowingArray], table: str, new: Callable[[int], tuple[U64Array, U8Array]]
) -> None:
    """Appends texts to a table in arrays that grow. new: returns the arrays of the texts from a number on"""
    starts, data = arrays[f"{table}_starts"], arrays[f"{table}_bytes"]
    known, size = max(starts.length - 1, 0), data.length
    new_starts, new_bytes = new(known)
    starts.end_with(known, new_starts - new_starts[0] + np.uint64(size))
    data.end_with(size, new_bytes)


def save_texts(writer: Writer, table: str, texts: Sequence[bytes]) -> None:
    """Writes a table of texts."""
    for name, values in text_arrays(table, texts).items():
        writer.save(name, values)


class UniqueTexts:
    """A set of texts with numbers, in the order in which they are added."""

    def __init__(self, texts: Iterable[bytes] = (), most: int = sys.maxsize, none: int = 0) -> None:
        """most: maximum number of texts; none: the number of no text, and of texts beyond the maximum"""
        self.texts = list(texts)
        self._numbers: dict[bytes | None, int] = {text: number for number, text in enumerate(self.texts)}
        self._most, self._none = most, none

    def find(self, text: bytes) -> int | None:
        """The number of a text, if it is one of these."""
        return self._numbers.get(text)

    def number(self, text: bytes | None) -> int:
        """The number of a text, which may be new."""
        found = self._numbers.get(text)
        if found is None:
            if text is None or len(self.texts) >= self._most:
                return self._none
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found

    def numbers(self, texts: Iterable[bytes]) -> list[int]:
        """The numbers of many texts, which may be new."""
        known, texts = self._numbers, list(texts)
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, range(len(self.texts), len(self.texts) + len(new)), strict=True))
            self.texts += new
        return [*map(known.__getitem__, texts)]
