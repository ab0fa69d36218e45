"""The unique names of many rows, matched against patterns: all names at once, with any number of patterns.

Names are matched as UTF-8 bytes. Prefixes and suffixes of a text are prefixes and suffixes of its bytes; names in
another charset are decoded first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import BoolArray, I64Array, U8Array
    from parsers.model.names.patterns import PatternSet
    from parsers.query.selection.texts_met import MatchedTexts


class NameTable:
    """Names, each once."""

    def __init__(self, starts: I64Array, joined: U8Array) -> None:
        """
        starts  int64[n+1]  start of each; the last one: the end
        joined  uint8[m]    their bytes in UTF-8, each with a line feed
        """
        import numpy as np

        self._starts = starts[:-1]
        self._lengths = np.diff(starts) - 1
        self._text = joined[: starts[-1]]

    @classmethod
    def of(cls, names: Iterable[str]) -> NameTable:
        """Builds the table from texts."""
        import numpy as np

        joined, starts = bytearray(), array("q", [0])
        for name in names:
            joined += name.encode("utf-8", "surrogatepass")
            joined += b"\n"
            starts.append(len(joined))
        return cls(np.frombuffer(starts, np.int64), np.frombuffer(joined, np.uint8))

    @classmethod
    def of_bytes(cls, names: Sequence[bytes], encoding: str) -> NameTable:
        """Builds the table from names as in a file."""
        from parsers.io.charset import decode
        from parsers.query.search.names import joined_names

        if encoding in ("utf-8", "ascii-?"):
            return cls(*joined_names(names, None))
        return cls.of(decode(bytes(name), encoding) for name in names)

    def __len__(self) -> int:
        return len(self._starts)

    def name(self, number: int) -> str:
        """Returns the text of a name."""
        return self.raw(number).decode("utf-8", "replace")

    def raw(self, number: int) -> bytes:
        """Returns the bytes of a name."""
        start = int(self._starts[number])
        found: bytes = self._text[start : start + int(self._lengths[number])].tobytes()
        return found

    def heads(self, numbers: I64Array, head_lengths: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]) -> NameTable:
        """Returns prefixes of some names as a new table.

        head_lengths: bytes of each prefix, from the starts of the names, with the end of the last, and their bytes
        """
        import numpy as np

        whole = self._prefixes(numbers, self._lengths[numbers])
        return self._prefixes(numbers, head_lengths(np.append(whole._starts, len(whole._text)), whole._text))

    def _prefixes(self, numbers: NDArray[Any], lengths: NDArray[Any]) -> NameTable:
        import numpy as np

        starts = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(lengths + 1, out=starts[1:])
        places = np.arange(starts[-1]) + np.repeat(self._starts[numbers] - starts[:-1], lengths + 1)
        # A byte follows each prefix, at least the name's line feed: it becomes the line feed of the prefix.
        joined = self._text[places]
        joined[starts[1:] - 1] = ord("\n")
        return NameTable(starts, joined)

    def matching(self, patterns: PatternSet) -> BoolArray:
        """Returns the names that match any pattern: bool[n]."""
        return self._texts.of(patterns)

    @cached_property
    def _texts(self) -> MatchedTexts:
        from parsers.query.selection.texts_met import MatchedTexts

        ends = self._starts + self._lengths
        return MatchedTexts(self._starts, ends, self._text, "utf-8", lambda name: name.decode("utf-8", "replace"))
