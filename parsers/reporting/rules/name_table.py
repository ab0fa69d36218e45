"""The unique names of many rows, matched against patterns: all names at once, with any number of patterns.

Names are matched as UTF-8 bytes. Prefixes and suffixes of a text are prefixes and suffixes of its bytes; names in
another charset are decoded first.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.patterns import PatternSet

REPLACEMENT = "\ufffd"
"""Shown for invalid bytes of a name."""

KEY = 8
"""Bytes at the start of names that are their sort key."""


class NameTable:
    """Names, each once."""

    def __init__(self, starts: NDArray[Any], joined: NDArray[Any]) -> None:
        """
        starts  int64[n+1]  start of each; the last one: the end
        joined  uint8[m]    their bytes in UTF-8, each with a line feed
        """
        import numpy as np

        self._starts = starts[:-1]
        self._lengths = np.diff(starts) - 1
        self._text = joined[: starts[-1]]
        self._ordered: tuple[NDArray[Any], NDArray[Any]] | None = None

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

    def heads(self, numbers: NDArray[Any], lengths: NDArray[Any]) -> NameTable:
        """Returns prefixes of names as a new table.

        lengths  of each, in bytes
        """
        import numpy as np

        starts = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(lengths + 1, out=starts[1:])
        places = np.arange(starts[-1]) + np.repeat(self._starts[numbers] - starts[:-1], lengths + 1)
        # A byte follows each prefix, at least the name's line feed: it becomes the line feed of the prefix.
        joined = self._text[places]
        joined[starts[1:] - 1] = ord("\n")
        return NameTable(starts, joined)

    def holders(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns the prefix lengths in bytes of the classes in `holder.name(types):type`; and True where certain.

        Names with other parentheses than these, or none, have to be parsed individually.
        """
        import numpy as np

        from parsers.query.search.line_finder import places_of

        # Looking up sorted places is several times as fast.
        order = numbers.argsort()
        starts = self._starts[numbers[order]]
        ends = starts + self._lengths[numbers[order]]
        opening, closing, dots = (
            np.append(places_of(sign, self._text), len(self._text)) for sign in (b"(", b")", b".")
        )
        (first, opened), (last, closed) = (_between(places, starts, ends) for places in (opening, closing))
        is_plain = (opened == 1) & (closed == 1) & (self._text[np.minimum(last + 1, len(self._text) - 1)] == ord(":"))
        before = dots.searchsorted(np.minimum(first, ends)) - 1
        holders, is_certain = np.empty(len(numbers), np.int64), np.empty(len(numbers), bool)
        holders[order] = np.maximum(np.where(before < 0, 0, dots[before]) - starts, 0)
        is_certain[order] = is_plain & (first < last)
        return holders, is_certain

    def matching(self, patterns: PatternSet) -> NDArray[Any]:
        """Returns the names that match any pattern: bool[n]."""
        import numpy as np

        found = np.full(len(self), patterns.is_all)
        if patterns.is_all:
            return found
        if any(REPLACEMENT in pattern for pattern in patterns.patterns):
            # The replacement character represents bytes that it can't be converted back to.
            return np.array([self.name(number) in patterns for number in range(len(self))], bool)
        for text in patterns.exact:
            found[self._beginning(text, is_whole=True)] = True
        for text in patterns.starts:
            found[self._beginning(text)] = True
        for text in patterns.ends:
            found[self._ending(text)] = True
        for text in patterns.parts:
            found[self._holding(text)] = True
        return found

    def _beginning(self, text: str, is_whole: bool = False) -> NDArray[Any]:
        """Returns the names that begin with a text, or equal it."""
        data = _bytes(text)
        order, keys = self._order()
        first, last = _keys_of(data)
        low, high = keys.searchsorted(first, "left"), keys.searchsorted(last, "right")
        which = order[low:high]
        lengths = self._lengths[which]
        which = which[lengths == len(data) if is_whole else lengths >= len(data)]
        return self._agreeing(which, self._starts[which], data)

    def _ending(self, text: str) -> NDArray[Any]:
        """Returns the names that end with a text."""
        data = _bytes(text)
        which = (self._lengths >= len(data)).nonzero()[0]
        return self._agreeing(which, (self._starts + self._lengths)[which] - len(data), data)

    def _holding(self, text: str) -> NDArray[Any]:
        """Returns the names that contain a text."""
        from parsers.query.search.line_finder import places_of

        data = _bytes(text)
        places = places_of(data, self._text)
        which = self._starts.searchsorted(places, "right") - 1
        if b"\n" in data:
            ends = self._starts[which] + self._lengths[which]
            which = which[places + len(data) <= ends]
        return which

    def _agreeing(self, which: NDArray[Any], places: NDArray[Any], data: bytes) -> NDArray[Any]:
        """Returns those names that have a text at their places."""
        # Names of one package differ late, so the last byte distinguishes most of them.
        for at in range(len(data) - 1, -1, -1):
            if not len(which):
                break
            agrees = self._text[places + at] == data[at]
            which, places = which[agrees], places[agrees]
        return which

    def _order(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The sorted names, and the first bytes of each as a number."""
        import numpy as np

        if self._ordered is None:
            keys = np.zeros(len(self), np.uint64)
            for at in range(KEY):
                is_long = self._lengths > at
                keys <<= np.uint64(8)
                keys[is_long] |= self._text[self._starts[is_long] + at]
            order = np.argsort(keys, kind="stable")
            self._ordered = order, keys[order]
        return self._ordered


def _between(places: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the first place in each range, and the number of places in it."""
    first = places.searchsorted(starts)
    return places[first.clip(max=len(places) - 1)], places.searchsorted(ends) - first


def _keys_of(data: bytes) -> tuple[Any, Any]:
    """Returns the lowest and the highest key of names with a prefix."""
    import numpy as np

    head = data[:KEY]
    return np.uint64(int.from_bytes(head.ljust(KEY, b"\0"), "big")), np.uint64(
        int.from_bytes(head.ljust(KEY, b"\xff"), "big")
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
